"""Games with one seat at a time: what follows from whose turn it is, its moves, and making one."""

from __future__ import annotations

from matchsticks.game import MatchsticksState
from referee.rules.game import NOT_ASKED


def test_only_the_seat_whose_turn_it_is_is_asked_and_has_moves() -> None:
    state = MatchsticksState(5)
    assert (state.pending(), state.legal(0).moves, state.legal(1).moves) == ((0,), (1, 2, 3), ())
    state.play({0: 2})
    assert (state.pending(), state.legal(0).moves, state.legal(1).moves) == ((1,), (), (1, 2, 3))


def test_a_move_is_checked_against_the_moves_there_are() -> None:
    state = MatchsticksState(2)
    assert state.check(0, 2) is None
    assert state.check(1, 2) is NOT_ASKED
    refused = state.check(0, 3)
    assert refused is not None
    assert (refused.code, refused.message) == ("too_many", "there are only 2 sticks left")


def test_unless_said_otherwise_the_fallback_is_the_first_move() -> None:
    assert MatchsticksState(9).fallback(0) == 1


def test_nobody_is_asked_once_it_is_over() -> None:
    state = MatchsticksState(1)
    state.play({0: 1})
    assert (state.turn(), state.pending(), state.legal(0).moves) == (None, (), ())
    assert state.check(0, 1) is NOT_ASKED
