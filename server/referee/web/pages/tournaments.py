"""All tournaments, and one tournament in its views: standings, crosstable, history, schedule, events and others."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from referee.store import Counts, MatchState, StoredMatch, Tournament, TournamentState
from referee.tournament.events import latest_of_tournament
from referee.web import links
from referee.web.live import Parts
from referee.web.markup import Child, Html, join, name_of, tag
from referee.web.pages.layout import empty, page, panel, part
from referee_leaderboard.names import count, percent, plural

if TYPE_CHECKING:
    from referee.web.site import Site

SCHEDULE_PAGE = 100
EVENTS_SHOWN = 200
TITLES = {
    "standings": "Standings",
    "rounds": "Rounds",
    "strengths": "Strengths",
    "crosstable": "Crosstable",
    "seats": "Seats",
    "history": "History",
    "schedule": "Schedule",
    "events": "Events",
}
ORDER = [TournamentState.RUNNING, TournamentState.PAUSED, TournamentState.CREATED]


def all_tournaments(site: Site) -> str:
    """The first page. Reads the store."""
    store = site.source.store
    tournaments = list(reversed(store.tournaments.all()))
    tournaments.sort(key=lambda one: ORDER.index(one.state) if one.state in ORDER else len(ORDER))
    cards = []
    for one in tournaments:
        entrants = store.tournaments.entrants(one.id)
        cards.append(_card(one, store.tournaments.counts(one.id), len(entrants)))
    practice = store.matches.practice_page(0, 8)
    watch = [_practice(match) for match in practice]
    return page(
        site,
        "Tournaments",
        tag("h1", "Tournaments"),
        tag("ul", *cards, class_="cards") if cards else _none_yet(),
        panel("Latest practice", tag("ul", *watch, class_="matches")) if watch else None,
        place="tournaments",
    )


def _none_yet() -> Html:
    example = "referee tournament create cup --game flip7 --bots odds,cautious,random --start"
    return tag(
        "section",
        tag("p", "There is no tournament yet. This starts one among house bots:"),
        tag("pre", tag("code", example), tabindex=0),
        class_="panel",
    )


def _card(one: Tournament, counts: Counts, bots: int) -> Html:
    done = counts.total - counts.open
    return tag(
        "li",
        tag("h2", tag("a", name_of(one.name), href=links.tournament(one.name))),
        tag(
            "p",
            tag("span", one.state.value, class_=f"state {one.state.value}"),
            tag("span", one.game),
            tag("span", plural(bots, "bot")),
            class_="facts",
        ),
        tag("progress", percent(done, counts.total), max=max(1, counts.total), value=done, aria_label="Matches played"),
        tag("p", f"{count(done)} of {plural(counts.total, 'match')}", class_="soft"),
        class_="panel",
    )


def _practice(match: StoredMatch) -> Html:
    name = f"practice/{match.id}"
    seats = [
        tag(
            "span",
            name_of(seat.name),
            None if seat.score is None else tag("b", count(seat.score)),
            class_="seat first" if seat.rank == 1 else "seat",
        )
        for seat in match.seats
    ]
    return tag(
        "li",
        tag("a", f"#{match.id}", href=links.match(name), class_="number"),
        tag("span", *seats, class_="seats"),
        tag("span", f"{match.game}, {match.state.value}", class_="soft time"),
    )


def one_tournament(
    site: Site, name: str, view: str, parts: Parts, listed: Html | None = None, *, drawn: bool = False
) -> str:
    """A tournament in one of its views; `listed` is the schedule or the events.

    `drawn`: its format draws rounds, which have a view of their own.
    """
    tabs = [
        tag(
            "a",
            title,
            href=links.tournament(name, "" if key == "standings" else key),
            aria_current="page" if key == view else None,
        )
        for key, title in TITLES.items()
        if key != "rounds" or drawn or view == "rounds"
    ]
    if view == "standings":
        body: Child = tag(
            "div",
            tag("section", part("standings", parts["standings"]), part("digest", parts["digest"]), class_="panel main"),
            tag(
                "div",
                panel("Being played", part("playing", parts["playing"])),
                panel("Latest results", part("latest", parts["latest"])),
                class_="aside",
            ),
            class_="columns",
        )
    elif view in ("schedule", "events"):
        body = tag("section", listed, class_="panel")
    else:
        body = tag("section", part(view, parts[view]), class_="panel")
    return page(
        site,
        f"{name} · {TITLES[view]}",
        tag(
            "div",
            tag("h1", name_of(name)),
            tag("p", tag("a", "On the wall", href=links.link("/wall", name)), class_="beside"),
            class_="title",
        ),
        part("head", parts["head"], class_="headline"),
        tag("nav", *tabs, class_="tabs", aria_label="Views of this tournament"),
        body,
        place="tournaments",
        live=links.link("/live/tournaments", name, view=view),
    )


def wall(site: Site, name: str, parts: Parts) -> str:
    """A tournament for a wall: large, without controls, one view after the other."""
    screens: list[tuple[str, str, Child]] = [
        ("standings", "Standings", part("standings", parts["standings"])),
        ("history", "Ratings over time", part("history", parts["history"])),
        ("crosstable", "Who beats whom", part("crosstable", parts["crosstable"])),
        (
            "matches",
            "Matches",
            tag(
                "div",
                tag("div", tag("h2", "Being played"), part("playing", parts["playing"])),
                tag("div", tag("h2", "Latest results"), part("latest", parts["latest"])),
                class_="columns even",
            ),
        ),
    ]
    return page(
        site,
        f"{name} · Wall",
        tag("div", tag("h1", name_of(name)), part("head", parts["head"], class_="headline"), class_="walltop"),
        [
            tag("section", None if key == "matches" else tag("h2", title), body, class_="screen", data_screen=key)
            for key, title, body in screens
        ],
        live=links.link("/live/tournaments", name, view="wall"),
        modules=("wall.js",),
        kind="wall",
        bare=True,
    )


def schedule(site: Site, name: str, first: int) -> Html:
    """So many matches of the schedule, from that number on. Reads the store."""
    store = site.source.store
    tournament = store.tournaments.get(name)
    total = store.matches.total(tournament.id)
    first = min(max(0, first), max(0, total - 1)) // SCHEDULE_PAGE * SCHEDULE_PAGE
    found = store.matches.page(tournament.id, first, SCHEDULE_PAGE)
    if not found:
        return empty("No matches are scheduled yet.")
    heads = [
        tag("th", "Match", scope="col", class_="num"),
        tag("th", "Round", scope="col", class_="num mid"),
        tag("th", "Seats, from 0", scope="col"),
        tag("th", "State", scope="col"),
    ]
    body = [_scheduled(name, match) for match in found]
    caption = tag(
        "caption", tag("span", f"Matches {count(first)} to {count(first + len(found) - 1)} of {count(total)}")
    )
    pages = [
        tag("a", "‹ Earlier", href=links.tournament(name, "schedule", first=first - SCHEDULE_PAGE), rel="prev")
        if first
        else None,
        tag("a", "Later ›", href=links.tournament(name, "schedule", first=first + SCHEDULE_PAGE), rel="next")
        if first + SCHEDULE_PAGE < total
        else None,
    ]
    return join(
        tag("table", caption, tag("thead", tag("tr", *heads)), tag("tbody", *body), class_="schedule"),
        tag("nav", *pages, class_="pager", aria_label="Pages of the schedule"),
    )


def events(site: Site, name: str) -> Html:
    """What happened, the latest first. Reads the store."""
    found = latest_of_tournament(site.source.store, name, EVENTS_SHOWN)
    if not found:
        return empty("Nothing has happened yet.")
    heads = [tag("th", title, scope="col") for title in ("When (UTC)", "What happened")]
    body = [
        tag(
            "tr",
            tag("td", time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(event.at / 1000)), class_="soft"),
            tag("td", tag("b", event.text) if event.alarm else event.text),
        )
        for event in reversed(found)
    ]
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *body), class_="events")


def _scheduled(tournament: str, match: StoredMatch) -> Html:
    over = match.state is MatchState.FINISHED
    seats = [
        tag(
            "span",
            tag("span", f"{seat.rank}.", class_="place") if over else None,
            name_of(seat.name),
            tag("b", count(seat.score or 0)) if over else None,
            tag("span", f"✕ {seat.fault}", class_="badge bad") if seat.fault not in (None, "finished") else None,
            class_="seat first" if seat.rank == 1 else "seat",
        )
        for seat in match.seats
    ]
    name = f"{tournament}/{match.ordinal}"
    shown = match.state in (MatchState.FINISHED, MatchState.PLAYING)
    number = tag("a", match.ordinal, href=links.match(name)) if shown else tag("span", match.ordinal)
    aside = match.state in (MatchState.ABSENT, MatchState.VOID)
    return tag(
        "tr",
        tag("td", number, class_="num"),
        tag("td", match.round, class_="num mid"),
        tag("td", tag("span", *seats, class_="seats")),
        tag("td", match.state.value, f": {match.reason}" if aside and match.reason else None, class_="soft"),
    )
