"""SVG documents: escaped, well formed, texts cut to their room."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.boards.style import css, scope
from referee.rules.boards.svg import Canvas, escape, fit, heart, number, octagon, text_width, wrapped

ANYTHING = st.text(st.characters(categories=None), max_size=40)


@given(ANYTHING)
def test_whatever_is_written_is_read_back_as_text(text: str) -> None:
    canvas = Canvas()
    canvas.text(0, 10, text)
    root = ElementTree.fromstring(canvas.document("game", 20, text or "title", text))
    assert [element.tag.rpartition("}")[2] for element in root if element.text and element.tag.endswith("script")] == []
    assert len(root) <= 5


def test_markup_in_a_name_stays_a_name() -> None:
    assert escape('<script>alert("x") & so on\x00') == "&lt;script&gt;alert(&quot;x&quot;) &amp; so on"
    canvas = Canvas()
    canvas.text(1, 2, "</text><script>")
    root = ElementTree.fromstring(canvas.document("game", 10, "</title>"))
    assert root[0].text == "</title>"
    assert root[-1].text == "</text><script>"


@given(ANYTHING, st.floats(5, 300))
def test_a_text_is_cut_to_its_room(text: str, width: float) -> None:
    shown = fit(text, 10, width)
    assert text_width(shown, 10) <= width or shown == "…"


def test_a_text_is_wrapped_at_spaces() -> None:
    lines = wrapped("one two three four", 10, 60)
    assert " ".join(lines) == "one two three four"
    assert len(lines) > 1
    assert wrapped("", 10, 60) == []


@pytest.mark.parametrize(("value", "written"), [(3.0, "3"), (2.5, "2.5"), (1 / 3, "0.33"), (-0.001, "0"), (10, "10")])
def test_coordinates_are_short(value: float, written: str) -> None:
    assert number(value) == written


def test_shapes_are_closed_paths() -> None:
    for path in (heart(10, 10, 5), octagon(10, 10, 5)):
        assert path.startswith("M")
        assert path.endswith("z")


def test_styles_are_scoped_by_the_name_of_the_game_and_cover_the_dark() -> None:
    style = css("my_game", {"red": ("fill:#c00", "fill:#f66"), "same": ("fill:#123", "")})
    assert scope("my_game") == "board-my-game"
    assert scope("<x>") == "board-x"
    assert scope("!") == "board-game"
    light, dark = style.split("@media (prefers-color-scheme:dark)")
    assert ".board-my-game .red{fill:#c00}" in light
    assert ".board-my-game .red{fill:#f66}" in dark
    assert ".same" not in dark


def test_what_is_drawn_larger_is_in_a_group_of_its_own() -> None:
    canvas = Canvas()
    with canvas.scaled(5, 6.5, 2):
        canvas.circle(0, 0, 1, "ink")
    assert canvas.parts == [
        '<g transform="translate(5 6.5) scale(2)">',
        '<circle class="ink" cx="0" cy="0" r="1"/>',
        "</g>",
    ]
