"""The log of a seat: whole lines out of pieces, safe to print, the same after it was stored."""

from __future__ import annotations

import pytest

from referee.match.seat_log import LONGEST_LINE, Chunk, LogLine, SeatLog


def test_lines_are_put_together_and_count_from_where_they_begin() -> None:
    chunks = [Chunk(3, 1, b"one\ntw"), Chunk(4, 2, b"o"), Chunk(5, 2, b"\n\nthree")]
    log = SeatLog.of_chunks(1, chunks)
    assert log.lines == (LogLine(3, 1, "one"), LogLine(3, 1, "two"), LogLine(5, 2, "three"))


def test_where_something_was_left_out_the_broken_line_is_too() -> None:
    assert SeatLog.of_chunks(0, [Chunk(0, 1, b"ken line\nwhole")], left_out=9).lines == (LogLine(0, 1, "whole"),)
    assert SeatLog.of_chunks(0, [Chunk(0, 1, b"all that is left")], left_out=9).lines[0].text == "all that is left"


def test_lines_are_safe_to_print() -> None:
    [line] = SeatLog.of_chunks(0, [Chunk(0, 1, b"\x1b[2J\xff\tx\r\n")]).lines
    assert line.text == "\ufffd[2J\ufffd   x"
    [line] = SeatLog.of_chunks(0, [Chunk(0, 1, b"y" * 5000)]).lines
    assert len(line.text) == LONGEST_LINE


def test_a_log_is_the_same_after_it_was_stored() -> None:
    log = SeatLog.of_chunks(2, [Chunk(7, 3, "grüße \u2713\n".encode() * 3)], left_out=12)
    assert SeatLog.from_bytes(2, log.to_bytes()) == log
    for data in (b"", b"[]", b"{}", b'{"lines":[1],"left_out":0}'):
        with pytest.raises(ValueError, match=r"."):
            SeatLog.from_bytes(0, data)
