"""Logs of hosted bots: what each wrote to stderr, kept for the matches that it was playing at that moment.

A bot has one stderr, however many matches it plays at once. A line that names a match (`cup/17`, as the SDKs' line with
its result does) is kept for that match alone, and nowhere once that match is over. Any other line is kept for all
matches that the bot is playing. A limit per match and seat bounds it; of more than that the latest is kept, as an error
comes last. What a bot writes while it plays no match is kept nowhere.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence

from referee.match.seat_log import Chunk, SeatLog

MOST_BYTES = 32 << 10
"""Kept of one bot in one match."""
NAME_WITHIN = 200
"""Bytes at the beginning of a line in which the name of a match is looked for."""
MATCHES_REMEMBERED = 1000
"""Matches that are over and whose names are still known: the lines that name them come a little later."""

_LINES = re.compile(rb"[^\n]*\n|[^\n]+")
_AROUND_NAMES = b"\"'()[]<>:;,."


class StderrLogs:
    """The stderr of the bots of one pool. `heard` as it comes; `opened` and `closed` around each match."""

    def __init__(self) -> None:
        self._bots: dict[str, _Stderr] = {}
        """Those that play a match."""
        self._seats: dict[str, Sequence[str]] = {}
        self._over: dict[str, None] = {}
        """Matches that are over, the oldest first."""

    def opened(self, match: str, bots: Sequence[str], decisions: Callable[[], int]) -> None:
        """A match of these bots begins; `decisions` tells how many it has had so far."""
        self._seats[match] = bots
        self._over.pop(match, None)  # it may be played again
        for bot in bots:
            self._bots.setdefault(bot, _Stderr()).matches[match] = _Kept(decisions)

    def heard(self, bot: str, data: bytes) -> None:
        """A bot wrote this."""
        stderr = self._bots.get(bot)
        if stderr is None:
            return
        # Cutting it into lines takes time, for each is then kept in many matches: only where a line may name one.
        for piece in [data] if stderr.begun is None and b"/" not in data else _LINES.findall(data):
            kept = self._kept_for(piece, stderr) if stderr.begun is None else stderr.begun
            stderr.begun = None if piece.endswith(b"\n") else kept
            for one in kept:
                one.add(piece, len(kept))

    def noted(self, match: str, bot: str, lines: Sequence[str]) -> None:
        """What a bot had written before, to be kept with a match in which it cannot play for it."""
        if lines and bot in self._bots and (kept := self._bots[bot].matches.get(match)) is not None:
            kept.add("\n".join(lines).encode("utf-8", "replace") + b"\n", 1)

    def closed(self, match: str) -> tuple[SeatLog, ...]:
        """A match is over: what its bots wrote, of those that wrote anything."""
        logs = []
        for seat, bot in enumerate(self._seats.pop(match, ())):
            matches = self._bots[bot].matches
            kept = matches.pop(match)
            if not matches:
                del self._bots[bot]
            if kept.chunks:
                logs.append(SeatLog.of_chunks(seat, kept.chunks, kept.left_out))
        self._over[match] = None
        if len(self._over) > MATCHES_REMEMBERED:
            del self._over[next(iter(self._over))]
        return tuple([log for log in logs if log.lines])

    def _kept_for(self, line: bytes, stderr: _Stderr) -> list[_Kept]:
        """The matches that a line is for: the one it names, none if that is over, or all that the bot is playing."""
        if b"/" in line:
            for word in line[:NAME_WITHIN].split():
                if b"/" in word:
                    name = word.strip(_AROUND_NAMES).decode("utf-8", "replace")
                    if name in stderr.matches:
                        return [stderr.matches[name]]
                    if name in self._over:
                        return []
        return list(stderr.matches.values())


class _Stderr:
    """The stderr of a bot that plays."""

    __slots__ = ("begun", "matches")

    def __init__(self) -> None:
        self.matches: dict[str, _Kept] = {}
        self.begun: list[_Kept] | None = None
        """Of a line whose end has not come yet: what it is for."""


class _Kept:
    """What one bot wrote during one match: the last so many bytes of it."""

    __slots__ = ("_size", "chunks", "decisions", "left_out")

    def __init__(self, decisions: Callable[[], int]) -> None:
        self.decisions = decisions
        self.chunks: deque[Chunk] = deque()
        self.left_out = 0
        self._size = 0

    def add(self, data: bytes, shared: int) -> None:
        if len(data) > MOST_BYTES:
            self.left_out += len(data) - MOST_BYTES
            data = data[-MOST_BYTES:]
        self.chunks.append(Chunk(self.decisions(), shared, data))
        self._size += len(data)
        while self._size > MOST_BYTES:
            oldest = self.chunks.popleft()
            kept = oldest.data[self._size - MOST_BYTES :]
            self._size -= len(oldest.data) - len(kept)
            self.left_out += len(oldest.data) - len(kept)
            if kept:
                self.chunks.appendleft(oldest._replace(data=kept))
