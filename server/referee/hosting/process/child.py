"""One run of a bot's program: its pipes, its signals, its end. `BotProcess` listens, and decides what to do then."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from contextlib import suppress
from typing import Any, Protocol

from referee.hosting.process.usage import alive, weigh
from referee.hosting.sandbox.launch import Launch
from referee.match.allowance import Allowance

WEIGH_SECONDS = 0.2
"""On average: at moments that a bot cannot foresee, or it could look idle at each of them."""
DRAIN_BURST = 4 << 20
DRAIN_PER_SECOND = 4 << 20
"""Bytes of idle output read at once and in the long run: a bot that writes without end waits, and costs us nothing."""
LAST_WORDS = 0.25
"""Seconds to wait after an exit for what the program wrote last."""


class Owner(Protocol):
    """Who is told what the program does."""

    def heard(self, chunk: bytes, now: float) -> bool:
        """It wrote to stdout; False: nobody listens to that, treat it like stderr."""

    def muttered(self, chunk: bytes) -> None:
        """It wrote to stderr."""

    def closed(self) -> None:
        """It closed its stdout and lives on."""

    def weighed(self, child: Child) -> None:
        """Time to look how much it weighs."""

    def over(self, code: int, seconds: float) -> None:
        """It has ended."""


class Child(asyncio.SubprocessProtocol):
    """One run of the program, with its pipes."""

    def __init__(self, owner: Owner, launch: Launch) -> None:
        self.launch = launch
        self.over = asyncio.Event()
        self.pid = -1
        self._owner = owner
        self._loop = asyncio.get_running_loop()
        self._began = time.monotonic()
        self._transport: asyncio.SubprocessTransport | None = None
        self._scale: asyncio.TimerHandle | None = None
        self._allowance = Allowance(DRAIN_BURST, DRAIN_PER_SECOND, self._began)
        self._exited = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self.pid = transport.get_pid() or -1
        self._scale = self._loop.call_later(WEIGH_SECONDS / 4, self._weigh)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1 and self._owner.heard(data, time.monotonic()):
            return
        self._owner.muttered(data)
        if not self._allowance.spend(len(data), time.monotonic()):
            self._pause(fd, self._allowance.wait)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1 and not self._exited:
            # Usually it is about to exit; if it does not, whoever listens has to know.
            self._loop.call_later(LAST_WORDS, self._closed)

    def _closed(self) -> None:
        if self._exited:
            return
        left = sum(alive([member]) for member in weigh(self.pid).family)
        if left <= self.launch.wrappers:  # it has ended, and on a busy machine its wrappers are slow to follow
            self._loop.call_later(LAST_WORDS, self._closed)
        else:
            self._owner.closed()

    def process_exited(self) -> None:
        self._exited = True
        self._loop.call_later(LAST_WORDS, self._finish)

    def connection_lost(self, exc: Exception | None) -> None:
        self._finish()

    def write(self, line: bytes) -> None:
        pipe = self._pipe(0)
        if pipe is not None and not pipe.is_closing():
            pipe.write(line)

    def close_stdin(self) -> None:
        pipe = self._pipe(0)
        if pipe is not None:
            pipe.close()

    @property
    def unread(self) -> int:
        pipe = self._pipe(0)
        return 0 if pipe is None else pipe.get_write_buffer_size()

    def signal(self, number: int) -> None:
        if self._exited:
            return
        with suppress(ProcessLookupError):
            if number == signal.SIGKILL:
                self._kill_family()
            os.kill(self.pid, number)

    def _kill_family(self) -> None:
        """Killed alone, a wrapper that is still building its walls would leave behind what it has just started."""
        os.kill(self.pid, signal.SIGSTOP)  # or it would go on starting
        for pid, _ in weigh(self.pid).family:
            if pid != self.pid:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)

    async def end(self) -> None:
        """Ask it to stop, then make it; the wrappers take care of everything it has started."""
        for number, seconds in ((self.launch.stop, 3.0), (self.launch.kill, 3.0), (signal.SIGKILL, 3.0)):
            self.signal(number)
            with suppress(TimeoutError):
                await asyncio.wait_for(self.over.wait(), seconds)
                return

    def _pipe(self, fd: int) -> Any:
        return None if self._transport is None else self._transport.get_pipe_transport(fd)

    def _pause(self, fd: int, seconds: float) -> None:
        pipe = self._pipe(fd)
        if pipe is not None:
            pipe.pause_reading()
            self._loop.call_later(seconds, self._resume, pipe)

    @staticmethod
    def _resume(pipe: Any) -> None:
        if not pipe.is_closing():
            pipe.resume_reading()

    def _weigh(self) -> None:
        if not self._exited:
            self._owner.weighed(self)
            self._scale = self._loop.call_later(WEIGH_SECONDS * random.uniform(0.5, 1.5), self._weigh)

    def _finish(self) -> None:
        if self.over.is_set() or not self._exited:
            return
        self.over.set()
        if self._scale is not None:
            self._scale.cancel()
        assert self._transport is not None
        code = self._transport.get_returncode()
        self._transport.close()
        self._owner.over(-1 if code is None else code, time.monotonic() - self._began)
