"""Why moves are refused, and what is played for a seat that does not answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from tests.games.stop_me_go.conftest import Midgame, NewMatch

players = st.integers(2, 6)
seeds = st.integers(0, 10**6)


@settings(max_examples=60, deadline=None)
@given(players=players, seed=seeds, decisions=st.integers(0, 80))
def test_go_can_always_be_played_and_is_the_fallback(midgame: Midgame, players: int, seed: int, decisions: int) -> None:
    state = midgame(players, seed, decisions)
    for seat in state.pending():
        assert state.fallback(seat) == "go"
        assert state.check(seat, "go") is None
        assert state.hand(seat)[0] >= 1


@settings(max_examples=60, deadline=None)
@given(players=players, seed=seeds, decisions=st.integers(0, 80))
def test_every_agent_is_asked_every_time_and_check_agrees_with_the_list(
    midgame: Midgame, players: int, seed: int, decisions: int
) -> None:
    state = midgame(players, seed, decisions)
    over = state.result() is not None
    assert state.pending() == (() if over else tuple(range(players)))
    for seat in range(players):
        moves = state.legal(seat).moves
        for move in ("go", "stop"):
            assert (state.check(seat, move) is None) == (move in moves)
    assert state.legal(players).moves == ()


def test_a_stop_on_the_table_is_refused_with_a_code_of_its_own(new_match: NewMatch) -> None:
    match = new_match(2)
    match.put("sg")
    rejection = match.state.check(0, "stop")
    assert rejection is not None
    assert rejection.code == "stop_not_in_hand"
    assert match.state.check(1, "stop") is None
