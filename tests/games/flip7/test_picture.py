"""Pictures of Flip 7, kept as SVG files that a browser shows; and what holds of every one of them."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.image import SVGImageSnapshotExtension

from referee.games.flip7 import GAME
from referee.rules.laws.boards import picture_flaw
from referee.rules.playout import first_chooser

from ...positions import after, named


@pytest.mark.parametrize(
    ("players", "decisions", "seat"),
    [(3, 0, 0), (5, 21, 1), (3, 9999, None), (36, 120, None)],
    ids=["start", "middle", "end", "most_players"],
)
def test_telling_positions(players: int, decisions: int, seat: int | None, snapshot: SnapshotAssertion) -> None:
    choose = first_chooser if decisions < 999 else None
    view: Any = after(GAME, players, decisions, choose).view(seat)
    assert GAME.picture(view, names=named(players)) == snapshot(extension_class=SVGImageSnapshotExtension)


@pytest.mark.parametrize("rules", ["printed", "faq"])
def test_every_position_of_a_match_is_sound(rules: str) -> None:
    for decisions in range(0, 90, 7):
        state = after(GAME, 7, decisions, first_chooser, seed=rules.encode(), options={"rules": rules})
        assert picture_flaw(GAME, state.view(decisions % 7), named(7)) is None
