"""Texts of strangers are short and safe to print, however they look."""

from __future__ import annotations

from referee.rules.spelling import printable


def test_texts_of_bots_are_cut_and_printable() -> None:
    assert printable("abc", 80) == "abc"
    assert printable("a" * 81, 80) == "a" * 79 + "…"
    assert printable("x" * 80, 80) == "x" * 80
    assert printable("a\x1b[2Jb\r\n\u202e\ud800", 80) == "a\ufffd[2Jb\ufffd\ufffd\ufffd\ufffd"
    assert printable("\x1b\tb", 80, allowed="\t") == "\ufffd\tb"
