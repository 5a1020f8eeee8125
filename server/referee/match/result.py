"""How a match ended: for the game, for every seat, and for the table of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from referee.rules.game import Result, Seat


class Termination(Enum):
    """How a seat came to the end of a match; all but FINISHED are its own doing, or (VOID) nobody's."""

    FINISHED = "finished"
    ILLEGAL = "illegal"
    TIMEOUT = "timeout"
    DISCONNECT = "disconnect"
    CRASH = "crash"
    FLOOD = "flood"
    RESIGNED = "resigned"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A seat that will not play on: why, in a word and a sentence, and after how many decisions of the match."""

    termination: Termination
    text: str
    after: int


@dataclass(frozen=True, slots=True)
class Ending:
    """The final word on a match."""

    ranks: tuple[int, ...]
    """By seat; whoever finished is above whoever forfeited, and of those the later one is higher."""
    scores: tuple[int, ...]
    terminations: tuple[Termination, ...]
    texts: tuple[str, ...]
    """By seat: a sentence where it did not finish, else empty."""
    reason: str
    """The game's word for how it ended; `void` if the match was broken off."""

    @property
    def void(self) -> bool:
        return self.reason == "void"


def judge(result: Result, forfeits: Mapping[Seat, Forfeit]) -> Ending:
    """The final ranks from the game's ranks and the forfeits."""
    seats = range(len(result.ranks))

    def place(seat: Seat) -> tuple[int, int]:
        forfeit = forfeits.get(seat)
        return (1, -result.ranks[seat]) if forfeit is None else (0, forfeit.after)

    places = [place(seat) for seat in seats]
    return Ending(
        tuple([1 + sum(other > own for other in places) for own in places]),
        result.scores,
        tuple([forfeits[seat].termination if seat in forfeits else Termination.FINISHED for seat in seats]),
        tuple([forfeits[seat].text if seat in forfeits else "" for seat in seats]),
        result.reason,
    )


def void(scores: Sequence[int], text: str) -> Ending:
    """A match that was broken off by the referee: nobody's fault, no result."""
    players = len(scores)
    return Ending((1,) * players, tuple(scores), (Termination.VOID,) * players, (text,) * players, "void")
