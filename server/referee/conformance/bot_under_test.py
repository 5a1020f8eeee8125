"""The bot under test: one process of an SDK's conformbot, its output, its exit, and its end if it hangs."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

LONGEST_OUTPUT = 4 << 20
LOOK_EVERY = 0.01
FORGOTTEN = "REFEREE_"
"""Variables of the person who runs the kit that a bot under test must not see."""


class CannotStart(Exception):
    """The command cannot be started at all; the text says why."""


class BotUnderTest:
    """A running program. Everything it writes to stderr is kept; stdout too, unless lines are read from it."""

    def __init__(self, process: asyncio.subprocess.Process, *, keep_stdout: bool) -> None:
        self.process = process
        self.seconds = 0.0
        """How long it ran, once it has ended."""
        self._began = time.monotonic()
        self._errors = bytearray()
        self._output = bytearray()
        self._news = asyncio.Condition()
        assert process.stderr is not None
        assert process.stdout is not None
        self._tasks = [asyncio.ensure_future(self._keep(process.stderr, self._errors))]
        if keep_stdout:
            self._tasks.append(asyncio.ensure_future(self._keep(process.stdout, self._output)))
        self.exited = asyncio.ensure_future(self._exit_code())

    @classmethod
    async def start(
        cls, command: Sequence[str], environment: Mapping[str, str], *, keep_stdout: bool = True
    ) -> BotUnderTest:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(FORGOTTEN)}
        try:
            with _signals_heeded():
                process = await asyncio.create_subprocess_exec(
                    *command,
                    env={**kept, **environment},
                    stdin=asyncio.subprocess.DEVNULL if keep_stdout else asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    start_new_session=True,
                    limit=LONGEST_OUTPUT,
                )
        except OSError as error:
            raise CannotStart(f"cannot start {command[0]}: {error.strerror}") from None
        return cls(process, keep_stdout=keep_stdout)

    @property
    def stderr(self) -> str:
        return self._errors.decode("utf-8", "replace")

    @property
    def stdout(self) -> str:
        return self._output.decode("utf-8", "replace")

    @property
    def last_words(self) -> str:
        """The last line on stderr that says anything."""
        lines = [line.strip() for line in self.stderr.splitlines() if line.strip()]
        return lines[-1] if lines else ""

    async def says(self, text: str, since: int = 0) -> int:
        """Wait until a text is on stderr, behind that place; returns the place behind it."""
        async with self._news:
            await self._news.wait_for(lambda: text in self.stderr[since:])
        return self.stderr.index(text, since) + len(text)

    def send(self, name: str) -> None:
        with suppress(ProcessLookupError):
            self.process.send_signal(getattr(signal, f"SIG{name}"))

    async def output_ends(self) -> None:
        """Once the program is gone: until all that it wrote has been read, unless a child of its keeps a pipe open."""
        await asyncio.wait(self._tasks, timeout=2)

    async def kill(self) -> None:
        """End the program and all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.exited
        await self.output_ends()
        for task in self._tasks:
            task.cancel()

    async def _exit_code(self) -> int:
        # `Process.wait` also waits for the pipes, which a child of the bot's may keep open.
        while (code := self.process.returncode) is None:  # noqa: ASYNC110 - asyncio has no event for it
            await asyncio.sleep(LOOK_EVERY)
        self.seconds = time.monotonic() - self._began
        return code

    async def _keep(self, reader: asyncio.StreamReader, into: bytearray) -> None:
        while data := await reader.read(1 << 16):
            if len(into) < LONGEST_OUTPUT:
                into += data
            async with self._news:
                self._news.notify_all()


@contextmanager
def _signals_heeded() -> Iterator[None]:
    """What is started within ignores no signal.

    A shell script lets the programs that it starts in the background ignore Ctrl-C, and so would what they start.
    """
    asked = threading.current_thread() is threading.main_thread()
    ignored = [one for one in (signal.SIGINT, signal.SIGTERM) if asked and signal.getsignal(one) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)
