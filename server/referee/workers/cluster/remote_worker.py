"""A worker on another machine, seen from the host: whether it is ready, how many matches it gets, what it holds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture
from referee.workers.cluster.pace import Pace
from referee.workers.cluster.results import Result

IN_FLIGHT = 2
"""Tasks that a worker has at once: while one comes home, the other is played."""


@dataclass(eq=False, slots=True)
class OpenMatch:
    """A match that has no result yet."""

    fixture: Fixture
    done: Callable[[Played | None], object]
    tries: int = 0
    voids: int = 0
    broken_off: bool = False
    answers: list[tuple[RemoteWorker, Result]] = field(default_factory=list)
    """If it is played on several workers to be compared: who said what, the first first."""


@dataclass(eq=False, slots=True)
class Batch:
    """Matches in one task."""

    matches: list[OpenMatch]
    waiting: asyncio.Future[None] | None = None


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
    batches: set[Batch] = field(default_factory=set)
    opening: asyncio.Future[None] | None = None
    proven: bool = False
    """Whether one of its results was compared with another worker's."""

    @property
    def in_hand(self) -> int:
        return sum(len(batch.matches) for batch in self.batches)

    def holds(self, match: OpenMatch) -> bool:
        return any(match in batch.matches for batch in self.batches)

    def share(self, waiting: int, workers: int) -> int:
        """How many of the waiting matches it gets now, so that all workers have something to do until the end."""
        if not self.ready or len(self.batches) >= IN_FLIGHT:
            return 0
        fair = -(-waiting // max(1, workers * IN_FLIGHT))
        return max(0, min(self.pace.size, self.room - self.in_hand, max(fair, 1)))
