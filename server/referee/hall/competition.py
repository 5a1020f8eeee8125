"""The competition: store, hall, bots, practice and tournaments of one process, put together, started and stopped.

Nothing here listens: a server (`net/server.py`) lets bots in from outside, and without one house bots play alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.hall.admission import Admission
from referee.hall.director import Director
from referee.hall.hall import Hall
from referee.hall.hosted_bots import HostedBots, NoHostedBots, VersionHosting
from referee.hall.house_player import HouseBotThread
from referee.hall.lobby import Lobby
from referee.hall.practice import PracticeMatches
from referee.hall.presence import Presence
from referee.hall.roster import Roster
from referee.hall.submissions import Submissions, SubmissionSettings, Trial
from referee.hosting.submission.content_store import ContentStore
from referee.hosting.submission.trial import try_out
from referee.match.clock import TimeControl
from referee.store import MatchState, Store
from referee.threads import in_thread


@dataclass(frozen=True, slots=True)
class SubmissionPlan:
    """Submissions as the host allows them: where the packages lie, and what hosts the bots."""

    content: ContentStore
    hosting: Callable[[Hall, HouseBotThread], VersionHosting]
    settings: SubmissionSettings = field(default_factory=SubmissionSettings)
    trial: Trial = try_out


USUAL_CONCURRENCY = 256
"""Matches of a tournament that are played at once."""


class Competition:
    """All that is played in this process. `start`, then `drain` and `stop`."""

    def __init__(
        self,
        store: Store,
        *,
        control: TimeControl | None = None,
        concurrency: int = USUAL_CONCURRENCY,
        watch_delay: int = 0,
        submissions: SubmissionPlan | None = None,
    ) -> None:
        """`control` is the time control of matches that have none of their own; `watch_delay` is by how many decisions
        running matches are shown late to all who watch. Without `submissions`, no bot can be submitted.
        """
        self.store = store
        self.control = control or TimeControl()
        self.admission = Admission()
        self.hall = Hall(self.admission.queue_seconds, watch_delay)
        self.house_thread = HouseBotThread()
        self.presence = Presence()
        self.roster = Roster(store, self.house_thread)
        self.practice = PracticeMatches(store, self.hall)
        self.submissions: Submissions | None = None
        self.hosted: HostedBots = NoHostedBots()
        if submissions is not None:
            host = self.hosted = submissions.hosting(self.hall, self.house_thread)
            self.submissions = Submissions(store, submissions.content, host, submissions.settings, submissions.trial)
        self.director = Director(
            store, self.roster, self.hall, self.presence, concurrency=concurrency, hosted=self.hosted
        )
        self.lobby = Lobby(self.roster, self.presence, self.practice, self.control, self.director.wants)
        self._beat: asyncio.Task[None] | None = None

    @property
    def idle(self) -> bool:
        """Whether no match is being played and no tournament is about to go on."""
        return not self.hall.matches and not self.director.runners

    async def prepare(self) -> None:
        """Before the first bot may connect: void the practice matches of a stopped server, and read all tokens."""
        await in_thread(self._void_practice)
        await self.roster.tokens.refresh()
        if self.submissions is not None:
            await self.submissions.start()

    def start(self) -> None:
        """Matches can be played from now on."""
        self._beat = asyncio.get_running_loop().create_task(self.hall.beat())

    async def drain(self, say: Callable[[str], object]) -> None:
        """Start nothing new, wait for the running matches, say what is being waited for."""
        stopping = asyncio.ensure_future(self.director.stop())
        self.lobby.close()
        waited = ""
        while self.hall.matches or not stopping.done():
            count = len(self.hall.matches)
            text = f"waiting for {count} running match{'es' if count != 1 else ''} (Ctrl-C again stops at once)"
            if count and text != waited:
                say(text)
                waited = text
            empty = asyncio.ensure_future(self.hall.wait_empty())
            await asyncio.wait({stopping, empty}, timeout=1.0)
            empty.cancel()
        await self.practice.settle()

    async def stop(self) -> None:
        """Stop at once: running matches are interrupted and will be played again."""
        await self.director.abandon()
        if self.submissions is not None:
            await self.submissions.stop()
        if self._beat is not None:
            self._beat.cancel()
            await asyncio.gather(self._beat, return_exceptions=True)
        self.house_thread.close()

    def _void_practice(self) -> None:
        for match in self.store.matches.interrupted(None):
            self.store.matches.set_aside(match.id, MatchState.VOID, "the server was stopped")
