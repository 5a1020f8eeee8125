"""Names of seats, whose view it is, and how a match ended."""

from __future__ import annotations

from typing import Any

import pytest

from arena.games.flip7.v1 import flip7_pb2
from referee.rules.boards.seats import Names, ending, ordinal, seat_of, viewer
from referee.rules.boards.text import plural


def test_seats_without_names_are_numbered() -> None:
    names = Names()
    assert (names[0], names.column(1), names.bot(0)) == ("seat 0", "seat 1", "")
    assert Names(["ann", ""])[1] == Names(["ann"])[1] == "seat 1"


def test_names_are_cleaned_and_cut_and_equal_ones_told_apart() -> None:
    names = Names(["ann", "\x1b[31mann\n", "x" * 100])
    assert (names[0], names[1]) == ("ann (0)", "ann (1)")
    assert names.column(1) == "1 ann"
    assert names[2] == "x" * 27 + "…"
    assert names.all([0, 1]) == "ann (0) and ann (1)"


@pytest.mark.parametrize(
    ("view", "seat"),
    [
        (flip7_pb2.View(seat=0), 0),
        (flip7_pb2.View(), None),
        ({"seat": 2}, 2),
        ({"seat": None}, None),
        ({"seat": True}, None),
        ({}, None),
        ([], None),
    ],
)
def test_whose_view_it_is(view: Any, seat: int | None) -> None:
    assert seat_of(view) == seat
    assert viewer(view, Names()) == ("seen by the public" if seat is None else f"seen by seat {seat}")


def test_how_a_match_ended() -> None:
    names = Names(["ann", "bob", "cy"])
    assert ending([2, 1, 3], "finished", names) == "bob wins"
    assert ending([1, 1, 3], "round_limit", names) == "ann and bob share the first rank (round limit)"
    assert ending([], "odd", names) == "the match is over: odd"


def test_numbers_in_words() -> None:
    assert [ordinal(rank) for rank in (1, 2, 3, 4, 11, 12, 13, 21, 111)] == [
        *("1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th")
    ]
    assert [plural(1, "card"), plural(2, "card"), plural(0, "die", "dice")] == ["1 card", "2 cards", "0 dice"]
