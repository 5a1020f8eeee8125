"""The house bot of STOP! plays by the rules and knows what it does."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.games.stop import GAME
from referee.games.stop.moves import Move
from referee.games.stop.state import StopState
from referee.rules.chance import Seeded

BOT = run_path(str(Path(__file__).parents[3] / "bots" / "frugal" / "bot.py"))
RANDOM = Seeded(b"random players")


def _frugal(state: StopState, seat: int) -> Move:
    legal = [state.format(move) for move in state.legal(seat).moves]
    move = state.parse(BOT["decide"](SimpleNamespace(view=state.view(seat), legal=legal, seat=seat)))
    assert state.check(seat, move) is None
    return move


def _match(players: int, seed: int, frugal: Any) -> StopState:
    state = GAME.new(players, {}, Seeded(b"frugal %d" % seed))
    while asked := state.pending():
        state.play(
            {
                seat: _frugal(state, seat) if seat in frugal else RANDOM.pick("move", state.legal(seat).moves)
                for seat in asked
            }
        )
    return state


@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_a_table_of_frugal_players_comes_to_an_end_with_a_winner(players: int) -> None:
    result = _match(players, 0, range(players)).result()
    assert result is not None
    assert result.ranks.count(1) == 1


def test_frugal_beats_random_players() -> None:
    wins = 0
    for number in range(80):
        result = _match(4, number, {number % 4}).result()
        assert result is not None
        wins += result.ranks[number % 4] == 1
    assert wins > 24, "a random player would win 20"
