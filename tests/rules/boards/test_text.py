"""Texts in a terminal are as wide as they are said to be, whatever a stranger put into them."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from referee.rules.boards.text import clean, clip, columns, listed, pad, to_ascii, wrap

ANYTHING = st.text(st.characters(categories=None), max_size=60) | st.text(max_size=60)
WIDTHS = st.integers(0, 50)


def test_escape_sequences_controls_and_direction_marks_are_taken_out() -> None:
    assert clean("\x1b[31mred\x07\u202egnp.exe\u200b\u2066") == "redgnp.exe"
    assert clean("\x1b]0;title\x07name \x1b[2Kof \x1b a bot") == "name of  a bot"
    assert clean("two\nlines\tand\r\x00 more") == "two lines and  more"
    assert clean("half \ud800 a pair") == "half \ufffd a pair"


def test_a_letter_keeps_at_most_two_marks() -> None:
    assert clean("e\u0301") == "e\u0301"
    assert clean("z" + "\u0301" * 500) == "z\u0301\u0301"
    assert clean("\u0301 alone") == " alone"


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert columns("漢字") == 4
    assert columns("e\u0301") == 1
    assert columns("plain") == 5


def test_what_is_cut_says_so() -> None:
    assert clip("seventeen", 6) == "seven…"
    assert clip("漢字漢字", 4) == "漢…"
    assert clip("漢字", 4) == "漢字"
    assert clip("x", 0) == ""


def test_padding_stands_left_right_or_centred() -> None:
    assert [pad("ab", 5, side) for side in "<>^"] == ["ab   ", "   ab", " ab  "]


def test_wrapped_lines_break_at_spaces_and_in_words_only_where_they_must() -> None:
    assert wrap("one two three", 7) == ["one two", "three"]
    assert wrap("one two three", 8, "  ") == ["one two", "  three"]
    assert wrap("abcdefghij k", 4) == ["abcd", "efgh", "ij k"]
    assert wrap("", 4) == [""]


def test_ascii_keeps_letters_and_width() -> None:
    assert to_ascii("│ é ★ … ß 漢 ×2") == "| e * ~ ? ?? x2"


def test_words_in_a_row() -> None:
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


@given(ANYTHING, WIDTHS)
def test_every_text_fits_where_it_is_put(text: str, width: int) -> None:
    shown = clean(text)
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    shown.encode()
    assert columns(clip(shown, width)) <= width
    assert columns(pad(shown, width)) == width
    assert all(columns(line) <= max(width, 4) for line in wrap(shown, max(width, 4), "  "))


@given(ANYTHING)
def test_ascii_is_ascii_and_as_wide(text: str) -> None:
    shown = clean(text)
    plain = to_ascii(shown)
    assert plain.isascii()
    assert len(plain) == columns(shown)
