"""How moves are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games.flip7.moves import MOST_PLAYERS, STAY, format_move, parse
from referee.rules.game import Unreadable


@given(st.integers(STAY, MOST_PLAYERS - 1))
def test_every_move_is_read_back_from_its_text(move: int) -> None:
    assert parse(format_move(move)) == move


@pytest.mark.parametrize("text", ["  hit", "hit ", " stay  ", "target   3", "  target 3 "])
def test_more_spaces_than_needed_do_not_matter(text: str) -> None:
    assert format_move(parse(text)) == " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "Hit", "STAY", "hit stay", "hit 1", "t 1"),
        *("target", "target x", "target 01", "target -1", "target +1", "target 1 2", "target 1.0", "target ١"),
        *("target1", "target: 1", "targets 1", "target " + "9" * 5000),
    ],
)
def test_anything_else_is_unreadable_and_the_reason_says_how_moves_are_written(text: str) -> None:
    with pytest.raises(Unreadable, match="a move is 'hit', 'stay' or 'target SEAT'") as refused:
        parse(text)
    assert len(str(refused.value)) < 120
