"""What connected bots are asked and told in a draw of nonces."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a worker loads this module, and never the database
    from referee.store import DrawnNonce


class NonceStep(Enum):
    """The steps of a draw, in this order."""

    COMMIT = auto()
    REVEAL = auto()
    FIXED = auto()


@dataclass(frozen=True, slots=True)
class NonceCall:
    """One step of a draw, as every bot that takes part hears it."""

    tournament: str
    draw: int
    step: NonceStep
    root_commitment: str
    schedule_digest: str = ""
    entrants: tuple[DrawnNonce, ...] = ()
    first: int = 0
