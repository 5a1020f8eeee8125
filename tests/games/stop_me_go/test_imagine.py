"""STOP me GO imagined from a view: own cards and all that was turned up stay, others' cards and tokens are drawn."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go import GAME
from referee.rules.chance import Seeded
from referee.rules.game import WrongUse
from referee.rules.playout import random_chooser


def test_the_takers_of_tokens_are_those_who_won_the_rounds() -> None:
    state: Any = GAME.start(3, seed=b"takers")
    choosers = [random_chooser(b"takers", seat) for seat in range(3)]
    while state.result() is None:
        assert GAME.imagine(state.view(1), Seeded(b"")).takers == state.takers
        state.play({seat: choosers[seat](state, seat) for seat in state.pending()})
    over = GAME.imagine(state.view_bytes(1), Seeded(b""))
    assert (over.takers, over.result()) == (state.takers, state.result())
    assert [over.purse(seat) for seat in range(3)] == [state.purse(seat) for seat in range(3)]


def test_the_own_stop_lies_where_it_was_put_and_that_of_another_anywhere() -> None:
    state: Any = GAME.start(2, seed=b"stops")
    state.play({0: "stop", 1: "go"})
    state.play({0: "go", 1: "go"})
    places = set()
    for number in range(40):
        imagined = GAME.imagine(state.view(0), Seeded(bytes([number])))
        assert [stops & 1 for stops in imagined.stops] == [1, 0]
        places.add(tuple(stops >> 1 for stops in imagined.stops))
    assert places == {(0, 0), (1, 0), (0, 1)}


def test_a_round_that_was_void_took_a_token_and_gave_it_to_nobody() -> None:
    state: Any = GAME.start(2, seed=b"void")
    while state.round < 2:
        state.play({0: "go", 1: "go"})
    assert GAME.imagine(state.view(0), Seeded(b"")).takers == [-1]


@pytest.mark.parametrize("gangster", [0, 11, 127, 128, 300])
def test_a_view_with_a_gangster_that_there_is_not_is_refused(gangster: int) -> None:
    view = GAME.start(3, seed=b"strange").view(0)
    assert isinstance(view, pb.View)
    view.discarded.append(gangster)
    with pytest.raises(WrongUse, match="its gangsters are not those of a whole match"):
        GAME.imagine(view, Seeded(b""))


def test_a_view_with_a_gangster_in_two_places_is_refused() -> None:
    view = GAME.start(3, seed=b"twice").view(0)
    assert isinstance(view, pb.View)
    view.discarded.append(view.table[0])
    with pytest.raises(WrongUse, match="its gangsters are not those of a whole match"):
        GAME.imagine(view, Seeded(b""))


def test_a_view_with_too_many_agents_is_refused() -> None:
    view = GAME.start(6, seed=b"many").view(0)
    assert isinstance(view, pb.View)
    view.scores.append(0)
    with pytest.raises(WrongUse, match="it has 7 agents"):
        GAME.imagine(view, Seeded(b""))
