"""Drawings of STOP!, kept as text; and what holds of every one of them."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from referee.games.stop import GAME
from referee.rules.laws.boards import drawing_flaw

from ...positions import after, named
from .bold import bold


@pytest.mark.parametrize(
    ("players", "decisions", "seat", "width"),
    [(3, 0, 0, 80), (5, 24, 1, 80), (5, 25, None, 40), (3, 999, 2, 80), (6, 40, 5, 120)],
    ids=["start", "auction", "split_narrow_and_public", "end", "most_players_and_wide"],
)
def test_telling_positions(
    players: int, decisions: int, seat: int | None, width: int, snapshot: SnapshotAssertion
) -> None:
    view: Any = after(GAME, players, decisions, bold).view(seat)
    assert "\n".join(GAME.drawing(view, width, names=named(players))) == snapshot


def test_who_is_out_of_the_game_is_said(snapshot: SnapshotAssertion) -> None:
    view: Any = after(GAME, 4, 30, bold).view(0)
    view.eliminated.append(1)  # by hand, for it hardly ever happens
    assert "\n".join(GAME.drawing(view, 80)) == snapshot


@pytest.mark.parametrize("form", ["ascii", "colour"])
def test_other_forms(form: str, snapshot: SnapshotAssertion) -> None:
    view: Any = after(GAME, 5, 24, bold).view(0)
    drawn = GAME.drawing(view, 80, ascii=form == "ascii", colour=form == "colour")
    assert "\n".join(drawn).replace("\x1b", "ESC") == snapshot


def test_every_position_of_a_match_keeps_to_its_width() -> None:
    for decisions in range(0, 60, 2):
        state = after(GAME, 5, decisions, bold, seed=b"widths")
        for width in (40, 57, 80):
            assert drawing_flaw(GAME, state.view(decisions % 5), width, named(5)) is None


def test_a_seat_sees_its_hand_and_the_public_sees_none() -> None:
    state = after(GAME, 5, 24, bold)
    hand = next(line for line in GAME.drawing(state.view(1)) if line.startswith("hand  "))
    view: Any = state.view(1)
    assert hand.count("[") == len(view.hand)
    assert not [line for line in GAME.drawing(state.view(None)) if line.startswith("hand  ")]


def test_cards_that_others_laid_say_so() -> None:
    drawn = "\n".join(GAME.drawing(after(GAME, 5, 24, bold).view(1)))
    assert " by seat " in drawn
