"""Pictures of STOP me GO, kept as SVG files that a browser shows; and what holds of every one of them."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.image import SVGImageSnapshotExtension

from referee.games.stop_me_go import GAME
from referee.rules.laws.boards import picture_flaw
from referee.rules.playout import first_chooser

from ...positions import after, named


@pytest.mark.parametrize(
    ("players", "decisions", "seat"),
    [(2, 0, 0), (3, 12, 1), (3, 999, None), (6, 26, None)],
    ids=["start", "middle", "end", "most_players"],
)
def test_telling_positions(players: int, decisions: int, seat: int | None, snapshot: SnapshotAssertion) -> None:
    view: Any = after(GAME, players, decisions).view(seat)
    assert GAME.picture(view, names=named(players)) == snapshot(extension_class=SVGImageSnapshotExtension)


def test_every_position_of_a_match_is_sound() -> None:
    for decisions in range(30):
        state = after(GAME, 4, decisions, seed=b"sound")
        assert picture_flaw(GAME, state.view(decisions % 4), named(4)) is None
    assert picture_flaw(GAME, after(GAME, 2, 50, first_chooser).view(0)) is None
