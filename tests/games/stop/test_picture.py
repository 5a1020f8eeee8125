"""Pictures of STOP!, kept as SVG files that a browser shows; and what holds of every one of them."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.image import SVGImageSnapshotExtension

from referee.games.stop import GAME
from referee.rules.laws.boards import picture_flaw

from ...positions import after, named
from .bold import bold


@pytest.mark.parametrize(
    ("players", "decisions", "seat"),
    [(3, 0, 0), (5, 25, 1), (3, 999, 2), (6, 40, None)],
    ids=["start", "auction", "end", "most_players"],
)
def test_telling_positions(players: int, decisions: int, seat: int | None, snapshot: SnapshotAssertion) -> None:
    view: Any = after(GAME, players, decisions, bold).view(seat)
    assert GAME.picture(view, names=named(players)) == snapshot(extension_class=SVGImageSnapshotExtension)


def test_every_position_of_a_match_is_sound() -> None:
    for decisions in range(0, 60, 2):
        state = after(GAME, 5, decisions, bold, seed=b"sound")
        assert picture_flaw(GAME, state.view(decisions % 5), named(5)) is None
