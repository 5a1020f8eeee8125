"""A match of which no view will be asked (`State.unwatched`): the rules are the same, for every registered game."""

from __future__ import annotations

from typing import Any

import pytest

from referee.rules import registry
from referee.rules.game import State, seed_bytes
from referee.rules.playout import random_chooser


def told(state: State[Any]) -> tuple[object, ...]:
    return state.pending(), state.scores(), state.result(), [state.legal(seat) for seat in state.pending()]


@pytest.mark.parametrize("name", sorted(registry.names()))
@pytest.mark.parametrize("late", [False, True], ids=["from the start", "from the tenth decision on"])
def test_an_unwatched_match_is_the_same_match(name: str, late: bool) -> None:
    game = registry.find(name)
    players = max(2, game.seats.least)
    watched, unwatched = (game.start(players, seed=seed_bytes("unwatched")) for _ in range(2))
    choosers = [random_chooser(seed_bytes("unwatched"), seat) for seat in range(players)]
    decisions = 0
    while watched.pending():
        if decisions == (10 if late else 0):
            unwatched.unwatched()
        assert told(watched) == told(unwatched)
        moves = {seat: choosers[seat](watched, seat) for seat in watched.pending()}
        watched.play(moves)
        unwatched.play(moves)
        decisions += 1
    assert told(watched) == told(unwatched)
    assert decisions > 10
