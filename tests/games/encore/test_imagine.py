"""Encore imagined from a view: sheets and dice are as the view shows them, on any sheet; later rolls are drawn."""

from __future__ import annotations

from typing import Any

from referee.games.encore import GAME
from referee.games.encore.sheet_file import standard_sheet
from referee.rules.chance import Seeded
from referee.rules.playout import random_chooser


def test_the_usual_sheet_is_shared_with_all_matches() -> None:
    state: Any = GAME.start(2, seed=b"sheet")
    assert GAME.imagine(state.view(0), Seeded(b"")).sheet is state.sheet


def test_a_sheet_of_ones_own_is_read_from_the_view() -> None:
    own = standard_sheet() | {"name": "dear stars", "star_penalty": 7, "special_dice_circled": 2}
    state: Any = GAME.start(2, {"sheet": own}, b"own")
    chooser = random_chooser(b"own", 0)
    for _ in range(30):
        state.play({seat: chooser(state, seat) for seat in state.pending()})
    imagined = GAME.imagine(state.view_bytes(1), Seeded(b""))
    assert imagined.view_bytes(1) == state.view_bytes(1)
    assert imagined.sheet.star_penalty == 7
    assert imagined.legal(0) == state.legal(0)


def test_later_rolls_differ_and_the_present_one_does_not() -> None:
    state: Any = GAME.start(1, seed=b"rolls")
    rolls = set()
    for number in range(6):
        imagined = GAME.imagine(state.view(0), Seeded(bytes([number])))
        assert imagined.rolled == state.rolled
        imagined.play({0: imagined.fallback(0)})
        rolls.add(imagined.rolled)
    assert len(rolls) > 3
