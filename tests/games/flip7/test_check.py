"""Why moves are refused, and what is played for a seat that does not answer."""

from __future__ import annotations

from collections.abc import Callable

from referee.games.flip7.moves import HIT, STAY
from referee.games.flip7.state import Flip7State

Laid = Callable[..., Flip7State]


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
