"""How a match ended: for the game, for every seat, and as a JSON value.

`Ending.to_value` and `Ending.from_value` are the only codec of an ending: records, workers and JSON lines use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

from referee.rules.game import Result, Seat


class Termination(Enum):
    """How a seat came to the end of a match; all but FINISHED are its own doing, or (VOID) no seat's.

    Every text that leaves the program spells it as its lower-case `word`; messages of the protocol have an enum.
    """

    FINISHED = "finished"
    ILLEGAL = "illegal"
    TIMEOUT = "timeout"
    DISCONNECT = "disconnect"
    CRASH = "crash"
    FLOOD = "flood"
    RESIGNED = "resigned"
    VOID = "void"

    @property
    def word(self) -> str:
        """As records, exports, JSON lines and the store spell it: `timeout`."""
        return self._value_

    @classmethod
    def of_word(cls, word: str) -> Termination:
        """The one that is spelt so in a record; ValueError if there is none."""
        try:
            return _BY_WORD[word]
        except KeyError:
            raise ValueError(f"{word!r} is not a way to end a match") from None


_BY_WORD = {one.word: one for one in Termination}


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
    """By seat; seats that finished are above those that forfeited, and of these the later one is higher."""
    scores: tuple[int, ...]
    terminations: tuple[Termination, ...]
    texts: tuple[str, ...]
    """By seat: a sentence where it did not finish, else empty."""
    reason: str
    """The game's word for how it ended; `void` if the match was broken off."""

    @property
    def void(self) -> bool:
        return self.reason == "void"

    @property
    def words(self) -> tuple[str, ...]:
        """By seat: how it ended, in a word."""
        return tuple([termination.word for termination in self.terminations])

    def to_value(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "ranks": list(self.ranks),
            "scores": list(self.scores),
            "terminations": list(self.words),
            "texts": list(self.texts),
            "reason": self.reason,
        }

    @classmethod
    def from_value(cls, value: Mapping[str, Any]) -> Ending:
        """Read what `to_value` wrote, among whatever else is there; KeyError, TypeError or ValueError if it is not."""
        return cls(
            tuple(value["ranks"]),
            tuple(value["scores"]),
            tuple([Termination.of_word(word) for word in value["terminations"]]),
            tuple(value["texts"]),
            value["reason"],
        )


def judge(result: Result, forfeits: Mapping[Seat, Forfeit]) -> Ending:
    """The final ranks from the game's ranks and the forfeits."""
    if not forfeits:
        return _all_finished(result)
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


def _all_finished(result: Result) -> Ending:
    players = len(result.ranks)
    return Ending(
        _placed(result.ranks), result.scores, (Termination.FINISHED,) * players, ("",) * players, result.reason
    )


@lru_cache(1024)
def _placed(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """Ranks as places: 1 + the number of seats with a lower one, whatever numbers a game has given them."""
    return tuple([1 + sum(other < own for other in ranks) for own in ranks])


def void(scores: Sequence[int], text: str) -> Ending:
    """A match that was broken off by the referee: no bot's fault, no result."""
    players = len(scores)
    return Ending((1,) * players, tuple(scores), (Termination.VOID,) * players, (text,) * players, "void")
