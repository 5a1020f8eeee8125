"""Pictures of Encore et Encore!, kept as SVG files that a browser shows; and what holds of every one of them."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.image import SVGImageSnapshotExtension

from referee.games.encore import GAME
from referee.games.encore.sheet_file import standard_sheet
from referee.rules.laws.boards import drawing_flaw, picture_flaw

from ...positions import after, named


@pytest.mark.parametrize(
    ("players", "decisions", "seat"),
    [(2, 0, 0), (3, 41, 1), (2, 999, None), (6, 70, None), (1, 20, 0)],
    ids=["start", "middle", "end", "most_players", "solo"],
)
def test_telling_positions(players: int, decisions: int, seat: int | None, snapshot: SnapshotAssertion) -> None:
    view: Any = after(GAME, players, decisions).view(seat)
    assert GAME.picture(view, names=named(players)) == snapshot(extension_class=SVGImageSnapshotExtension)


def test_every_position_of_a_match_is_sound() -> None:
    for decisions in range(0, 160, 20):
        state = after(GAME, 3, decisions, seed=b"sound")
        assert picture_flaw(GAME, state.view(decisions % 3), named(3)) is None


def test_a_sheet_with_other_colours_is_drawn_too() -> None:
    sheet: dict[str, Any] = dict(standard_sheet())
    sheet["colours"] = sheet["colours"] | {"P": "mauve", "B": "red"}
    view: Any = after(GAME, 2, 12, options={"sheet": sheet}).view(0)
    assert picture_flaw(GAME, view) is None
    assert drawing_flaw(GAME, view, 80) is None
    assert 'class="other' in GAME.picture(view)
    assert 'class="red"' in GAME.picture(view)
