"""The luck of a seat in a match, as a yardstick values it: what each card, roll or token changed.

The value of a position is the rank (and score) to be expected if the yardstick plays on. From one decision to the
next it changes by three things: the seat's own move, the visible moves of others, and the rest, which is luck: cards,
rolls, tokens, and what others did unseen. The parts are measured so that they add up: the value at the start, plus all
that was done, plus all luck, is the result. So the result without the luck is known as exactly as the differences
between moves, which are measured on the same deals, and not as badly as the values.

Luck has the mean zero whatever a seat does, so it can be taken off results to compare bots with fewer matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from referee.analysis.why.positions import Position, Setting, Valued, states_of, value_position
from referee.analysis.why.rollouts import Mean, RolloutResult, outcome_of
from referee.rules.record import Record, ReplayError

SURE = 1.96
"""A 95 % interval reaches so many standard errors to either side."""


@dataclass(frozen=True, slots=True)
class LuckOfStep:
    """What happened after one decision: ranks gained by it (above zero: lucky), and points."""

    number: int
    rank: Mean
    score: Mean


@dataclass(frozen=True, slots=True)
class LuckOfMatch:
    """All luck of a seat in a match. Ranks gained and points gained are above zero where it was lucky."""

    steps: tuple[LuckOfStep, ...]
    rank: float
    score: float
    expected: Valued
    """At the start, before anything was known."""
    adjusted: Valued
    """The result without the luck: what the moves made at this table lead to on average."""

    @property
    def rank_interval(self) -> tuple[float, float]:
        """The 95 % interval of the rank without luck."""
        reach = SURE * self.adjusted.rank.error
        return self.adjusted.rank.value - reach, self.adjusted.rank.value + reach

    @property
    def score_interval(self) -> tuple[float, float]:
        reach = SURE * self.adjusted.score.error
        return self.adjusted.score.value - reach, self.adjusted.score.value + reach


def luck_of_record(setting: Setting, record: Record) -> LuckOfMatch:
    """The luck of a seat in a finished match; the same setting and record give the same answer."""
    if record.result is None:
        raise ReplayError("the match has no result yet")
    valued = [
        value_position(setting, state, moves, number, every_move=False)
        for number, (state, moves) in enumerate(states_of(setting.yardstick, record))
    ]
    return luck_of(valued, outcome_of(setting.yardstick.game, record.result, setting.seat))


def luck_of(positions: Sequence[Position], end: RolloutResult) -> LuckOfMatch:
    """The luck of a match from the values of its positions and from how it ended."""
    steps = []
    for place, position in enumerate(positions):
        after = positions[place + 1].value if place + 1 < len(positions) else None
        rank = after.rank if after else Mean(end.rank, 0.0)
        score = after.score if after else Mean(end.score, 0.0)
        before = _sum([position.value, position.own, position.others])
        steps.append(
            LuckOfStep(
                position.number,
                Mean(before.rank.value - rank.value, _error([before.rank, rank])),
                Mean(score.value - before.score.value, _error([before.score, score])),
            )
        )
    adjusted = _sum([positions[0].value, *(part for one in positions for part in (one.own, one.others))])
    return LuckOfMatch(
        tuple(steps),
        adjusted.rank.value - end.rank,
        end.score - adjusted.score.value,
        positions[0].value,
        adjusted,
    )


def _sum(parts: Sequence[Valued]) -> Valued:
    return Valued(
        Mean(sum(part.rank.value for part in parts), _error([part.rank for part in parts])),
        Mean(sum(part.score.value for part in parts), _error([part.score for part in parts])),
    )


def _error(means: Sequence[Mean]) -> float:
    """The standard error of a sum."""
    return sqrt(sum(mean.error**2 for mean in means))
