"""Reading and printing moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games.encore.moves import HEART, PASS, SHORT, Move
from referee.games.encore.sheet import sheet_for
from referee.rules.game import Unreadable

NOTATION = sheet_for("standard").notation

moves = st.one_of(
    st.just(Move(PASS, 0)),
    st.just(Move(HEART, 0)),
    st.builds(
        lambda way, boxes: Move(way, sum(1 << box for box in boxes)),
        st.integers(1, 41).filter(lambda way: way != HEART),
        st.sets(st.integers(0, 104), min_size=1),
    ),
)


@given(moves)
def test_what_is_printed_reads_back(move: Move) -> None:
    assert NOTATION.parse(NOTATION.format_move(move)) == move


@given(moves, st.randoms(use_true_random=False))
def test_order_and_spaces_do_not_matter(move: Move, random: object) -> None:
    words = NOTATION.format_move(move).split()
    head = 2 if PASS < move.way < HEART else 1
    boxes = words[head:]
    random.shuffle(boxes)  # type: ignore[attr-defined]
    assert NOTATION.parse("  " + "   ".join([*words[:head], *boxes]) + " ") == move


def test_boxes_are_printed_by_column_then_row() -> None:
    assert NOTATION.format_move(NOTATION.parse("orange 5 HR GR FR FQ EQ")) == "orange 5 EQ FQ FR GR HR"
    assert NOTATION.format_move(NOTATION.parse("bomb BQ AQ BP AP")) == "bomb AP AQ BP BQ"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("Pass", "no way to take dice"),
        ("orange", "no way to take dice"),
        ("orange HR", "no way to take dice"),
        ("orange 0 HR", "no way to take dice"),
        ("orange 6 HR", "no way to take dice"),
        ("orange 01 HR", "no way to take dice"),
        ("orange ١ HR", "no way to take dice"),
        ("? orange HR", "no way to take dice"),
        ("orange 1", "boxes are missing"),
        ("bomb", "boxes are missing"),
        ("pass HR", "takes no boxes"),
        ("heart HR", "takes no boxes"),
        ("orange 1 hr", "'hr' is no box"),
        ("orange 1 RH", "'RH' is no box"),
        ("orange 1 HRGR", "'HRGR' is no box"),
        ("orange 2 HR,GR", "'HR,GR' is no box"),
        ("orange 2 HR HR", "HR is named twice"),
    ],
)
def test_what_is_no_move_is_unreadable_and_says_why(text: str, why: str) -> None:
    with pytest.raises(Unreadable, match="a move is `pass`") as error:
        NOTATION.parse(text)
    assert why in str(error.value)


def test_a_complaint_about_a_long_text_is_short() -> None:
    with pytest.raises(Unreadable) as error:
        NOTATION.parse("x" * 100_000)
    assert len(str(error.value)) < 500


def test_another_sheet_is_read_with_its_own_words(harlequin: dict[str, object]) -> None:
    notation = sheet_for(harlequin).notation
    assert notation.format_move(notation.parse("rose 2 c3 c2")) == "rose 2 c2 c3"
    with pytest.raises(Unreadable, match="no way to take dice"):
        notation.parse("pink 2 c3 c2")


def test_a_text_means_the_same_whether_it_was_read_before_or_is_too_long_to_be_remembered() -> None:
    for text in ("pass", "green 2 HP IP", "bomb IQ HP"):
        spaced = text.replace(" ", " " * SHORT) + " " * SHORT
        assert NOTATION.parse(text) == NOTATION.parse(text) == NOTATION.parse(spaced)
    for text in ("green 2 HP HP", "green 2 HP HP" + " " * SHORT):
        for _ in range(2):
            with pytest.raises(Unreadable, match="the box HP is named twice"):
                NOTATION.parse(text)
