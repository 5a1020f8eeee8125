"""Direct writes to the connections of watchers (fan-out): a stream that is open costs one write per message, no task.

Through a generator, a task group and ASGI a message takes several times as long as the write itself. So once a watcher
has its first state, the same bytes are written to all connections, as the server would have written them. A connection
that has not taken its last message is passed over; it gets the latest state later, or is dropped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

SLOW_READER_SECONDS = 20.0
"""A watcher that takes nothing for so long is dropped."""
PING_SECONDS = 20.0
"""A stream that says nothing for so long gives a sign of life: proxies and browsers give up on silent ones."""
LOOK_EVERY = 1.0


class Transport(Protocol):
    """A connection, as asyncio has it."""

    def write(self, data: bytes) -> object: ...
    def get_write_buffer_size(self) -> int: ...
    def is_closing(self) -> bool: ...
    def abort(self) -> object: ...


def chunk(message: bytes) -> bytes:
    """A message as HTTP/1.1 sends it in an answer of unknown length (chunked transfer coding)."""
    return b"%x\r\n%b\r\n" % (len(message), message)


PING = chunk(b": ping\n\n")


class Line:
    """The connection of one watcher. `set` brings it up to date; `ended` is set once there is nothing more to write."""

    def __init__(self, transport: Transport, seen: int, due: Callable[[int], tuple[int, bytes] | None]) -> None:
        """`due` tells what one who has seen so much is sent, and what it has seen then; None at the end."""
        self.seen = seen
        self.ended = asyncio.Event()
        self._transport = transport
        self._due = due
        self._behind = False
        self._unread = 0
        self._at = time.monotonic()
        """When the watcher was last seen to take anything, or was last sent something."""

    def set(self) -> bool:
        """Write what is due, unless the last message is still on its way. True: no task has to be called for it."""
        if self._transport.get_write_buffer_size():
            self._behind = True
            return True
        self._behind = False
        due = self._due(self.seen)
        if due is None:
            self.ended.set()
        elif due[1]:
            self.seen = due[0]
            self._at = time.monotonic()
            self._transport.write(due[1])
        return True

    def look(self, now: float) -> None:
        """Drop a watcher that takes nothing; serve one that was passed over; give a sign of life."""
        unread = self._transport.get_write_buffer_size()
        if unread:
            if unread < self._unread or not self._unread:
                self._at = now
            elif now - self._at > SLOW_READER_SECONDS:
                self._transport.abort()
            self._unread = unread
            return
        self._unread = 0
        if self._behind:
            self.set()
        elif now - self._at > PING_SECONDS:
            self._at = now
            self._transport.write(PING)


class Lines:
    """All of them, looked after once a second while there are any."""

    def __init__(self) -> None:
        self._open: set[Line] = set()
        self._timer: asyncio.TimerHandle | None = None

    @contextmanager
    def open(self, line: Line) -> Iterator[None]:
        """While it lasts, the line is looked after."""
        self._open.add(line)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look)
        try:
            yield
        finally:
            self._open.discard(line)
            if not self._open and self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _look(self) -> None:
        now = time.monotonic()
        for line in self._open:
            line.look(now)
        self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look)
