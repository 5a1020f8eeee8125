"""Live streams (server-sent events): one computation for all who watch, slow readers miss states and never pile up.

A channel shows a few parts under their names: the standings, the board, the latest results. Each watcher gets all
parts at first, and then those that have changed since the last message it took. That message is encoded once, and
written straight to the connection of each (`web/lines.py`). Watchers are served a few at a time, and after each group
the loop belongs to others for many times as long: however many watch, judging goes first.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any

import structlog

from referee.hall.places import Places, PlacesTaken
from referee.hall.staggered_wakeups import StaggeredWakeups
from referee.web.lines import Line, Lines, Transport, chunk

log = structlog.get_logger()
Parts = dict[str, Any]
SHARE = 20.0
"""The loop belongs to others for so many times as long as a group of watchers took."""
LONGEST_PAUSE = 0.25
LINGER = 5.0
"""Seconds that a channel goes on without watchers: pages are reloaded, phones come back."""
RETRY = b"retry: 2000\n\n"
"""After how many milliseconds a browser connects again."""


class Gone(Exception):
    """There is nothing to watch any more, and will not be: the text says why."""


class Channel:
    """One thing that is shown live. `show` is called again and again while anybody watches."""

    def __init__(
        self, show: Callable[[], Awaitable[Parts]], pause: Callable[[], Awaitable[bool]], wakeups: Any
    ) -> None:
        """`pause` waits until it is worth looking again; False: what was shown last is the end."""
        self._show = show
        self._pause = pause
        self._wakeups: StaggeredWakeups = wakeups
        self._watchers: set[asyncio.Event | Line] = set()
        self._parts: dict[str, tuple[int, Any]] = {}
        self._number = 0
        self._over = False
        self._stopped = False
        self._failure: str | None = None
        self._written: dict[int, bytes] = {}
        """The message for those who have seen so much, made once."""
        self._chunks: dict[int, bytes] = {}
        """The same as it goes over a connection."""
        self._task: asyncio.Task[None] | None = None
        self._closing: asyncio.TimerHandle | None = None
        self.on_idle: Callable[[], object] = lambda: None
        """Called when it may be forgotten."""
        self.on_close: Callable[[], object] = lambda: None

    @property
    def watchers(self) -> int:
        return len(self._watchers)

    @property
    def states(self) -> int:
        """How many states were shown so far; each watcher was sent most of them."""
        return self._number

    async def watch(self, transport: Transport, lines: Lines) -> AsyncGenerator[bytes, None]:
        """Messages for one watcher, to the end of what is shown. The first state and the end are yielded; all between
        is written to the connection.
        """
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        news = asyncio.Event()
        self._watchers.add(news)
        if self._task is None:
            self._failure = None
            self._task = asyncio.get_running_loop().create_task(self._run())
        seen = 0
        try:
            yield RETRY
            while True:
                news.clear()
                if self._stopped:
                    return
                if self._failure is not None:
                    yield _event("gone", {"why": self._failure})
                    return
                if seen == self._number:
                    if self._over:
                        yield _event("over", {})
                        return
                    if not seen:
                        await news.wait()
                    else:
                        seen = await self._directly(Line(transport, seen, self._chunk), news, lines)
                    continue
                message = self._since(seen)
                seen = self._number
                yield message
        finally:
            self._watchers.discard(news)
            self._wakeups.forget(news)
            if not self._watchers:
                self.linger()

    def linger(self) -> None:
        """Nobody watches yet, or any more: close it, unless somebody comes soon."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().call_later(LINGER, self.close)

    async def _directly(self, line: Line, news: asyncio.Event, lines: Lines) -> int:
        """Serve a watcher without its task until nothing more will come; the number of the last state it was sent."""
        self._watchers.add(line)
        self._watchers.discard(news)
        try:
            with lines.open(line):
                await line.ended.wait()
        finally:
            self._watchers.add(news)
            self._watchers.discard(line)
            self._wakeups.forget(line)
        return line.seen

    def _chunk(self, seen: int) -> tuple[int, bytes] | None:
        """What one who has seen so much is sent, and what it has seen then; None at the end."""
        if self._failure is not None or self._over or self._stopped:
            return None
        if seen == self._number:
            return seen, b""
        if seen not in self._chunks:
            self._chunks[seen] = chunk(self._since(seen))
        return self._number, self._chunks[seen]

    def stop(self) -> None:
        """The server stops: streams end, and browsers connect again later."""
        self._stopped = True
        for watcher in list(self._watchers):
            watcher.set()
        self.close()

    def close(self) -> None:
        """Show nothing more: who comes too late connects again, and another channel is opened."""
        self._stopped = True
        if self._closing is not None:
            self._closing.cancel()
            self._closing = None
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self.on_close()
        self.on_idle()

    def _since(self, seen: int) -> bytes:
        if seen not in self._written:
            parts = {name: value for name, (number, value) in self._parts.items() if number > seen}
            self._written[seen] = _event("parts", parts)
        return self._written[seen]

    async def _run(self) -> None:
        try:
            while not self._over:
                parts = await self._show()
                changed = [name for name, value in parts.items() if self._parts.get(name, (0, None))[1] != value]
                if changed:
                    self._number += 1
                    self._written.clear()
                    self._chunks.clear()
                    for name in changed:
                        self._parts[name] = (self._number, parts[name])
                    self._wakeups.wake(self._watchers)
                if not await self._pause():
                    self._over = True
                    self._wakeups.wake(self._watchers)
        except Gone as error:
            self._fail(str(error))
        except Exception:
            log.exception("a page could not be kept up to date")
            self._fail("it cannot be shown at this moment")

    def _fail(self, why: str) -> None:
        self._failure = why
        self._task = None
        self._wakeups.wake(self._watchers)
        self.on_close()
        self.on_idle()


class Channels:
    """All channels that are watched, and how many may watch."""

    def __init__(self, watchers: int, watchers_per_address: int) -> None:
        self.wakeups = StaggeredWakeups(SHARE, LONGEST_PAUSE)
        self.places = Places(
            watchers,
            watchers_per_address,
            PlacesTaken(f"{watchers} watch already: try again when some have left"),
            PlacesTaken(f"{watchers_per_address} from your address watch already: try again when some have left"),
        )
        self._lines = Lines()
        self._open: dict[tuple[str, ...], Channel] = {}
        self._streams: set[asyncio.Task[Any]] = set()

    def channel(self, key: tuple[str, ...], make: Callable[[], Channel]) -> Channel:
        """The channel of that name, opened if it is not."""
        if key not in self._open:
            channel = self._open[key] = make()
            channel.on_idle = lambda: self._forget(key, channel)
            channel.linger()  # one who only asks, or is refused, never watches it
        return self._open[key]

    async def stream(self, channel: Channel, peer: str, transport: Transport) -> AsyncGenerator[bytes, None]:
        """The messages of a channel, as long as there is a place for this watcher."""
        task = asyncio.current_task()
        assert task is not None
        with self.places.one(peer):
            self._streams.add(task)
            try:
                async for message in channel.watch(transport, self._lines):
                    yield message
            finally:
                self._streams.discard(task)

    async def close(self) -> None:
        """End all streams."""
        for channel in list(self._open.values()):
            channel.stop()
        if self._streams:
            await asyncio.wait(self._streams, timeout=2)
        for task in list(self._streams):  # their readers take nothing
            task.cancel()

    def _forget(self, key: tuple[str, ...], channel: Channel) -> None:
        if self._open.get(key) is channel:
            del self._open[key]


def _event(name: str, value: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}\n\n".encode()
