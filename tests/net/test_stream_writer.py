"""Writing without a task: in order, one message at a time, and whatever goes wrong stays with its own stream.

How a real stream behaves is tested in `test_play.py` and `test_hostile.py`; here the stream is made up, so that it can
be held up and break at will.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Generator

import grpc.aio
import pytest

from referee.net.stream_writer import StreamWriter

from ..waiting import PATIENCE


class Stream:
    """Takes messages and holds each back until it is let go, or breaks."""

    def __init__(self) -> None:
        self.messages: deque[str] = deque()
        self.written: list[str] = []
        self.gate: asyncio.Future[None] | None = None
        self.broken: Exception | None = None
        self.writer = StreamWriter(self.write, self.flush)

    def flush(self) -> None:
        while self.messages and self.writer.idle:
            self.writer.write(self.messages.popleft())

    async def write(self, message: str) -> None:
        if self.broken is not None:
            raise self.broken
        self.written.append(message)
        self.gate = asyncio.get_running_loop().create_future()
        await self.gate

    def say(self, *messages: str) -> None:
        self.messages.extend(messages)
        self.flush()

    async def let_go(self, error: Exception | None = None) -> None:
        assert self.gate is not None
        if error is None:
            self.gate.set_result(None)
        else:
            self.gate.set_exception(error)
        await asyncio.sleep(0)


@pytest.fixture
async def stream() -> Stream:
    return Stream()


async def test_a_message_leaves_at_once(stream: Stream) -> None:
    stream.say("one")
    assert stream.written == ["one"]


async def test_the_next_one_leaves_when_the_one_before_has_left(stream: Stream) -> None:
    stream.say("one", "two")
    stream.say("three")
    assert stream.written == ["one"]
    assert stream.writer.since is not None
    for expected in (["one", "two"], ["one", "two", "three"]):
        await stream.let_go()
        assert stream.written == expected
    await stream.let_go()
    assert stream.writer.since is None
    stream.say("four")
    assert stream.written[-1] == "four"


async def test_a_stream_that_needs_no_waiting_is_sent_everything() -> None:
    written: list[str] = []

    class Quick(Stream):
        async def write(self, message: str) -> None:
            written.append(message)

    Quick().say("one", "two", "three")
    assert written == ["one", "two", "three"]


@pytest.mark.parametrize("on_the_way", [True, False])
async def test_a_lost_connection_is_noticed_and_nothing_more_is_taken(stream: Stream, on_the_way: bool) -> None:
    lost = grpc.aio.UsageError("the stream is over")
    if on_the_way:
        stream.say("one")
        await stream.let_go(lost)
    else:
        stream.broken = lost
        stream.say("one")
    assert stream.writer.over.result() is None
    stream.say("two")
    assert list(stream.messages) == ["two"]
    assert stream.writer.since is None
    async with asyncio.timeout(PATIENCE):
        await stream.writer.finish("last words")


async def test_what_fails_here_hurts_nobody_else(stream: Stream) -> None:
    stream.broken = ValueError("no such field")
    stream.say("one")  # raises nothing: another bot's answer may have made it ready
    assert stream.writer.over.result() is stream.broken


async def test_last_words_come_after_what_is_on_its_way_and_instead_of_the_rest(stream: Stream) -> None:
    stream.say("one", "two")
    farewell = asyncio.ensure_future(stream.writer.finish("last words"))
    await asyncio.sleep(0)
    assert stream.written == ["one"]
    await stream.let_go()
    await asyncio.sleep(0)
    assert stream.written == ["one", "last words"]
    await stream.let_go()
    await farewell
    assert list(stream.messages) == ["two"]


async def test_a_farewell_without_words_waits_for_what_is_on_its_way(stream: Stream) -> None:
    stream.say("one")
    farewell = asyncio.ensure_future(stream.writer.finish(None))
    await asyncio.sleep(0)
    assert not farewell.done()
    await stream.let_go()
    async with asyncio.timeout(PATIENCE):
        await farewell


async def test_a_farewell_may_be_given_up(stream: Stream) -> None:
    stream.say("one")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await stream.writer.finish("last words")
    await stream.let_go()
    assert stream.written == ["one"]


async def test_after_stop_nothing_leaves(stream: Stream) -> None:
    stream.say("one", "two")
    stream.writer.stop()
    await stream.let_go()
    stream.say("three")
    assert stream.written == ["one"]


async def test_a_cancelled_wait_counts_as_a_lost_connection(stream: Stream) -> None:
    stream.say("one")
    assert stream.gate is not None
    stream.gate.cancel()
    await asyncio.sleep(0)
    assert stream.writer.over.result() is None


class Yielding:
    """What a coroutine of another kind may wait for: it yields by itself, once, and is done."""

    def __await__(self) -> Generator[None, None, None]:
        yield None


async def test_a_bare_yield_is_gone_on_from_in_the_next_turn_of_the_loop() -> None:
    class Giving(Stream):
        async def write(self, message: str) -> None:
            await Yielding()
            self.written.append(message)

    stream = Giving()
    stream.say("one", "two")
    assert stream.written == []
    for _ in range(4):
        await asyncio.sleep(0)
    assert stream.written == ["one", "two"]
