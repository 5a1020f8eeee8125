"""The lines of a drawing are never wider than the terminal, and carry colours or ASCII only where asked."""

from __future__ import annotations

from referee.rules.boards.page import BOLD, Page


def test_a_line_is_cut_at_the_width_with_an_ellipsis() -> None:
    page = Page(8)
    page.add("one ", ("two", BOLD), " three")
    page.add("exactly8", "more")
    page.add("漢字漢字漢")
    page.add("exactly8", "   ")
    assert page.lines == ["one two…", "exactly…", "漢字漢…", "exactly8"]


def test_colours_are_written_only_where_asked() -> None:
    plain, coloured = Page(20), Page(20, colour=True)
    for page in (plain, coloured):
        page.add(("red", "31"), "  ", ("  ", "1;32"), ("x", "1;97;48;5;160"))
    assert plain.lines == ["red    x"]
    assert coloured.lines == ["\x1b[31mred\x1b[0m    \x1b[1;97;48;5;160mx\x1b[0m"]


def test_ascii_is_as_wide_as_the_same_line_with_other_signs() -> None:
    page = Page(20, ascii=True)
    page.add("▶ │★│ …")
    assert page.lines == ["> |*| ~"]


def test_two_parts_share_a_line_where_there_is_room() -> None:
    page = Page(12)
    page.split(["left"], ["right"])
    page.split(["left part"], ["right"])
    assert page.lines == ["left   right", "left part", "right"]


def test_blocks_stand_beside_each_other_as_far_as_they_fit() -> None:
    page = Page(11)
    page.beside([[["aaaa"], ["a"]], [["bbbb"]], [["cccc"]]])
    assert page.lines == ["aaaa  bbbb", "a", "cccc"]


def test_long_texts_are_wrapped_behind_their_bullet() -> None:
    page = Page(10)
    page.wrapped("one two three", first="· ")
    page.wrapped("")
    assert page.lines == ["· one two", "  three"]


def test_a_rule_is_as_wide_as_the_page_and_blank_lines_never_follow_each_other() -> None:
    page = Page(12)
    page.blank()
    page.rule("news")
    page.blank()
    page.blank()
    page.rule()
    assert page.lines == ["── news ────", "", "─" * 12]
