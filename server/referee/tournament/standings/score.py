"""The result of a match as standings take it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from referee.match.result import Termination
from referee_leaderboard.standings import Outcome

_FINISHED = Termination.FINISHED.word


@dataclass(frozen=True, slots=True)
class Score:
    """One result, as far as standings go; everything by seat. `faults` are empty texts where the seat finished."""

    ordinal: int
    match: str
    round: int
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    faults: tuple[str, ...]
    reason: str = "finished"
    versions: tuple[int | None, ...] = ()
    """Of submitted bots; empty if none played."""

    @classmethod
    def of(
        cls,
        tournament: str,
        ordinal: int,
        round: int,
        bots: tuple[str, ...],
        ranks: tuple[int, ...],
        scores: tuple[int, ...],
        words: Iterable[str | None],
        reason: str,
        versions: tuple[int | None, ...] = (),
    ) -> Score:
        """The result of a match of this tournament; `words` tell how each seat ended."""
        faults = tuple(["" if word in (None, _FINISHED) else word for word in words])
        submitted = versions if any(version is not None for version in versions) else ()
        return cls(ordinal, f"{tournament}/{ordinal}", round, bots, ranks, scores, faults, reason, submitted)


def outcome(score: Score) -> Outcome:
    """A result as it is shown among the latest."""
    return Outcome(score.match, score.round, score.bots, score.ranks, score.scores, score.reason, score.faults)
