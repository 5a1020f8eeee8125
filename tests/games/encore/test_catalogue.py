"""The catalogue of shapes: sets of them by their boxes, and what a player can mark as it comes to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hypothesis import given
from hypothesis import strategies as st

from referee.games.encore.catalogue import Catalogue
from referee.games.encore.moves import ANY, JOKER, pair
from referee.games.encore.shapes import EVERY
from referee.games.encore.sheet import sheet_for
from referee.games.encore.state import EncoreState

Moments = Callable[..., Iterator[EncoreState]]
SHEET = sheet_for("standard")
some_boxes = st.integers(0, EVERY)


@given(st.lists(some_boxes), some_boxes)
def test_the_shapes_that_have_one_of_some_boxes_are_found(shapes: list[int], boxes: int) -> None:
    catalogue = Catalogue(shapes)
    assert list(catalogue.flags(catalogue.having(boxes))) == [bool(shape & boxes) for shape in shapes]
    assert list(catalogue.flags(catalogue.every)) == [1] * len(shapes)


def test_every_pair_of_dice_has_its_shapes_in_the_catalogue() -> None:
    tables, pick = SHEET.offer(range(JOKER + 1), range(ANY + 1), 2)
    assert [table[0].way for table in tables] == [pair(colour, number) for colour in range(6) for number in range(6)]
    assert [len(flags) for flags in pick(bytes(SHEET.shapes.size))] == [0, 0, *map(len, tables)]


def test_what_is_open_is_the_same_whether_it_was_asked_for_before_or_not(moments: Moments) -> None:
    for number, state in enumerate(moments(2, 3)):
        for paper in state.papers:
            fresh = paper.copy()
            fresh.open = SHEET.open_at_first
            if number % 3 == 0:  # else it catches up with several moves at once
                assert paper.open_shapes() == fresh.open_shapes()
