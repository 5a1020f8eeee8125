"""A tournament, live: the parts of its pages, drawn once for all who watch, about once a second."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from referee.hall.standings_feed import StandingsFeed
from referee.store import Unknown
from referee.web.live import Channel, Gone, Parts
from referee.web.pages import plot
from referee.web.pages import standings as draw
from referee.web.pages.format import rounds
from referee.web.pages.standings import Bots
from referee.web.pages.strengths import strengths
from referee_leaderboard.standings import Standings, State

if TYPE_CHECKING:
    from referee.web.site import Site

PAUSE = 1.0
"""Seconds between two looks."""
IDLE_PAUSE = 3.0
"""Where nothing is being played: it may be started, or joined."""
VIEWS = ("standings", "rounds", "strengths", "crosstable", "seats", "history", "schedule", "events", "wall")


def channel(site: Site, name: str, view: str) -> Channel:
    """The stream of one view of a tournament."""
    return site.channels.channel(("tournament", name, view), lambda: _open(site, name, view))


def parts(site: Site, standings: Standings, view: str) -> Parts:
    """What a view of a tournament shows at this moment; takes its time, and belongs into a thread."""
    bots = registered(site, standings.tournament)
    shown: Parts = {"head": draw.head(standings)}
    if view in ("standings", "wall"):
        shown["standings"] = draw.table(standings, bots)
        shown["playing"] = draw.playing(standings)
        shown["latest"] = draw.latest(standings)
        shown["digest"] = draw.digest(standings) or ""
    if view == "rounds":
        shown["rounds"] = rounds(standings, bots)
    if view == "strengths":
        shown["strengths"] = strengths(standings, bots)
    if view in ("crosstable", "wall"):
        shown["crosstable"] = draw.crosstable(standings, bots)
    if view in ("seats", "wall"):
        shown["seats"] = draw.seats(standings, bots)
    if view in ("history", "wall"):
        points = site.histories.points(standings.tournament)
        shown["history"] = plot.ratings(points, [row.bot for row in standings.rows])
    return shown


def registered(site: Site, tournament: str) -> Bots:
    """The registered bot behind each name in a tournament."""
    store = site.source.store
    names = {bot.id: bot.name for bot in store.bots.all()}
    entrants = store.tournaments.entrants(store.tournaments.get(tournament).id)
    return {entrant.name: names.get(entrant.bot, entrant.name) for entrant in entrants}


def wait_between(feed: StandingsFeed) -> Callable[[], Awaitable[bool]]:
    """A pause between two looks at standings: longer where nothing is being played."""

    async def pause() -> bool:
        latest = feed.latest  # those that were just shown: to make new ones here would be twice the work
        running = latest is not None and latest.standings.state is State.RUNNING
        await asyncio.sleep(PAUSE if running else IDLE_PAUSE)
        return True

    return pause


def _open(site: Site, name: str, view: str) -> Channel:
    feed = site.source.feed(name)

    async def show() -> Parts:
        try:
            snapshot = await feed.now()
            return await site.answers.read(lambda: parts(site, snapshot.standings, view))
        except Unknown as error:
            raise Gone(str(error)) from None

    return Channel(show, wait_between(feed), site.channels.wakeups)
