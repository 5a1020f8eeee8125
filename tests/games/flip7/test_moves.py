"""How moves are written, and why they are refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games.flip7 import GAME
from referee.games.flip7.moves import HIT, MOST_PLAYERS, STAY, format_move, parse
from referee.games.flip7.state import Flip7State
from referee.rules.game import Unreadable

Laid = Callable[..., Flip7State]


@given(st.integers(STAY, MOST_PLAYERS - 1))
def test_every_move_is_read_back_from_its_text(move: int) -> None:
    assert parse(format_move(move)) == move


@pytest.mark.parametrize("text", ["  hit", "hit ", " stay  ", "target   3", "  target 3 "])
def test_more_spaces_than_needed_do_not_matter(text: str) -> None:
    assert format_move(parse(text)) == " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "Hit", "STAY", "hit stay", "hit 1", "t 1"),
        *("target", "target x", "target 01", "target -1", "target +1", "target 1 2", "target 1.0", "target ١"),
        *("target1", "target: 1", "targets 1", "target " + "9" * 5000),
    ],
)
def test_anything_else_is_unreadable_and_the_reason_says_how_moves_are_written(text: str) -> None:
    with pytest.raises(Unreadable, match="a move is 'hit', 'stay' or 'target SEAT'") as refused:
        parse(text)
    assert len(str(refused.value)) < 120


def refused(state: Flip7State, seat: int, text: str) -> str:
    rejection = state.check(seat, state.parse(text))
    assert rejection is not None
    assert rejection.message
    return rejection.code


def test_each_refusal_has_its_code(laid: Laid) -> None:
    state = laid("SC SC 5 SC")
    assert refused(state, 1, "hit") == "not_asked"
    assert refused(state, 0, "target 1") == "no_target_wanted"
    for seat in range(3):
        state.play({seat: HIT})
    state.play({0: HIT})
    assert refused(state, 0, "hit") == "target_wanted"
    assert refused(state, 0, "stay") == "target_wanted"
    assert refused(state, 0, "target 0") == "target_has_second_chance"
    assert refused(state, 0, "target 1") == "target_has_second_chance"
    assert refused(state, 0, "target 3") == "no_such_seat"
    assert refused(state, 0, "target 999999999") == "no_such_seat"
    assert refused(state, 2, "target 2") == "not_asked"
    assert state.check(0, 2) is None


def test_a_target_must_be_in_the_round(laid: Laid) -> None:
    state = laid("S")
    state.play({0: STAY})
    state.play({1: HIT})
    assert refused(state, 1, "target 0") == "target_out_of_round"
    assert state.check(1, 2) is None


def test_by_the_later_answers_a_stay_needs_a_card(laid: Laid) -> None:
    state = laid("5", faq=True)
    assert refused(state, 0, "stay") == "stay_without_card"
    assert state.legal(0).moves == (HIT,)
    assert state.fallback(0) == HIT
    state.play({0: HIT})
    state.hands[1].append(21)
    assert state.check(1, STAY) is None
    assert state.fallback(1) == STAY


def test_the_fallback_names_oneself_or_else_the_first_possible_seat_clockwise(laid: Laid) -> None:
    state = laid("S", players=5)
    state.play({0: HIT})
    assert state.fallback(0) == 0
    state = laid("9 T S 9", players=5)
    for seat, move in ((0, STAY), (1, STAY), (2, STAY), (3, HIT), (4, HIT), (4, 3)):
        state.play({seat: move})
    assert state.pending() == (3,), "busted by the Three, seat 3 has a Stop to assign"
    assert state.legal(3).moves == (4,)
    assert state.fallback(3) == 4
    state = laid("8 9 T S 9", players=5)
    for seat, move in ((0, HIT), (1, HIT), (2, STAY), (3, STAY), (4, HIT), (4, 1)):
        state.play({seat: move})
    assert state.legal(1).moves == (0, 4)
    assert state.fallback(1) == 4, "clockwise from seat 1, seat 4 comes before seat 0"


def test_nobody_is_asked_and_nothing_is_legal_once_it_is_over() -> None:
    state = GAME.start(3, {"target_score": 1})
    while state.result() is None:
        [seat] = state.pending()
        state.play({seat: state.legal(seat).moves[0]})
    assert state.pending() == ()
    assert [state.legal(seat).moves for seat in range(3)] == [()] * 3
    rejection = state.check(0, HIT)
    assert rejection is not None
    assert rejection.code == "not_asked"
