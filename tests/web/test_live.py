"""Streams: one computation for all who watch, only what has changed, and nothing piles up for slow readers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from referee.hall.places import PlacesTaken
from referee.web import lines, live
from referee.web.lines import Line, Lines
from referee.web.live import Channel, Channels, Gone, Parts

from ..waiting import PATIENCE, soon


class Shown:
    """A channel that a test changes."""

    def __init__(self) -> None:
        self.parts: Parts = {"head": "0", "table": "same"}
        self.news = asyncio.Event()
        self.made = 0
        self.over = False
        self.failure: Exception | None = None
        self.channels = Channels(1000, 1000)
        self.lines = Lines()
        self.channel = Channel(self._show, self._pause, self.channels.wakeups)

    def change(self, **parts: Any) -> None:
        self.parts = self.parts | parts
        self.news.set()

    async def _show(self) -> Parts:
        self.made += 1
        if self.failure is not None:
            raise self.failure
        return dict(self.parts)

    async def _pause(self) -> bool:
        if self.over:
            return False
        await self.news.wait()
        self.news.clear()
        return True


class Watching:
    """One who watches: a connection that takes what it is sent, unless it is told not to."""

    def __init__(self, shown: Shown) -> None:
        self.slow = False
        self.aborted = False
        self.written: list[bytes] = []
        self._messages: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._task = asyncio.create_task(self._read(shown.channel.watch(self, shown.lines)))

    async def _read(self, stream: AsyncGenerator[bytes, None]) -> None:
        try:
            async for message in stream:
                if message != live.RETRY:
                    self._messages.put_nowait(message)
        finally:
            await stream.aclose()
            self._messages.put_nowait(None)

    async def next(self) -> bytes | None:
        """The next message; None at the end."""
        async with asyncio.timeout(PATIENCE):
            return await self._messages.get()

    async def leave(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    # A `Transport`.

    def write(self, data: bytes) -> None:
        self.written.append(data)
        size, _, rest = data.partition(b"\r\n")
        assert len(rest) == int(size, 16) + 2
        self._messages.put_nowait(rest[:-2])

    def get_write_buffer_size(self) -> int:
        return 1 if self.slow else 0

    def is_closing(self) -> bool:
        return self.aborted

    def abort(self) -> None:
        self.aborted = True


def value(message: bytes | None) -> Any:
    assert message is not None
    return json.loads(message.partition(b"data: ")[2])


async def test_many_watchers_share_one_computation_and_one_message() -> None:
    shown = Shown()
    watching = [Watching(shown) for _ in range(100)]
    first = await asyncio.gather(*(one.next() for one in watching))
    assert shown.made == 1
    assert len({id(message) for message in first}) == 1
    shown.change(head="1")
    second = await asyncio.gather(*(one.next() for one in watching))
    assert shown.made == 2
    assert len({id(one.written[0]) for one in watching}) == 1, "encoded once, for all connections"
    assert value(second[0]) == {"head": "1"}, "only what has changed is sent"


async def test_one_who_comes_later_gets_everything_at_once() -> None:
    shown = Shown()
    early = Watching(shown)
    await early.next()
    shown.change(head="1")
    await early.next()
    assert value(await Watching(shown).next()) == {"head": "1", "table": "same"}


async def test_a_slow_reader_misses_states_in_between_and_gets_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LOOK_EVERY", 0.01)
    shown = Shown()
    slow, quick = Watching(shown), Watching(shown)
    await slow.next()
    await quick.next()
    slow.slow = True
    for number in range(1, 20):
        shown.change(head=str(number))
        await quick.next()
    assert slow.written == []
    slow.slow = False
    assert value(await slow.next()) == {"head": "19"}


class Stuck:
    """A connection whose reader takes nothing, or so much, and notes what it is sent."""

    def __init__(self, unread: int) -> None:
        self.unread = unread
        self.aborted = False
        self.written: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def get_write_buffer_size(self) -> int:
        return self.unread

    def is_closing(self) -> bool:
        return self.aborted

    def abort(self) -> None:
        self.aborted = True


async def test_a_reader_that_takes_nothing_for_long_is_dropped_and_one_that_takes_a_little_is_not() -> None:
    stuck, slow = Stuck(500), Stuck(500)
    both = [Line(transport, 1, lambda seen: (2, b"more")) for transport in (stuck, slow)]
    now = time.monotonic()
    for second in range(1, 60):
        slow.unread -= 1
        for line in both:
            line.set()
            line.look(now + second)
    assert stuck.aborted
    assert not slow.aborted
    assert stuck.written == slow.written == [], "nothing piles up"


async def test_a_silent_stream_gives_a_sign_of_life_and_a_busy_one_does_not() -> None:
    quiet = Stuck(0)
    line = Line(quiet, 1, lambda seen: (seen, b""))
    now = time.monotonic()
    line.look(now + lines.PING_SECONDS / 2)
    assert quiet.written == []
    line.look(now + lines.PING_SECONDS + 1)
    line.look(now + lines.PING_SECONDS + 2)
    assert quiet.written == [lines.PING]


async def test_the_end_is_heard_and_ends_the_stream() -> None:
    shown = Shown()
    watching = Watching(shown)
    await watching.next()
    shown.over = True
    shown.change(head="last")
    assert value(await watching.next()) == {"head": "last"}
    assert (await watching.next() or b"").startswith(b"event: over")
    assert await watching.next() is None


async def test_a_server_that_stops_ends_streams_without_saying_that_it_is_over() -> None:
    shown = Shown()
    early, waiting = Watching(shown), Watching(shown)
    await early.next()
    await waiting.next()
    shown.channel.stop()
    assert await early.next() is None
    assert await waiting.next() is None


async def test_what_has_gone_is_told_and_what_fails_tells_nothing_of_itself() -> None:
    for failure, told in (
        (Gone("there is no such tournament"), "there is no such tournament"),
        (KeyError("secret"), "cannot be shown"),
    ):
        shown = Shown()
        shown.failure = failure
        message = await Watching(shown).next()
        assert message is not None
        assert message.startswith(b"event: gone")
        assert told in value(message)["why"]
        assert "secret" not in message.decode()


async def test_what_goes_while_it_is_watched_is_told() -> None:
    shown = Shown()
    watching = Watching(shown)
    await watching.next()
    shown.failure = Gone("it was removed")
    shown.change(head="1")
    assert value(await watching.next()) == {"why": "it was removed"}


async def test_a_channel_without_watchers_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "LINGER", 0.01)
    shown = Shown()
    forgotten: list[bool] = []
    shown.channel.on_idle = lambda: forgotten.append(True)
    watching = Watching(shown)
    await watching.next()
    await watching.leave()
    await soon(lambda: forgotten)
    assert shown.channel.watchers == 0


async def test_there_is_a_limit_in_all_and_for_one_address() -> None:
    shown = Shown()
    channels = Channels(3, 2)
    peers = ("ipv4:1.1.1.1:5", "ipv4:1.1.1.1:6", "ipv4:2.2.2.2:5")
    places = [channels.stream(shown.channel, peer, Stuck(0)) for peer in peers]
    for one in places:
        await anext(one)
    with pytest.raises(PlacesTaken, match="from your address"):
        await anext(channels.stream(shown.channel, "ipv4:1.1.1.1:7", Stuck(0)))
    with pytest.raises(PlacesTaken, match="watch already"):
        await anext(channels.stream(shown.channel, "ipv4:3.3.3.3:7", Stuck(0)))
    await places[0].aclose()
    await anext(channels.stream(shown.channel, "ipv4:3.3.3.3:7", Stuck(0)))


async def test_a_channel_that_nobody_comes_to_watch_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "LINGER", 0.01)
    shown = Shown()
    closed: list[bool] = []
    shown.channel.on_close = lambda: closed.append(True)
    shown.channels.channel(("match", "league/0"), lambda: shown.channel)
    await soon(lambda: closed)
    assert shown.channels._open == {}
    late = Watching(shown)
    assert await late.next() is None  # the browser connects again, and another one is opened


async def test_a_channel_that_somebody_comes_to_watch_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Shown()
    shown.channels.channel(("match", "league/0"), lambda: shown.channel)
    watching = Watching(shown)
    await watching.next()
    assert shown.channel._closing is None
    await watching.leave()
    assert shown.channel._closing is not None
    shown.channel.close()
