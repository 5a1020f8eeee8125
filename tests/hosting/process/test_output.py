"""What a program writes: cut into lines however the pipe cuts it, and only the last lines kept."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.hosting.process.output import LastLines, LineSplitter, LineTooLong


@given(chunks=st.lists(st.binary(max_size=30), max_size=20))
@settings(max_examples=100)
def test_lines_are_the_same_however_the_pipe_cuts_them(chunks: list[bytes]) -> None:
    splitter = LineSplitter(1000)
    lines = [line for chunk in chunks for line in splitter.feed(chunk)]
    assert lines == b"".join(chunks).split(b"\n")[:-1]


def test_a_line_without_end_is_given_up_before_it_is_kept() -> None:
    splitter = LineSplitter(100)
    splitter.feed(b"x" * 90)
    with pytest.raises(LineTooLong):
        splitter.feed(b"x" * 20)
    with pytest.raises(LineTooLong):
        splitter.feed(b"x" * 200 + b"\n")


@given(chunks=st.lists(st.binary(max_size=5000), max_size=30))
@settings(max_examples=50)
def test_of_endless_output_only_the_last_lines_are_kept(chunks: list[bytes]) -> None:
    kept = LastLines(lines=5, letters=20)
    for chunk in chunks:
        kept.add(chunk)
    assert kept.bytes == sum(map(len, chunks))
    assert kept._size <= 2 * 5 * 21
    assert len(kept.lines()) <= 5
    assert all(line.replace("\t", "").isprintable() and len(line) <= 20 for line in kept.lines())


def test_the_last_lines_are_the_last_ones() -> None:
    kept = LastLines(lines=3, letters=20)
    for number in range(1000):
        kept.add(f"line {number}\n".encode())
    assert kept.lines() == ["line 997", "line 998", "line 999"]


def test_tabs_are_kept_and_other_controls_are_not() -> None:
    kept = LastLines()
    kept.add(b"\tat Bot.main(Bot.java:3)\x1b[31m\n")
    assert kept.lines() == ["\tat Bot.main(Bot.java:3)\N{REPLACEMENT CHARACTER}[31m"]


@pytest.mark.parametrize(
    "error",
    [
        'Exception in thread "main" java.lang.IllegalStateException: no cards',
        "panic: runtime error: index out of range",
        "thread 'main' panicked at src/main.rs:3:5:",
        "bot.rb:3:in `pick': undefined method `x' for nil (NoMethodError)",
        "lua: bot.lua:3: attempt to index a nil value",
        "TypeError: legal is undefined",
    ],
)
def test_the_first_line_of_an_error_is_shown_however_long_its_trace_is(error: str) -> None:
    kept = LastLines()
    kept.add(b"starting\nall is well\n")
    trace = [f"\tat place {number}" for number in range(30)]
    kept.add("\n".join([error, *trace, "Caused by: another one", *trace[:5]]).encode() + b"\n")
    shown = kept.told(8).splitlines()
    assert shown[:3] == [f"  | {error}", "  | \tat place 0", "  | …"]
    assert shown[-1] == "  | \tat place 4"
    assert len(shown) == 8


def test_the_first_line_that_is_kept_is_a_whole_one() -> None:
    kept = LastLines(lines=3, letters=20)
    for number in range(30):
        kept.add(f"number {number:02}\n".encode() * 2)
    assert set(map(len, kept.lines())) == {9}


def test_of_calm_output_the_last_lines_are_shown() -> None:
    kept = LastLines()
    kept.add("".join(f"line {number}\n" for number in range(100)).encode())
    assert kept.shown(3) == ["line 97", "line 98", "line 99"]
