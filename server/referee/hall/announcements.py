"""Announcements: what webhooks are told that is no change of the database: bots away or benched, a new leader.

Starts and ends of tournaments are put into the outbox by the transaction that stores them. What is told here is looked
at every few seconds, and only while a webhook wants it. That a bot was benched is kept as an event in any case: it is a
decision of the server's own.
"""

from __future__ import annotations

import asyncio

import structlog

from referee.hall.competition import Competition
from referee.store import StoreError
from referee.store.outbox import AWAY, BENCHED, LEADER
from referee.threads import in_thread
from referee_leaderboard.standings import Standings

log = structlog.get_logger()
LOOK_SECONDS = 5.0


class Announcements:
    """Looks at a competition and tells what is new, each thing once."""

    def __init__(self, competition: Competition) -> None:
        self._competition = competition
        self._webhooks = competition.store.webhooks
        self._away: set[tuple[str, str]] = set()
        self._benched: set[str] = set()
        self._leaders: dict[str, str] = {}

    async def follow(self) -> None:
        """Look again and again, as long as the server runs."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except StoreError as error:  # results tell it louder
                log.error("announcements cannot be stored", why=str(error))

    async def look(self) -> None:
        """Tell what has changed since the last look."""
        wanted = {kind for webhook in await in_thread(self._webhooks.all) for kind in webhook.kinds}
        director = self._competition.director
        runners = dict(director.runners)
        away = {(name, bot) for name, runner in runners.items() for bot in runner.overdue()}
        benched = set(self._competition.hosted.benched())
        told = []
        if AWAY in wanted:
            told += [(AWAY, {"tournament": name, "bot": bot}) for name, bot in sorted(away - self._away)]
        if BENCHED in wanted:
            told += [(BENCHED, {"bot": bot}) for bot in sorted(benched - self._benched)]
        for bot in sorted(benched - self._benched):  # whoever is told: it is kept as an event
            await in_thread(self._competition.store.versions.bench, bot)
        self._away, self._benched = away, benched
        if LEADER in wanted:
            for name in runners:
                told += self._new_leader(name, await director.standings(name))
        for kind, about in told:
            await in_thread(self._webhooks.announce, kind, about)

    def _new_leader(self, name: str, standings: Standings) -> list[tuple[str, dict[str, str]]]:
        first = [row for row in standings.rows if row.rank == 1 and row.matches]
        if len(first) != 1:  # none yet, or several that are level
            return []
        before, leader = self._leaders.get(name), first[0].bot
        self._leaders[name] = leader
        # The first that is seen is no news: the server may have been started again.
        return (
            [] if before in (None, leader) else [(LEADER, {"tournament": name, "bot": leader, "before": before or ""})]
        )
