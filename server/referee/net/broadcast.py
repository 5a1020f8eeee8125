"""Live views of matches: one message per match and moment, made once for all who watch it.

Watchers get the latest state, about ten times a second at most, and always the last one. One that reads slowly misses
states in between; nothing piles up for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

from arena.v1 import tournament_pb2 as pb
from referee.hall.hall import Hall
from referee.hall.wake_slices import Usher
from referee.match.match import Match

LEAST_PAUSE = 0.1
"""Seconds between two states of a match that are shown."""


class Broadcast:
    """One match as the public sees it; runs as long as somebody watches."""

    def __init__(self, match: Match, hall: Hall, usher: Usher, deserted: Callable[[], object]) -> None:
        """`deserted` is called when nobody watches any more."""
        self._match = match
        self._hall = hall
        self._usher = usher
        self._deserted = deserted
        self._watchers: set[asyncio.Event] = set()
        self._message = b""
        self._number = 0
        self._over = False
        self._failure: Exception | None = None
        self._task: asyncio.Task[None] | None = None

    async def watch(self) -> AsyncGenerator[bytes, None]:
        """The state now and whenever it has changed, to the end of the match."""
        news = asyncio.Event()
        self._watchers.add(news)
        seen = 0
        # Said once to each, behind the first state: two messages in a row are read as one.
        descriptor = pb.WatchMatchResponse(view_descriptor=self._match.view_descriptor).SerializeToString()
        try:
            if self._task is None:
                # Watched from here on, and shown after that: nothing happens unseen in between.
                moved = self._hall.watch(self._match.id)
                self._task = asyncio.get_running_loop().create_task(self._run(moved))
                self._show()
            while True:
                news.clear()
                if self._failure is not None:
                    raise self._failure
                if seen == self._number:
                    await news.wait()
                    continue
                seen, over = self._number, self._over
                yield self._message + descriptor
                descriptor = b""
                if over:
                    return
        finally:
            self._watchers.discard(news)
            self._usher.forget(news)
            if not self._watchers:
                if self._task is not None:
                    self._task.cancel()
                    self._task = None
                self._deserted()

    async def _run(self, moved: asyncio.Event) -> None:
        try:
            while not self._over:
                await moved.wait()
                self._show()
                self._usher.wake(self._watchers)
                await self._pause(moved)
        except Exception as error:  # noqa: BLE001 - those who watch hear of it
            self._failure = error
            self._usher.wake(self._watchers)
        finally:
            self._hall.unwatch(self._match.id, moved)

    async def _pause(self, moved: asyncio.Event) -> None:
        """A moment in which nothing is shown but the end; `moved` tells then whether anything has happened in it."""
        moved.clear()
        happened = False
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAST_PAUSE):
                while self._match.ending is None:
                    await moved.wait()
                    moved.clear()
                    happened = True
        if happened or self._match.ending is not None:
            moved.set()

    def _show(self) -> None:
        match, table = self._match, self._match.table
        self._over = match.ending is not None
        self._message = pb.WatchMatchResponse(
            view=table.state.view_bytes(None),
            view_type=match.view_type,
            scores=table.state.scores(),
            decisions=table.decisions,
            over=self._over,
        ).SerializeToString()
        self._number += 1


class Broadcasts:
    """All matches that somebody watches."""

    def __init__(self, hall: Hall, usher: Usher) -> None:
        self._hall = hall
        self._usher = usher
        self._shown: dict[str, Broadcast] = {}

    def watch(self, match: Match) -> AsyncGenerator[bytes, None]:
        """A match that is being played, as messages that are ready to be sent."""

        def deserted() -> None:
            if self._shown.get(match.id) is shown:
                del self._shown[match.id]

        shown = self._shown.get(match.id)
        if shown is None:
            shown = self._shown[match.id] = Broadcast(match, self._hall, self._usher, deserted)
        return shown.watch()
