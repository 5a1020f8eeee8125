"""What can be played: seats, options, scripted outcomes, and the bound."""

from __future__ import annotations

import pytest

from referee.games.flip7 import GAME
from referee.rules.chance import Impossible, Scripted
from referee.rules.game import WrongUse


def test_the_bound_counts_hits_targets_and_stays_of_all_rounds() -> None:
    assert GAME.bound(3, {}) == 300 * (11 * (94 + 9) + 1 + 3)
    assert GAME.bound(19, {}) == 300 * (11 * 2 * (94 + 9) + 1 + 19)


@pytest.mark.parametrize("value", [0, 10_001, "200", True, 2.5])
def test_target_score_is_a_whole_number_from_1_to_10000(value: object) -> None:
    with pytest.raises(WrongUse, match="must be a whole number from 1 to 10000"):
        GAME.start(3, {"target_score": value})


@pytest.mark.parametrize("players", [2, 37])
def test_a_table_seats_3_to_36(players: int) -> None:
    with pytest.raises(WrongUse, match="3 to 36"):
        GAME.start(players)


@pytest.mark.parametrize("script", [{"dealer": [3]}, {"dealer": ["0"]}, {"dealer": [True]}, {"deck": ["1", "1"]}])
def test_an_impossible_outcome_is_refused(script: dict[str, list[object]]) -> None:
    with pytest.raises(Impossible):
        GAME.start(3, chance=Scripted(script, GAME.labels))


def test_rules_are_beside_the_game() -> None:
    assert GAME.rules().startswith("# Flip 7")
