"""The output pipe: what was written before an answer is heard before it, whatever the event loop finds first."""

from __future__ import annotations

import asyncio
import os
import selectors
import stat
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.hosting.bot.spec import parse
from referee.hosting.process import output_pipe
from referee.hosting.process.bot_process import BotProcess
from referee.hosting.process.output_pipe import CHUNK, OutputPipe
from referee.hosting.sandbox.launch import NoSandbox
from referee.match.match import Match
from referee.match.result import Termination
from referee.workers.bot_host import BotHost

from ...hosted_bots import Host
from ...waiting import PATIENCE, soon


class Heard:
    """A pipe whose other end this process keeps, and what was heard of it."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.pipe = OutputPipe(self.chunks.append)
        self._theirs = os.dup(self.pipe.theirs)
        self.pipe.started()

    @property
    def text(self) -> bytes:
        return b"".join(self.chunks)

    def write(self, data: bytes) -> None:
        os.write(self._theirs, data)

    def end(self) -> None:
        if self._theirs >= 0:
            os.close(self._theirs)
            self._theirs = -1


@pytest.fixture
async def heard() -> AsyncIterator[Heard]:
    one = Heard()
    yield one
    one.end()
    one.pipe.close()


async def test_what_has_been_written_is_heard_at_once_and_not_in_a_later_turn_of_the_loop(heard: Heard) -> None:
    heard.write(b"one\n")
    heard.write(b"two\n")
    heard.pipe.read()
    assert heard.text == b"one\ntwo\n"
    heard.pipe.read()
    assert heard.text == b"one\ntwo\n", "there was no more"


async def test_a_pipe_that_is_full_is_heard_whole(heard: Heard) -> None:
    heard.write(b"x" * CHUNK)
    heard.pipe.read()
    assert len(heard.text) == CHUNK


async def test_without_being_asked_the_loop_reads_it(heard: Heard) -> None:
    heard.write(b"one\n")
    await soon(lambda: heard.text == b"one\n")


async def test_after_the_end_and_after_it_was_closed_nothing_is_heard_and_nothing_fails(heard: Heard) -> None:
    heard.write(b"last words\n")
    heard.end()
    for _ in range(3):
        heard.pipe.read()
    assert heard.text == b"last words\n"
    assert not asyncio.get_running_loop().remove_reader(heard.pipe._ours), "the loop looks at it no more"
    heard.pipe.close()
    heard.pipe.read()
    assert heard.text == b"last words\n"


async def test_too_much_waits_and_is_heard_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_pipe, "DRAIN_BURST", 10)
    monkeypatch.setattr(output_pipe, "DRAIN_PER_SECOND", 100)
    heard = Heard()
    try:
        heard.write(b"x" * 20)
        heard.pipe.read()
        heard.write(b"y")
        heard.pipe.read()
        assert heard.text == b"x" * 20, "it was too much: the next is left in the pipe"
        await soon(lambda: heard.text == b"x" * 20 + b"y")
    finally:
        heard.end()
        heard.pipe.close()


# The law itself, with real programs.

LOUD = """
import sys, arena

def decide(decision):
    print("about", decision.number, file=sys.stderr, flush=True)
    return decision.legal[-1]

arena.run(decide)
"""
ANSWERS_AND_SAYS_SO = """
import os, sys

for line in sys.stdin:
    os.write(2, b"about 1\\n")
    os.write(1, b'{"decision":1,"move":"go"}\\n')
    open(sys.argv[1], "w").close()
"""


class ToldLate(selectors.DefaultSelector):
    """A loop that comes to some descriptors after all others, even if what is in them came first."""

    MEANWHILE = 0.02
    """Seconds in which something else may come."""

    def __init__(self, is_late: Callable[[int], bool]) -> None:
        super().__init__()
        self._is_late = is_late

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(timeout)
        if ready and all(self._is_late(key.fd) for key, _ in ready):
            time.sleep(self.MEANWHILE)
            ready = super().select(0)
        return [one for one in ready if not self._is_late(one[0].fd)] or ready


def is_pipe(descriptor: int) -> bool:
    return stat.S_ISFIFO(os.fstat(descriptor).st_mode)


@contextmanager
def noted(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[list[str], Callable[[bytes], object]]]:
    """What a bot writes and what it answers at the first seat, in the order in which both are heard."""
    said: list[str] = []
    real = Match.answer

    def answer(match: Match, seat: int, number: int, text: str, now: float, unreadable: str = "") -> bool:
        if seat == 0:
            said.append(f"answer {number}")
        return real(match, seat, number, text, now, unreadable)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(Match, "answer", answer)
        yield said, lambda chunk: said.extend(chunk.decode().splitlines())


def test_over_grpc_what_a_bot_wrote_before_its_answer_is_heard_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loud.py").write_text(LOUD)

    async def play() -> list[str]:
        with noted(monkeypatch) as (said, wrote):
            async with BotHost(NoSandbox()) as house:
                host = Host(house)
                ending = await host.play(await host.start_bot(parse("loud.py", tmp_path), on_stderr=wrote))
                assert ending.terminations[0] is Termination.FINISHED
            return said

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(ToldLate(is_pipe))) as runner:
        said = [line for line in runner.run(play()) if line.startswith(("about ", "answer "))]
    numbers = [line.split()[1] for line in said[::2]]
    assert len(numbers) > 5
    assert said == [f"{what} {number}" for number in numbers for what in ("about", "answer")]


def test_over_json_lines_what_a_bot_wrote_before_its_answer_is_heard_before_it(tmp_path: Path) -> None:
    """The loop stands still until all of it is written, and then comes to the pipe of the answer first."""
    done = tmp_path / "done"
    (tmp_path / "bot.py").write_text(ANSWERS_AND_SAYS_SO)
    said: list[str] = []
    process = BotProcess(parse(f"stdio:{sys.executable} bot.py {done}", tmp_path), NoSandbox())
    process.on_output = lambda chunk, now: said.append("answer")
    process.on_stderr = lambda chunk: said.append(chunk.decode().strip())

    first: list[int] = []

    def is_late(descriptor: int) -> bool:
        return bool(first) and is_pipe(descriptor) and descriptor not in first

    async def play() -> None:
        await process.start()
        assert process._run is not None
        first.append(process._run._pipe(1).get_extra_info("pipe").fileno())
        try:
            process.write(b'{"type":"decide"}\n')
            until = time.monotonic() + PATIENCE
            while not done.exists():
                assert time.monotonic() < until, process.stderr.lines()
                time.sleep(0.005)  # noqa: ASYNC251 - exactly this is meant
            await soon(lambda: len(said) >= 2)
        finally:
            first.clear()
            await process.stop()

    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(ToldLate(is_late))) as runner:
        runner.run(play())
    assert said == ["about 1", "answer"]
