"""Drawings of STOP me GO, kept as text; and what holds of every one of them."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from referee.games.stop_me_go import GAME
from referee.rules.laws.boards import drawing_flaw
from referee.rules.playout import first_chooser

from ...positions import after, named


@pytest.mark.parametrize(
    ("players", "decisions", "seat", "width"),
    [(2, 0, 0, 80), (3, 12, 1, 80), (4, 15, None, 40), (3, 999, 2, 80), (6, 26, 5, 120)],
    ids=["start", "middle", "narrow_and_public", "end", "most_players_and_wide"],
)
def test_telling_positions(
    players: int, decisions: int, seat: int | None, width: int, snapshot: SnapshotAssertion
) -> None:
    view: Any = after(GAME, players, decisions).view(seat)
    assert "\n".join(GAME.drawing(view, width, names=named(players))) == snapshot


@pytest.mark.parametrize("form", ["ascii", "colour"])
def test_other_forms(form: str, snapshot: SnapshotAssertion) -> None:
    view: Any = after(GAME, 3, 12).view(0)
    drawn = GAME.drawing(view, 80, ascii=form == "ascii", colour=form == "colour")
    assert "\n".join(drawn).replace("\x1b", "ESC") == snapshot


def test_fifty_escapes_are_cut_to_the_latest(snapshot: SnapshotAssertion) -> None:
    view: Any = after(GAME, 2, 50, first_chooser).view(0)  # nobody ever stops anybody
    assert len(view.arrests) > 40
    assert "\n".join(GAME.drawing(view, 80)) == snapshot


def test_every_position_of_a_match_keeps_to_its_width() -> None:
    for decisions in range(30):
        state = after(GAME, 4, decisions, seed=b"widths")
        for width in (40, 57, 80):
            assert drawing_flaw(GAME, state.view(decisions % 4), width, named(4)) is None


def test_a_seat_sees_its_own_cards_and_the_public_sees_backs() -> None:
    state = after(GAME, 3, 2)
    assert any("go" in line.split() or "stop" in line.split() for line in GAME.drawing(state.view(0)))
    public = GAME.drawing(state.view(None))
    assert any("■■■" in line for line in public)
    assert not any(line.startswith("hand") for line in public)
