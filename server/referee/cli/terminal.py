"""What the terminal can show: colours, letters beyond ASCII, and how wide a board may be.

Where the encoding of the output lacks a character (`LC_ALL=C`, an old console), a plain one of the same width stands
for it. Without that, a sign such as `±` or the name of a stranger's bot would end a command in the middle.
"""

from __future__ import annotations

import codecs
import os
import sys
from typing import TextIO

PLAIN = "referee-plain"
"""The error handler of codecs that is registered here."""
WIDEST = 100
"""Columns of a board, on a terminal that is wider."""


def wants_colour() -> bool:
    """Whether the terminal should get colours: not where NO_COLOR says so, or the terminal is a dumb one."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") != "dumb"


def wants_ascii() -> bool:
    """Whether the output can show nothing but ASCII."""
    return not _shows_everything(sys.stdout)


def board_width(columns: int, indent: str = "") -> int:
    """How wide a board may be that is printed on a terminal of so many columns, each line behind an indent."""
    return min(columns, WIDEST) - len(indent)


def spell_plainly() -> None:
    """From here on no letter that stdout or stderr cannot show ends a command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure") and not _shows_everything(stream):
            codecs.register_error(PLAIN, _plain)
            stream.reconfigure(errors=PLAIN)


def tables_on_stdout() -> None:
    """Tables for programs follow: they are UTF-8 as in a file, whatever the terminal shows."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")


def _shows_everything(stream: TextIO) -> bool:
    return (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "").startswith("utf")


def _plain(error: UnicodeError) -> tuple[str, int]:
    from referee.rules.boards.text import to_ascii

    if not isinstance(error, UnicodeEncodeError):
        raise error
    return to_ascii(error.object[error.start : error.end].replace("±", "+/-")), error.end
