"""The verbs of a state that scenarios do not reach: copies, and the end of a match."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.flip7 import GAME
from referee.games.flip7.moves import HIT
from referee.games.flip7.state import Flip7State
from referee.rules.chance import Seeded


def step(state: Flip7State, choices: list[int], turn: int) -> None:
    [seat] = state.pending()
    moves = state.legal(seat).moves
    state.play({seat: moves[choices[turn % len(choices)] % len(moves)]})


@settings(max_examples=25, deadline=None)
@given(
    players=st.sampled_from([3, 4, 6, 18, 19, 36]),
    rules=st.sampled_from(["printed", "faq"]),
    seed=st.binary(max_size=4),
    choices=st.lists(st.integers(0, 35), min_size=1, max_size=40),
)
def test_a_copy_plays_the_same_future_and_leaves_the_original_alone(
    players: int, rules: str, seed: bytes, choices: list[int]
) -> None:
    state = GAME.new(players, GAME.resolve_options({"rules": rules, "target_score": 120}), Seeded(seed))
    for turn in range(15):
        if state.pending():
            step(state, choices, turn)
    before = state.view(None)
    twin = state.copy()
    seen = []
    for turn in range(60):
        if twin.pending():
            step(twin, choices, turn)
            seen.append(twin.view(0).SerializeToString(deterministic=True))
    assert state.view(None) == before
    for turn, view in enumerate(seen):
        step(state, choices, turn)
        assert state.view(0).SerializeToString(deterministic=True) == view


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
