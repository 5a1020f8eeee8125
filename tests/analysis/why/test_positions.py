"""Values of moves: the best move of a position made by hand is found, from what the seat could know alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from referee.analysis.why import Setting, Yardstick
from referee.analysis.why.positions import MOST_TRIED, Position, value_position
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import State, seed_bytes
from referee.rules.playout import random_chooser

from .positions_by_hand import complete_the_column, raise_to_win, the_last_chance_of_a_round, win_or_be_bust


def valued(state: State[Any], game: str, seat: int = 0, rollouts: int = 24, seed: int = 0, **how: bool) -> Position:
    setting = Setting(Yardstick.of(registry.find(game)), seat, rollouts, seed)
    return value_position(setting, state, {one: state.fallback(one) for one in state.pending()}, 0, **how)


@pytest.mark.parametrize(
    ("game", "make", "best"),
    [
        ("flip7", win_or_be_bust, "stay"),
        ("encore", complete_the_column, "1"),
        ("stop_me_go", the_last_chance_of_a_round, "stop"),
        ("stop", raise_to_win, "raise 0 4"),
    ],
)
def test_the_best_move_of_a_position_made_by_hand_is_found(
    game: str, make: Callable[[], State[Any]], best: str
) -> None:
    state = make()
    position = valued(state, game)
    first, *rest = position.choices
    assert best in first.move
    assert rest
    worst = max(choice.cost.value for choice in rest)
    assert worst > 0.05
    assert position.legal == len(state.legal(0).moves)


def middle(name: str, players: int, decisions: int) -> State[Any]:
    """A position in the middle of a random match in which seat 0 has a choice."""
    state = registry.find(name).start(players, seed=seed_bytes(3))
    choosers = [random_chooser(b"middle", seat) for seat in range(players)]
    while state.pending():
        decisions -= 1
        if decisions < 0 and 0 in state.pending() and len(state.legal(0).moves) > 1:
            return state
        state.play({seat: choosers[seat](state, seat) for seat in state.pending()})
    raise AssertionError("the match was too short")


@pytest.mark.parametrize(("name", "decisions"), [("flip7", 20), ("stop_me_go", 5), ("stop", 12)])
def test_what_the_seat_cannot_know_makes_no_difference(name: str, decisions: int) -> None:
    state = middle(name, 3, decisions)
    first, second = (
        valued(state.redealt(0, Seeded(bytes([number]))), name, rollouts=6, every_move=True) for number in range(2)
    )
    assert first.choices == second.choices
    assert first.value == second.value


def test_the_same_seed_gives_the_same_answer_and_another_seed_another() -> None:
    state = middle("stop_me_go", 3, 4)
    assert valued(state, "stop_me_go") == valued(state, "stop_me_go")
    assert valued(state, "stop_me_go") != valued(state, "stop_me_go", seed=1)


def test_of_very_many_moves_some_are_tried_and_the_one_that_was_made_is_among_them() -> None:
    states = (middle("encore", 1, decisions) for decisions in range(25))
    state = next(state for state in states if len(state.legal(0).moves) > 2 * MOST_TRIED)
    position = valued(state, "encore", rollouts=4)
    assert len(position.choices) <= MOST_TRIED + 10
    assert position.legal > 2 * MOST_TRIED
    assert {position.played, position.yardstick} <= {choice.move for choice in position.choices}
    assert max(choice.rollouts for choice in position.choices) == 4


def test_a_seat_that_is_not_asked_has_a_value_and_no_choices() -> None:
    state = registry.find("flip7").start(3, seed=b"other")
    other = next(seat for seat in range(3) if seat not in state.pending())
    position = valued(state, "flip7", seat=other, rollouts=4)
    assert position.choices == ()
    assert position.played == ""
    assert 1 <= position.value.rank.value <= 3
