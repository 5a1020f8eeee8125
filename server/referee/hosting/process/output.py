"""Output of a program: a ring buffer of its last lines for messages, and a line splitter of bounded size."""

from __future__ import annotations

import re
from collections import deque

from referee.rules.spelling import LINE, printable

KEPT_LINES = 200
ERROR = re.compile(
    r"(?!\s|at |Traceback |Caused by|\.\.\. ).*?\b(\w*(Error|Exception)|panic|panicked|fatal|failed|cannot|can't"
    r"|unhandled|uncaught|undefined|not found|no such|attempt to)\b",
    re.IGNORECASE,
)
"""What the first line of an error looks like in most languages: not indented, with one of these words."""
LEFT_OUT = "…"


class LastLines:
    """The last lines of a program's stderr; however much it writes, only so much is kept or looked at."""

    def __init__(self, lines: int = KEPT_LINES, letters: int = LINE) -> None:
        self.bytes = 0
        """All that was ever written."""
        self._most = lines * (letters + 1)
        self._letters = letters
        self._lines = lines
        self._chunks: deque[bytes] = deque()
        self._size = 0

    def add(self, chunk: bytes) -> None:
        self.bytes += len(chunk)
        chunk = chunk[-self._most :]
        self._chunks.append(chunk)
        self._size += len(chunk)
        while self._size - len(self._chunks[0]) >= self._most:
            self._size -= len(self._chunks.popleft())

    def lines(self) -> list[str]:
        """The last lines, oldest first, safe to print."""
        text = b"".join(self._chunks).decode("utf-8", "replace")
        if self.bytes > self._size:  # what is kept begins in the midst of a line
            text = text.partition("\n")[2] or text
        return [printable(line, self._letters, "\t") for line in text.splitlines() if line.strip()][-self._lines :]

    def shown(self, lines: int) -> list[str]:
        """The last few lines, with the first line of the last error even if it is further up."""
        return with_first_line_of_error(self.lines(), lines)

    def told(self, lines: int = 8) -> str:
        """The last few lines for a message, or a word that there are none."""
        last = self.shown(lines)
        return "\n".join(f"  | {line}" for line in last) if last else "  (it wrote nothing to stderr)"


def with_first_line_of_error(lines: list[str], most: int) -> list[str]:
    """At most so many of the last lines, with the first two of an error, if there is room for them.

    The first says what happened. In most languages the second says where: in the bot's own code, while the last ones
    tell of what called it.
    """
    if len(lines) <= most:
        return lines
    if any(ERROR.match(line) for line in lines[-most:]):
        return lines[-most:]
    above = [place for place, line in enumerate(lines[:-most]) if ERROR.match(line)]
    if not above or most < 3:
        return lines[-most:]
    first = lines[above[-1] : above[-1] + (2 if most > 4 else 1)]
    return [*first, LEFT_OUT, *lines[len(first) + 1 - most :]]


class LineTooLong(Exception):
    """A line is longer than allowed."""


class LineSplitter:
    """Cuts a stream of bytes into lines; never holds more than one line of the length that is allowed."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that are complete now, without their ends; LineTooLong if one is longer than allowed."""
        *lines, rest = (self._rest + chunk).split(b"\n")
        self._rest = rest
        if len(rest) > self._longest or any(len(line) > self._longest for line in lines):
            self._rest = b""
            raise LineTooLong
        return lines
