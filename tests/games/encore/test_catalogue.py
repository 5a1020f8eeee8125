"""The catalogue of shapes: sets of them by their boxes, and what a player can mark as it comes to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hypothesis import given
from hypothesis import strategies as st

from referee.games.encore.catalogue import AT_A_TIME, Catalogue, chosen
from referee.games.encore.moves import ANY, JOKER, Move, pair
from referee.games.encore.shapes import EVERY, in_order
from referee.games.encore.sheet import sheet_for
from referee.games.encore.state import EncoreState

Moments = Callable[..., Iterator[EncoreState]]
SHEET = sheet_for("standard")
some_boxes = st.integers(0, EVERY)


@given(st.lists(st.lists(some_boxes, max_size=2 * AT_A_TIME + 3), max_size=4), some_boxes)
def test_the_shapes_that_have_one_of_some_boxes_are_found_in_their_order(groups: list[list[int]], boxes: int) -> None:
    catalogue = Catalogue(groups)
    for group, shapes in enumerate(groups):
        sections = catalogue.sections(group, group)
        assert chosen(sections, catalogue.every) == [Move(group, shape) for shape in shapes]
        having = [Move(group, shape) for shape in shapes if shape & boxes]
        assert chosen(sections, catalogue.having(boxes)) == having
        assert chosen(sections, catalogue.having(boxes)) == having, "asked again, it is remembered"


def test_every_pair_of_dice_has_its_shapes_in_the_catalogue() -> None:
    moves = chosen(SHEET.offer(range(JOKER + 1), range(ANY + 1), 2), SHEET.shapes.every)
    assert list(dict.fromkeys(move.way for move in moves)) == [
        pair(colour, face) for colour in range(6) for face in range(6)
    ]
    for colour in range(JOKER + 1):
        shapes = [shape for shape, of in SHEET.shape_colour.items() if colour in (of, JOKER)]
        for face in range(ANY + 1):
            fitting = in_order(shape for shape in shapes if face in (shape.bit_count() - 1, ANY))
            way = pair(colour, face)
            assert [move.boxes for move in moves if move.way == way] == fitting


def test_what_is_open_is_the_same_whether_it_was_asked_for_before_or_not(moments: Moments) -> None:
    for number, state in enumerate(moments(2, 3)):
        for paper in state.papers:
            fresh = paper.copy()
            fresh.open = SHEET.open_at_first
            if number % 3 == 0:  # else it catches up with several moves at once
                assert paper.open_shapes() == fresh.open_shapes()
