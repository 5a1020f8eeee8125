"""Drawings of Encore et Encore!, kept as text; and what holds of every one of them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from referee.games.encore import GAME
from referee.rules.laws.boards import drawing_flaw

from ...positions import after, named


@pytest.mark.parametrize(
    ("players", "decisions", "seat", "width"),
    [(2, 0, 0, 80), (3, 20, 1, 80), (1, 9, None, 40), (4, 50, None, 160), (2, 999, 0, 80), (6, 70, 5, 80)],
    ids=["start", "middle", "narrow_and_solo", "wide_and_public", "end", "most_players"],
)
def test_telling_positions(
    players: int, decisions: int, seat: int | None, width: int, snapshot: SnapshotAssertion
) -> None:
    view: Any = after(GAME, players, decisions).view(seat)
    assert "\n".join(GAME.drawing(view, width, names=named(players))) == snapshot


@pytest.mark.parametrize("form", ["ascii", "colour"])
def test_other_forms(form: str, snapshot: SnapshotAssertion) -> None:
    view: Any = after(GAME, 1, 12).view(0)
    drawn = GAME.drawing(view, 80, ascii=form == "ascii", colour=form == "colour")
    assert "\n".join(drawn).replace("\x1b", "ESC") == snapshot


def test_every_position_of_a_match_keeps_to_its_width() -> None:
    for decisions in range(0, 160, 20):
        state = after(GAME, 3, decisions, seed=b"widths")
        for width in (40, 57, 80, 121):
            assert drawing_flaw(GAME, state.view(decisions % 3), width, named(3)) is None


def test_a_sheet_shows_every_mark_and_what_was_marked_just_now() -> None:
    view: Any = after(GAME, 1, 12).view(0)
    rows = [line for line in GAME.drawing(view, 80) if re.match(r"[P-V] ", line)]
    crosses = sum(row.count("✗") + row.count("█") for row in rows)
    assert crosses == view.players[0].marked.count("1")
    moves = [event.text for event in view.events if re.match(r"\w+ [1-5?] ", event.text)]
    assert moves
    assert sum(row.count("█") for row in rows) == sum(len(move.split()) - 2 for move in moves)


def test_dice_that_were_taken_stand_in_round_brackets() -> None:
    state = after(GAME, 3, 4, lambda state, seat: state.legal(seat).moves[-1])
    view: Any = state.view(None)
    assert len(view.dice.colours) < len(view.rolled.colours) or not view.dice.special
    (dice,) = [line for line in GAME.drawing(view, 80) if line.startswith("dice ")]
    assert dice.count("(") in (1, 2)
