"""Room for workers on this machine: how many processes, bots and matches at once, from its cores and its memory."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from referee.hosting.admission.capacity import WorkerShare
    from referee.hosting.bot.spec import BotSpec

PER_WORKER = 256
"""Matches at once per worker: many, so that a message carries many questions."""


class Room(NamedTuple):
    """What fits on this machine: the workers with their bots, and how many matches at once."""

    share: WorkerShare
    matches: int

    @property
    def per_bot(self) -> int:
        """Matches that one bot process plays at once."""
        return max(1, min(PER_WORKER, self.matches))


def room_for(
    bots: Sequence[BotSpec], seats: int, *, workers: int | None, concurrency: int | None, fresh: bool = False
) -> Room:
    """How these bots are spread over this machine; `workers` and `concurrency` are what the person allows at most."""
    from referee.hosting.admission.capacity import cores_at_hand, of_this_machine, share_out
    from referee.hosting.bot.spec import Kind

    cores = workers or cores_at_hand()
    if concurrency is not None:
        cores = min(cores, concurrency)
    hosted = [bot for bot in bots if bot.kind is not Kind.HOUSE]
    fits = of_this_machine((bot.memory for bot in hosted), fresh=fresh)
    share = share_out(fits, cores, len(hosted), seats, fresh=fresh, matches=concurrency)
    return Room(share, min(concurrency or share.workers * PER_WORKER, share.matches or sys.maxsize))
