"""The verbs of a state that scenarios do not reach: copies, pieces, the deal."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.stop_me_go import GAME
from referee.games.stop_me_go.state import StopMeGoState
from referee.rules.chance import Extreme

if TYPE_CHECKING:
    from tests.games.stop_me_go.conftest import Midgame

players = st.integers(2, 6)
seeds = st.integers(0, 10**6)


@settings(max_examples=40, deadline=None)
@given(players=players, seed=seeds, decisions=st.integers(0, 80), luck=seeds)
def test_a_copy_lives_its_own_life_with_the_same_future(
    midgame: Midgame, players: int, seed: int, decisions: int, luck: int
) -> None:
    state = midgame(players, seed, decisions)
    before = [state.view(seat).SerializeToString() for seat in (*range(players), None)]
    hidden = (state.pile.copy(), state.stops.copy(), state.rewards, state.pieces())
    first, second = state.copy(), state.copy()
    for twin in (first, second):
        dice = Random(luck)
        while asked := twin.pending():
            twin.play({seat: dice.choice(twin.legal(seat).moves) for seat in asked})
    assert first.result() == second.result()
    assert first.view(None) == second.view(None)
    assert [state.view(seat).SerializeToString() for seat in (*range(players), None)] == before
    assert (state.pile, state.stops, state.rewards, state.pieces()) == hidden


@settings(max_examples=60, deadline=None)
@given(players=players, seed=seeds, decisions=st.integers(0, 200))
def test_no_piece_is_lost_or_doubled(midgame: Midgame, players: int, seed: int, decisions: int) -> None:
    pieces = midgame(players, seed, decisions).pieces()
    assert {name: count for name, count in pieces.items() if name.startswith("gangster")} == {
        f"gangster {number}": 1 for number in range(1, 11)
    }
    for seat in range(players):
        assert (pieces[f"go of {seat}"], pieces[f"stop of {seat}"]) == (4, 1)
    assert [pieces[f"token {worth}"] for worth in range(4)] == [2, 3, 3, 2]
    assert pieces["tokens in play"] == players + 2


@pytest.mark.parametrize("most", [False, True])
@pytest.mark.parametrize("players", [2, 6])
def test_a_match_ends_under_extreme_chance(players: int, most: bool) -> None:
    state = GAME.start(players, chance=Extreme(most))
    dice = Random(players)
    for _ in range(GAME.bound(players, GAME.resolve_options())):
        if not state.pending():
            break
        state.play({seat: dice.choice(state.legal(seat).moves) for seat in state.pending()})
    assert state.result() is not None


def test_the_deal_depends_on_the_seed_alone() -> None:
    bold, shy = GAME.start(2, seed=b"same"), GAME.start(2, seed=b"same")
    assert isinstance(bold, StopMeGoState)
    assert isinstance(shy, StopMeGoState)
    assert (bold.pile, bold.rewards) == (shy.pile, shy.rewards)
    for cards in ("sg", "gg", "gg", "gg"):
        bold.play({seat: "stop" if card == "s" else "go" for seat, card in enumerate(cards)})
    for cards in ("gg", "gs", "gg", "gg", "gg"):
        shy.play({seat: "stop" if card == "s" else "go" for seat, card in enumerate(cards)})
    assert (bold.round, shy.round) == (2, 2)
    assert (bold.pile, bold.table) == (shy.pile, shy.table)  # both drew their second shuffle
