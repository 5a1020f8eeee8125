"""A match explained: the same for any number of processes, the costliest decisions first, plain JSON values."""

from __future__ import annotations

import json

import pytest

from referee.analysis.replay.recorded import RecordedMatch
from referee.analysis.why import Setting, Yardstick, explain, habits
from referee.rules.game import WrongUse

from .planting import is_found, planted_matches


def setting(match: RecordedMatch, seat: int = 0) -> Setting:
    return Setting(Yardstick.of(match.game), seat, 6, 0)


def test_two_processes_give_the_same_answer_as_one(short_match: RecordedMatch) -> None:
    heard: list[tuple[int, int]] = []
    alone = explain(short_match, setting(short_match), 1, lambda done, of: heard.append((done, of)))
    together = explain(short_match, setting(short_match), 2)
    assert json.dumps(alone.to_value()) == json.dumps(together.to_value())
    assert heard == [(number + 1, short_match.decisions) for number in range(short_match.decisions)]


def test_the_value_says_yardstick_rollouts_and_seed_and_every_decision(short_match: RecordedMatch) -> None:
    why = explain(short_match, setting(short_match, 2), 1)
    value = why.to_value()
    assert (value["yardstick"], value["rollouts"], value["seed"], value["seat"]) == ("patient", 6, 0, 2)
    assert len(value["steps"]) == short_match.decisions
    assert [one["decision"] for one in value["decisions"]] == [one.number for one in why.decisions()]
    for one in value["decisions"]:
        assert {move["move"] for move in one["moves"]} == {"go", "stop"}
        assert one["played"] in ("go", "stop")
    weights = [one.weight for one in why.costly()]
    assert weights == sorted(weights, reverse=True)
    for one in why.costliest():
        assert why.board(one.number)
        assert "was better" in one.sentence()


def test_an_unknown_seat_is_refused(short_match: RecordedMatch) -> None:
    with pytest.raises(WrongUse, match="there is no seat 3: the match has the seats 0 to 2"):
        explain(short_match, setting(short_match, 3), 1)


def test_a_planted_blunder_is_among_the_three_that_cost_most() -> None:
    """One match; the next test counts over many, and `planting.py` run as a script tells them one by one."""
    [planted] = planted_matches("flip7", 1)
    assert is_found(planted, rollouts=16)


@pytest.mark.soak
@pytest.mark.parametrize(("game", "rollouts"), [("flip7", 48), ("encore", 12), ("stop_me_go", 96), ("stop", 48)])
def test_nine_of_ten_planted_blunders_are_among_the_three_that_cost_most(game: str, rollouts: int) -> None:
    found = [is_found(planted, rollouts) for planted in planted_matches(game, 10)]
    assert sum(found) >= 9, found


def test_habits_sum_costs_by_kind_of_decision_and_luck_over_matches(short_match: RecordedMatch) -> None:
    matches = [explain(short_match, setting(short_match, seat), 1) for seat in (0, 1)]
    summed = habits("somebody", matches)
    assert [habit.kind for habit in summed.kinds] == ["go or stop"]
    assert summed.kinds[0].decisions == sum(len(one.decisions()) for one in matches)
    assert summed.luck_rank == pytest.approx(sum(one.luck.rank for one in matches))
    assert summed.mean_rank + summed.luck_rank / 2 == pytest.approx(summed.rank_without_luck)
    assert json.dumps(summed.to_value())
