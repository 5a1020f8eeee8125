"""Standings feed: computed and serialized once for all callers and watchers, at a limited rate.

Rating what has been played beyond the first open match takes time that matches need. So it gets a tenth of the time at
most, whatever it costs.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from arena.v1 import tournament_pb2 as pb
from referee.hall.staggered_wakeups import StaggeredWakeups
from referee.hall.standings_message import standings_message
from referee.threads import in_thread
from referee_leaderboard.changes import by_name, changes
from referee_leaderboard.standings import Standings, State

LEAST_PAUSE = 0.25
"""Shortest pause between two standings of a tournament, in seconds."""
LONGEST_PAUSE = 5.0
REFRESH = 2.0
"""Pause between two standings of a running tournament in which nothing happens but time."""


@dataclass(frozen=True, slots=True)
class StandingsSnapshot:
    """Standings, the same as JSON and as a message that is ready to be sent, and what they rest on."""

    standings: Standings
    json: str
    message: bytes
    """`WatchStandingsResponse` and `GetStandingsResponse` alike: they have the same fields."""
    version: int
    at: float
    cost: float
    number: int
    """Standings are numbered as they are made, without a gap."""
    changed: bytes | None
    """`WatchStandingsResponse` with what has changed since the number before; None if not wanted or not shorter."""

    def message_after(self, seen: StandingsSnapshot | None) -> bytes:
        """What a watcher is sent who wants changes and has seen these."""
        if self.changed is None or seen is None or seen.number != self.number - 1:
            return self.message
        return self.changed

    @property
    def pause(self) -> float:
        return min(LONGEST_PAUSE, max(LEAST_PAUSE, 9 * self.cost))


class StandingsFeed:
    """The standings of one tournament, for all who watch it."""

    def __init__(self, read: Callable[[], Awaitable[Standings]], wakeups: StaggeredWakeups | None = None) -> None:
        self._read = read
        self._wakeups = wakeups or StaggeredWakeups()
        self._version = 0
        self._latest: StandingsSnapshot | None = None
        self._latest_value: Any = None
        """The latest as a JSON value, by the bots' names."""
        self._changes_wanted = 0
        self._making: asyncio.Task[StandingsSnapshot] | None = None
        self._watchers: set[asyncio.Event] = set()
        self._news = asyncio.Event()
        self._shown: StandingsSnapshot | None = None
        """What watchers see, while there are any."""
        self._failure: Exception | None = None
        self._following: asyncio.Task[None] | None = None

    @property
    def watched(self) -> bool:
        return bool(self._watchers)

    @property
    def latest(self) -> StandingsSnapshot | None:
        """The standings as they were made last, however old they are."""
        return self._latest

    def news(self) -> None:
        """Something has changed."""
        self._version += 1
        self._news.set()

    async def now(self) -> StandingsSnapshot:
        """The standings with all that has changed so far."""
        while True:
            version, latest = self._version, self._latest
            if latest is not None and latest.version >= version and not self._is_old(latest):
                return latest
            if self._making is None:
                self._making = asyncio.get_running_loop().create_task(self._make())
                self._making.add_done_callback(_let_pass)
            # The first caller may go away; the others still wait for it.
            shown = await asyncio.shield(self._making)
            if shown.version >= version:
                return shown

    async def watch(self, *, with_changes: bool = False) -> AsyncGenerator[StandingsSnapshot, None]:
        """The standings now and whenever they change; a slow watcher misses those in between."""
        news = asyncio.Event()
        self._watchers.add(news)
        self._changes_wanted += with_changes
        if self._following is None:
            self._failure = None
            self._following = asyncio.get_running_loop().create_task(self._follow())
        seen: StandingsSnapshot | None = None
        try:
            while True:
                news.clear()
                if self._failure is not None:
                    raise self._failure
                if self._shown is None or self._shown is seen:
                    await news.wait()
                    continue
                seen = self._shown
                yield seen
        finally:
            self._watchers.discard(news)
            self._changes_wanted -= with_changes
            self._wakeups.forget(news)
            if not self._watchers and self._following is not None:
                self._following.cancel()
                self._following = self._shown = None

    async def _follow(self) -> None:
        """Keep what is shown up to date as long as there are watchers."""
        try:
            while True:
                self._news.clear()
                self._shown = await self.now()
                self._wakeups.wake(self._watchers)
                running = self._shown.standings.state is State.RUNNING
                with suppress(TimeoutError):
                    async with asyncio.timeout(REFRESH if running else None):
                        await self._news.wait()
        except Exception as error:  # noqa: BLE001 - it is raised in the watchers
            self._failure = error
            self._wakeups.wake(self._watchers)

    async def _make(self) -> StandingsSnapshot:
        try:
            if self._latest is not None:
                await asyncio.sleep(self._latest.at + self._latest.pause - time.monotonic())
            version, began = self._version, time.monotonic()
            standings = await self._read()
            before = self._latest_value if self._changes_wanted else None
            value, text, message, changed = await in_thread(_written, standings, before)
            now, number = time.monotonic(), 1 if self._latest is None else self._latest.number + 1
            self._latest = StandingsSnapshot(standings, text, message, version, now, now - began, number, changed)
            self._latest_value = value
            return self._latest
        finally:
            self._making = None

    @staticmethod
    def _is_old(shown: StandingsSnapshot) -> bool:
        """Clocks run on while a tournament does."""
        return shown.standings.state is State.RUNNING and time.monotonic() - shown.at >= REFRESH


def _let_pass(making: asyncio.Task[StandingsSnapshot]) -> None:
    """An error is raised in the callers that wait; without any, as when the server stops, it is dropped."""
    if not making.cancelled():
        making.exception()


def _written(standings: Standings, before: Any) -> tuple[Any, str, bytes, bytes | None]:
    """By the bots' names, as text, as a message, and as one with the changes since `before` where that is shorter."""
    plain = standings.to_json_value()
    value, text = by_name(plain), json.dumps(plain)
    message = pb.WatchStandingsResponse(standings_json=text, standings=standings_message(standings))
    if before is None:
        return value, text, message.SerializeToString(), None
    changed = json.dumps(changes(before, value))
    short = pb.WatchStandingsResponse(changes_json=changed).SerializeToString() if len(changed) < len(text) else None
    return value, text, message.SerializeToString(), short
