"""A child process: one run of a bot's program with its pipes and signals. `BotProcess` listens and decides."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from contextlib import suppress
from typing import Any, Protocol

from referee.hosting.process.output_pipe import OutputPipe
from referee.hosting.process.usage import alive, measure
from referee.hosting.sandbox.launch import Launch

MEASURE_SECONDS = 0.2
"""On average: at moments that a bot cannot foresee, or it could look idle at each of them."""
LAST_WORDS = 0.25
"""Seconds to wait after an exit for what the program wrote last."""


class ChildListener(Protocol):
    """What is called when the program does something."""

    def stdout_received(self, chunk: bytes, now: float) -> bool:
        """It wrote to a stdout of its own; False: no one reads it, it is output like any other."""

    def output_received(self, chunk: bytes) -> None:
        """It wrote to stderr, or to a stdout that is the same pipe."""

    def stdout_closed(self) -> None:
        """It closed its stdout and lives on."""

    def measurement_due(self, child: Child) -> None:
        """It is time to measure what it uses; call `measure_again` afterwards."""

    def exited(self, code: int, seconds: float) -> None:
        """It has ended."""


class Child(asyncio.SubprocessProtocol):
    """One run of the program, with its pipes."""

    def __init__(self, listener: ChildListener, launch: Launch, output: OutputPipe) -> None:
        self.launch = launch
        self.over = asyncio.Event()
        self.pid = -1
        self._listener = listener
        self._loop = asyncio.get_running_loop()
        self._began = time.monotonic()
        self._transport: asyncio.SubprocessTransport | None = None
        self._measuring: asyncio.TimerHandle | None = None
        self._output = output
        self._exited = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._transport = transport
        self.pid = transport.get_pid() or -1
        self._measuring = self._loop.call_later(MEASURE_SECONDS / 4, self._measure)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        now = time.monotonic()
        self._output.read()  # what it wrote before an answer is in the pipe by the time the answer arrives
        if self._listener.stdout_received(data, now):
            return
        self._listener.output_received(data)
        if wait := self._output.spent(len(data)):
            self._pause(fd, wait)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1 and not self._exited:
            # Usually it is about to exit; if it does not, the listener has to know.
            self._loop.call_later(LAST_WORDS, self._closed)

    def _closed(self) -> None:
        if self._exited:
            return
        left = sum(alive([member]) for member in measure(self.pid).family)
        if left <= self.launch.wrappers:  # it has ended, and on a busy machine its wrappers are slow to follow
            self._loop.call_later(LAST_WORDS, self._closed)
        else:
            self._listener.stdout_closed()

    def process_exited(self) -> None:
        self._exited = True
        self._loop.call_later(LAST_WORDS, self._finish)

    def connection_lost(self, exc: Exception | None) -> None:
        self._finish()

    def write(self, line: bytes) -> None:
        pipe = self._pipe(0)
        if pipe is not None and not pipe.is_closing():
            pipe.write(line)

    def read_output(self) -> None:
        """Hear now what it has written, instead of when the loop comes to it."""
        self._output.read()

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
        """Killed alone, a wrapper that is still setting up the sandbox would leave behind what it has just started."""
        os.kill(self.pid, signal.SIGSTOP)  # or it would go on starting
        for pid, _ in measure(self.pid).family:
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

    def _measure(self) -> None:
        if not self._exited:
            self._listener.measurement_due(self)

    def measure_again(self, pause: float) -> None:
        """A measurement is done; the next one follows after a pause, at least so long."""
        if not self._exited:
            usual = MEASURE_SECONDS * random.uniform(0.5, 1.5)
            self._measuring = self._loop.call_later(max(usual, pause), self._measure)

    def _finish(self) -> None:
        if self.over.is_set() or not self._exited:
            return
        self.over.set()
        self._output.read()
        self._output.close()
        if self._measuring is not None:
            self._measuring.cancel()
        assert self._transport is not None
        code = self._transport.get_returncode()
        self._transport.close()
        self._listener.exited(-1 if code is None else code, time.monotonic() - self._began)
