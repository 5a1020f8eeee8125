"""Output pipe: what a program writes that is no answer, read at once whenever somebody asks for it.

asyncio's own pipes hand on what they have read one turn of the loop later. A line that a bot wrote before its answer
would then be heard after it, and be kept with the wrong decision.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable

from referee.match.allowance import Allowance

DRAIN_BURST = 4 << 20
DRAIN_PER_SECOND = 4 << 20
"""Bytes of output read at once and in the long run: a bot that writes without end waits, and costs us nothing."""
CHUNK = 64 << 10
"""Bytes of one read; a pipe usually holds no more."""


class OutputPipe:
    """Our end of a pipe, read whenever something is in it. The other end, `theirs`, is for the program."""

    def __init__(self, received: Callable[[bytes], object]) -> None:
        self._received = received
        self._loop = asyncio.get_running_loop()
        self._allowance = Allowance(DRAIN_BURST, DRAIN_PER_SECOND, time.monotonic())
        self._pause: asyncio.TimerHandle | None = None
        self._ours, self.theirs = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self._ours, False)
        self._open = True
        self._loop.add_reader(self._ours, self.read)

    def started(self) -> None:
        """The program has its end now, or never will."""
        os.close(self.theirs)

    def read(self) -> None:
        """Hear what has been written up to now, unless it was too much lately."""
        if not self._open or self._pause is not None:
            return
        try:
            data = os.read(self._ours, CHUNK)
        except BlockingIOError:
            return
        if not data:
            self.close()
            return
        self.spent(len(data))
        self._received(data)

    def spent(self, size: int) -> float:
        """Count so much output; the seconds for which none is to be read."""
        if not self._allowance.spend(size, time.monotonic()) and self._open and self._pause is None:
            self._loop.remove_reader(self._ours)
            self._pause = self._loop.call_later(self._allowance.wait, self._resume)
        return self._allowance.wait

    def close(self) -> None:
        """Read no more. What was written before has been heard if `read` was called."""
        if not self._open:
            return
        self._open = False
        if self._pause is not None:
            self._pause.cancel()
        self._loop.remove_reader(self._ours)
        os.close(self._ours)

    def _resume(self) -> None:
        self._pause = None
        self._loop.add_reader(self._ours, self.read)
