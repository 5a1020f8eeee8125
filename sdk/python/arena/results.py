"""How a match ended, as the protocol's message and in the lower-case words that texts use: `timeout`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from arena import views
from arena.decision import Match
from arena.v1.result_pb2 import MatchResult, Termination

PREFIX = "TERMINATION_"
WORDS: dict[int, str] = {number: name.removeprefix(PREFIX).lower() for name, number in Termination.items()}
NUMBERS = {word: Termination.ValueType(number) for number, word in WORDS.items() if number}


def word(termination: int) -> str:
    """The word for a termination; `unspecified` for one that this version does not know."""
    return WORDS.get(termination, WORDS[0])


def words(result: MatchResult) -> list[str]:
    """By seat: how it came to the end."""
    return [word(termination) for termination in result.terminations]


def message(
    ranks: Iterable[int], scores: Iterable[int], terminations: Iterable[str], texts: Sequence[str], reason: str
) -> MatchResult:
    """The result as a message; `terminations` in words."""
    return MatchResult(
        ranks=ranks, scores=scores, terminations=[NUMBERS[how] for how in terminations], texts=texts, reason=reason
    )


@dataclass(frozen=True, slots=True)
class Result:
    """How a match ended, as a bot's `end` hears it; by seat where there are several values."""

    match: Match
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    terminations: tuple[str, ...]
    """How each seat came to the end, in words such as `finished` and `timeout`."""
    texts: tuple[str, ...]
    reason: str
    seed: str
    """With it anybody can replay the match."""
    view_bytes: bytes = field(default=b"", repr=False)

    @classmethod
    def from_end(cls, match: Match, end: Any) -> Result:
        """From the protocol's MatchEnd."""
        told = end.result
        return cls(
            match,
            tuple(told.ranks),
            tuple(told.scores),
            tuple(words(told)),
            tuple(told.texts),
            told.reason,
            end.seed,
            end.view,
        )

    @property
    def rank(self) -> int:
        """This bot's own rank; 1 is the best."""
        return self.ranks[self.match.seat]

    @property
    def score(self) -> int:
        """This bot's own score."""
        return self.scores[self.match.seat]

    @property
    def view(self) -> Any:
        """This seat's final view; None if the match was broken off."""
        if not self.view_bytes:
            return None
        return views.read(self.match.view_type, self.view_bytes, self.match.view_descriptor)


@dataclass(slots=True)
class Tally:
    """How the matches of a bot went, in sum."""

    matches: int = 0
    ranks: int = 0
    first: int = 0

    def add(self, rank: int) -> None:
        self.matches += 1
        self.ranks += rank
        self.first += rank == 1

    def sentence(self, errors: int) -> str:
        mean = f"{self.ranks / self.matches:.2f}"
        return f"{self.matches} matches: mean rank {mean}, {self.first} first, {errors} resigned by errors"
