"""Drawings of Flip 7, kept as text; and what holds of every one of them."""

from __future__ import annotations

from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from referee.games.flip7 import GAME
from referee.rules.laws.boards import drawing_flaw
from referee.rules.playout import first_chooser

from ...positions import after, named


@pytest.mark.parametrize(
    ("players", "decisions", "seat", "width"),
    [(3, 0, 0, 80), (4, 17, 1, 80), (4, 17, None, 40), (5, 30, 2, 120), (3, 9999, None, 80), (36, 120, 35, 80)],
    ids=["start", "middle", "narrow_and_public", "wide", "end", "most_players"],
)
def test_telling_positions(
    players: int, decisions: int, seat: int | None, width: int, snapshot: SnapshotAssertion
) -> None:
    choose = first_chooser if decisions < 999 else None  # everybody always hits: busts, specials, many cards
    view: Any = after(GAME, players, decisions, choose).view(seat)
    assert "\n".join(GAME.drawing(view, width, names=named(players))) == snapshot


@pytest.mark.parametrize("form", ["ascii", "colour"])
def test_other_forms(form: str, snapshot: SnapshotAssertion) -> None:
    view: Any = after(GAME, 4, 17, first_chooser).view(0)
    drawn = GAME.drawing(view, 80, ascii=form == "ascii", colour=form == "colour")
    assert "\n".join(drawn).replace("\x1b", "ESC") == snapshot


@pytest.mark.parametrize("rules", ["printed", "faq"])
def test_every_position_of_a_match_keeps_to_its_width(rules: str) -> None:
    for decisions in range(0, 90, 7):
        state = after(GAME, 5, decisions, first_chooser, seed=rules.encode(), options={"rules": rules})
        for width in (40, 57, 80):
            assert drawing_flaw(GAME, state.view(decisions % 5), width, named(5)) is None


def test_cards_bonuses_and_totals_are_shown_and_the_asked_seat_is_marked() -> None:
    view: Any = after(GAME, 4, 17, first_chooser).view(None)
    lines = GAME.drawing(view, 80)
    asked = next(line for line in lines if line.startswith("▶"))
    assert asked.startswith(f"▶ seat {view.asked[0]}")
    for seat, player in enumerate(view.players):
        line = next(line for line in lines if line[2:].startswith(f"seat {seat} "))
        assert line.count("[") == len(player.cards)
