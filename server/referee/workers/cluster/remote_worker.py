"""A worker on another machine, seen from the host: whether it is ready, how many matches it gets, what it holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture
from referee.workers.cluster.pace import Pace
from referee.workers.cluster.results import Result


@dataclass(eq=False, slots=True)
class OpenMatch:
    """A match that has no result yet."""

    fixture: Fixture
    done: Callable[[Played | None], object]
    tries: int = 0
    """How often it was lost with its worker, or came to nothing there."""
    tries_in_vain: int = 0
    """The same since a match of this run has got a result …"""
    settled_then: int = 0
    """… of which there were so many at the last try."""
    voids: list[str] = field(default_factory=list)
    """The names of the workers on which it came to nothing."""
    broken_off: bool = False
    answers: list[tuple[RemoteWorker, Result]] = field(default_factory=list)
    """If it is played on several workers to be compared: who said what, the first first."""

    def was_played_by(self, worker: RemoteWorker) -> bool:
        """Whether it was played there and needs no second look of the same worker."""
        return worker.name in self.voids or any(one is worker for one, _ in self.answers)

    def is_new_to(self, worker: RemoteWorker) -> bool:
        return not self.was_played_by(worker)


class Held(NamedTuple):
    """A match that a worker was given, and when."""

    match: OpenMatch
    since: float


@dataclass(eq=False, slots=True)
class RemoteWorker:
    """One worker."""

    address: str
    name: str
    last_seen: float
    changed: float
    """When `last_seen` was last another, by our clock."""
    ready: bool = False
    unfit: str = ""
    """Why it cannot play this tournament."""
    room: int = 1
    """Matches that it plays at once."""
    cores: int = 1
    failures: int = 0
    pace: Pace = field(default_factory=lambda: Pace(1))
    hand: dict[str, Held] = field(default_factory=dict)
    """The matches that it was given and whose results are not taken yet."""
    playing: int = 0
    """How many of them it still plays, as it says itself: its results are read while it goes on."""
    reading: int = 0
    """Answers that are being read."""
    task: asyncio.Future[None] | None = None
    """The task that it has now: it brings matches and takes results home."""
    opening: asyncio.Future[None] | None = None
    proven: bool = False
    """Whether one of its results was compared with another worker's."""

    def holds(self, match: OpenMatch) -> bool:
        return match.fixture.id in self.hand

    def share(self, waiting: int, workers: int) -> int:
        """How many of the waiting matches it gets now, so that all workers have something to do until the end."""
        if not self.ready or self.task is not None:
            return 0
        # Half of its part: what is left goes to those who are quicker. A worker alone has nobody to leave it to.
        fair = -(-waiting // (2 * workers)) if workers > 1 else waiting
        return max(0, min(self.pace.level - self.playing, self.room - self.playing, max(fair, 1)))

    @property
    def is_waited_for(self) -> bool:
        """Whether it has matches of which it must still tell, and nobody asks."""
        return self.ready and self.task is None and bool(self.playing or (self.hand and not self.reading))
