"""Which workers are believed, and what came from which: known as long as a run goes on.

A database that is away for a while ends the venue of a run, and another one goes on when it is back. A worker that was
set aside must not be believed again for that, and what came from it must still be purged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Purge(NamedTuple):
    """Results that do not count any more, and why."""

    matches: list[str]
    """Those that are replaced are taken out."""
    why: str


@dataclass(slots=True)
class Trust:
    """What a run knows about its workers, by name."""

    aside: dict[str, str] = field(default_factory=dict)
    """Those that are not believed any more, and why."""
    accepted: dict[str, list[str]] = field(default_factory=dict)
    """The matches whose results were taken from each."""
    purges: list[Purge] = field(default_factory=list)
    """What is to be purged, and is not yet."""

    def withdraw(self, worker: str, why: str) -> Purge | None:
        """Believe a worker no more; returns what came from it, if anything did."""
        self.aside[worker] = why
        matches = self.accepted.pop(worker, [])
        if not matches:
            return None
        purge = Purge(matches, f"played by the worker {worker}, which is not believed: {why}")
        self.purges.append(purge)
        return purge
