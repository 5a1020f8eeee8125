"""What a program writes: the last lines kept for people, and lines cut from pipes at bounded cost."""

from __future__ import annotations

from collections import deque

KEPT_LINES = 40
KEPT_LETTERS = 300


class LastLines:
    """The last lines of a program's stderr; however much it writes, only so much is kept or looked at."""

    def __init__(self, lines: int = KEPT_LINES, letters: int = KEPT_LETTERS) -> None:
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
        return [printable(line, self._letters) for line in text.splitlines() if line.strip()][-self._lines :]

    def told(self, lines: int = 8) -> str:
        """The last few lines for a message, or a word that there are none."""
        last = self.lines()[-lines:]
        return "\n".join(f"  | {line}" for line in last) if last else "  (it wrote nothing to stderr)"


class LineTooLong(Exception):
    """A line has no end within what is allowed."""


class Splitter:
    """Cuts a stream of bytes into lines; never holds more than one line of the length that is allowed."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._rest = b""

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that are complete now, without their ends; LineTooLong says that the writer is not to be heard."""
        *lines, rest = (self._rest + chunk).split(b"\n")
        self._rest = rest
        if len(rest) > self._longest or any(len(line) > self._longest for line in lines):
            self._rest = b""
            raise LineTooLong
        return lines


def printable(line: str, letters: int = KEPT_LETTERS) -> str:
    """A text of a bot's, safe for a terminal and for a record."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in line[: letters + 1])
    return shown if len(shown) <= letters else shown[: letters - 1] + "…"
