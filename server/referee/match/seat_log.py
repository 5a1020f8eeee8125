"""What a hosted bot wrote to stderr during one match, as it is kept: lines, each with the decision it was written at.

It is for the bot's author and the host alone: no record, no export and no bot shows it. A bot that plays several
matches at once has one stderr, so a line that names no match counts for every match that it was playing at that moment
and says how many these were.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from referee.rules.game import Seat
from referee.rules.spelling import printable

LONGEST_LINE = 1000
"""Characters of a line that are kept."""


class LogLine(NamedTuple):
    """One line of stderr."""

    decision: int
    """The decision of the match that was open when it came."""
    shared: int
    """How many matches the bot was playing."""
    text: str


class Chunk(NamedTuple):
    """A piece of stderr as it came, which need not end where a line does."""

    decision: int
    shared: int
    data: bytes


class PackedLog(NamedTuple):
    """A log on its way into the store: `body` is what `SeatLog.to_bytes` wrote, and is not read on the way."""

    seat: Seat
    body: bytes


@dataclass(frozen=True, slots=True)
class SeatLog:
    """What one seat's bot wrote, oldest first."""

    seat: Seat
    lines: tuple[LogLine, ...]
    left_out: int = 0
    """Bytes of what it wrote first that were too much to be kept."""

    @classmethod
    def of_chunks(cls, seat: Seat, chunks: Iterable[Chunk], left_out: int = 0) -> SeatLog:
        """Whole lines from pieces; a line counts from where it begins. What begins in the midst of one is cut off."""
        lines: list[LogLine] = []
        begun: Chunk | None = None
        for chunk in chunks:
            *whole, rest = chunk.data.split(b"\n")
            for data in whole:
                start = begun or chunk
                lines.append(LogLine(start.decision, start.shared, _printable((begun.data if begun else b"") + data)))
                begun = None
            if rest:
                begun = begun._replace(data=begun.data + rest) if begun else chunk._replace(data=rest)
        if begun is not None:
            lines.append(LogLine(begun.decision, begun.shared, _printable(begun.data)))
        if left_out and len(lines) > 1:
            del lines[0]
        return cls(seat, tuple([line for line in lines if line.text.strip()]), left_out)

    def to_bytes(self) -> bytes:
        """As it is stored: JSON."""
        value = {"left_out": self.left_out, "lines": self.lines}
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")

    def pack(self) -> PackedLog:
        """As it is sent and stored."""
        return PackedLog(self.seat, self.to_bytes())

    @classmethod
    def from_bytes(cls, seat: Seat, data: bytes) -> SeatLog:
        """Read what `to_bytes` wrote; ValueError if it is something else."""
        try:
            value = json.loads(data)
            return cls(seat, tuple([LogLine(*line) for line in value["lines"]]), value["left_out"])
        except (TypeError, KeyError, RecursionError) as error:
            raise ValueError(f"this is no log: {error}") from None


def _printable(line: bytes) -> str:
    return printable(line[: 4 * LONGEST_LINE].decode("utf-8", "replace").rstrip("\r").expandtabs(4), LONGEST_LINE)
