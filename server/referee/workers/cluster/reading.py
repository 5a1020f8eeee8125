"""Where answers of workers are read and replayed: at first in threads, in a longer tournament in other processes.

Replaying is half of what a match costs the host, and threads of one Python process share one core. So it is what many
workers would wait for first. A process ends when its pipe does, with the host, however that ends. One that dies is
replaced, and what it was reading is read in a thread: no result is lost for it.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import struct
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, BinaryIO

import structlog

from referee.hosting.admission.capacity import cores_at_hand
from referee.processes import collect_seldom
from referee.threads import in_thread
from referee.tournament.running.venue import Fixture
from referee.workers.cluster.results import Answer, Untrue, read_answer

log = structlog.get_logger()
WORTH_IT = 500
"""Results from which on processes are started: that takes about as long as replaying so many."""
MOST = 4
"""Processes: they replay more matches than one host stores."""
MOST_DEATHS = 5
"""Processes that may die before threads have to do."""
LENGTH = struct.Struct(">Q")


class Readers:
    """Reads answers; `read` may be called for several at once."""

    def __init__(self, processes: int | None = None, worth_it: int = WORTH_IT) -> None:
        """So many processes, from so many results on; unless told otherwise all cores but one."""
        self._processes = min(MOST, cores_at_hand() - 1) if processes is None else processes
        self._worth_it = worth_it
        self._results = 0
        self._deaths = 0
        self._all: list[_Reader] = []
        self._idle: list[_Reader] = []
        self._turn = asyncio.Semaphore(max(1, self._processes))

    @property
    def pids(self) -> list[int]:
        """The processes that are there."""
        return [reader.process.pid for reader in self._all if reader.process is not None]

    async def read(self, said: bytes, fixtures: Mapping[str, Fixture]) -> Answer:
        """Read and check an answer; Untrue if anything in it is not so."""
        answer = await self._in_process(said, fixtures)
        if answer is None:
            answer = await in_thread(read_answer, said, fixtures)
        self._results += len(answer.results)
        return answer

    async def close(self) -> None:
        """End the processes."""
        self._processes = 0
        await asyncio.gather(*(reader.close() for reader in self._all))
        self._all, self._idle = [], []

    async def _in_process(self, said: bytes, fixtures: Mapping[str, Fixture]) -> Answer | None:
        """The answer, read by a process; None if threads have to do."""
        if self._results < self._worth_it:
            return None
        # What is too much waits: threads would take the time that the processes are there to save.
        async with self._turn:
            if not self._processes or self._deaths >= MOST_DEATHS:
                return None
            reader = self._idle.pop() if self._idle else self._further()
            try:
                answer = await reader.read(said, fixtures)
            except (OSError, EOFError) as error:
                self._deaths += 1
                log.warning("a process that replays matches died", how=str(error) or type(error).__name__)
                await self._drop(reader)
                return None
            except Untrue:
                self._idle.append(reader)
                raise
            except BaseException:  # nobody waits for its answer any more, which would be taken for the next one's
                await self._drop(reader)
                raise
            self._idle.append(reader)
            return answer

    def _further(self) -> _Reader:
        reader = _Reader()
        self._all.append(reader)
        return reader

    async def _drop(self, reader: _Reader) -> None:
        if reader in self._all:
            self._all.remove(reader)
        await reader.close()


class _Reader:
    """One process, seen from the host."""

    def __init__(self) -> None:
        self.process: asyncio.subprocess.Process | None = None

    async def read(self, said: bytes, fixtures: Mapping[str, Fixture]) -> Answer:
        """OSError or EOFError if the process cannot be started or dies."""
        process = self.process = self.process or await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "referee.workers.cluster.reading",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is the host's to handle
        )
        assert process.stdin is not None
        assert process.stdout is not None
        question = pickle.dumps((said, dict(fixtures)), pickle.HIGHEST_PROTOCOL)
        process.stdin.write(LENGTH.pack(len(question)) + question)
        await process.stdin.drain()
        length = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
        found = pickle.loads(await process.stdout.readexactly(length))  # from our own process, and not from a worker
        if isinstance(found, Untrue):
            raise found
        assert isinstance(found, Answer)
        return found

    async def close(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.kill()  # it holds nothing that could be lost
            await self.process.wait()


def main() -> None:
    """In the process: read what is asked until the pipe ends."""
    collect_seldom()
    into, out = os.fdopen(0, "rb"), os.fdopen(1, "wb")
    with suppress(BrokenPipeError):
        while (question := _next(into)) is not None:
            said, fixtures = question
            found: Answer | Untrue
            try:
                found = read_answer(said, fixtures)
            except Untrue as untrue:
                found = untrue
            answer = pickle.dumps(found, pickle.HIGHEST_PROTOCOL)
            out.write(LENGTH.pack(len(answer)) + answer)
            out.flush()


def _next(pipe: BinaryIO) -> Any:
    length = pipe.read(LENGTH.size)
    return pickle.loads(pipe.read(*LENGTH.unpack(length))) if len(length) == LENGTH.size else None


if __name__ == "__main__":
    main()
