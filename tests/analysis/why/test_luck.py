"""Luck: it adds up with what was done to the result, and is the same whether moves are listed or not."""

from __future__ import annotations

import pytest

from referee.analysis.replay.recorded import RecordedMatch
from referee.analysis.why import Setting, Yardstick, luck_of_record
from referee.analysis.why.luck import luck_of
from referee.analysis.why.positions import NOTHING, Position, Valued
from referee.analysis.why.rollouts import Mean, RolloutResult
from referee.rules.record import ReplayError


def valued(rank: float, score: float, error: float = 0.0) -> Valued:
    return Valued(Mean(rank, error), Mean(score, error))


def position(number: int, value: Valued, own: Valued = NOTHING, others: Valued = NOTHING) -> Position:
    return Position(number, value, (), "", 0, "", own, others, 1)


def test_luck_is_what_neither_the_own_move_nor_those_of_others_explain() -> None:
    luck = luck_of(
        [
            position(0, valued(2.5, 10), own=valued(0.5, -4)),  # a blunder: expected now 3.0 and 6
            position(1, valued(2.0, 12), others=valued(-0.25, 1)),  # a good card, then others err: 1.75 and 13
        ],
        RolloutResult(1.0, 20.0, 3.0, 3.0, 20.0),
    )
    assert [(step.rank.value, step.score.value) for step in luck.steps] == [(1.0, 6.0), (0.75, 7.0)]
    assert (luck.rank, luck.score) == (1.75, 13.0)
    assert (luck.adjusted.rank.value, luck.adjusted.score.value) == (2.75, 7.0)


def test_the_interval_of_the_result_without_luck_comes_from_the_start_and_from_what_was_done() -> None:
    luck = luck_of([position(0, valued(2.0, 0, 0.3), own=valued(0.0, 0, 0.4))], RolloutResult(1.0, 1.0, 1.0, 1.0, 1.0))
    low, high = luck.rank_interval
    assert (high - low) / 2 == pytest.approx(1.96 * 0.5)


def test_luck_of_a_record_adds_up_and_can_be_repeated(short_match: RecordedMatch) -> None:
    setting = Setting(Yardstick.of(short_match.game), 1, 8, 5)
    luck = luck_of_record(setting, short_match.record)
    result = short_match.record.result
    assert result is not None
    assert sum(step.rank.value for step in luck.steps) == pytest.approx(luck.rank)
    assert luck.adjusted.rank.value - luck.rank == pytest.approx(result.ranks[1])
    assert luck.adjusted.score.value + luck.score == pytest.approx(result.scores[1])
    assert luck == luck_of_record(Setting(Yardstick.of(short_match.game), 1, 8, 5), short_match.record)


def test_a_match_without_a_result_has_no_luck(short_match: RecordedMatch) -> None:
    from dataclasses import replace

    with pytest.raises(ReplayError, match="no result yet"):
        luck_of_record(
            Setting(Yardstick.of(short_match.game), 0, 4, 0), replace(short_match.record, result=None, moves=())
        )
