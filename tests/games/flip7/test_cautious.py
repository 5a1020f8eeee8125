"""The house bot of Flip 7 plays by the rules and better than luck."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.games.flip7 import GAME
from referee.rules.chance import Seeded

BOT = Path(__file__).parents[3] / "bots" / "cautious" / "bot.py"


@pytest.mark.parametrize("rules", ["printed", "faq"])
def test_cautious_makes_legal_moves_and_beats_players_who_choose_at_random(rules: str) -> None:
    decide = runpy.run_path(str(BOT))["decide"]
    wins = 0
    for number in range(20):
        luck = Seeded(b"others %d" % number)
        state = GAME.start(4, {"rules": rules}, b"%d" % number)
        cautious = number % 4
        while state.pending():
            [seat] = state.pending()
            moves = state.legal(seat).moves
            if seat == cautious:
                legal = [state.format(move) for move in moves]
                text = decide(SimpleNamespace(view=state.view(seat), legal=legal, seat=seat))
                assert text in legal
                state.play({seat: state.parse(text)})
            else:
                state.play({seat: luck.pick("move", moves)})
        result = state.result()
        assert result is not None
        wins += result.ranks[cautious] == 1
    assert wins >= 15
