"""Live views of matches: one message per match and moment, made once for all who watch it.

Watchers get the latest state that may be shown (`Hall.delay`), about ten times a second at most, and always the last
one, once the result is stored. One that reads slowly misses states in between; nothing piles up for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress

from arena.v1 import tournament_pb2 as pb
from referee.hall.hall import Hall
from referee.hall.public_match import PublicMatch
from referee.hall.staggered_wakeups import StaggeredWakeups
from referee.match.match import Match
from referee.net.messages import match_result

LEAST_PAUSE = 0.1
"""Seconds between two states of a match that are shown."""


class Broadcast:
    """One match as the public sees it; runs as long as it has watchers."""

    def __init__(self, match: Match, hall: Hall, wakeups: StaggeredWakeups, deserted: Callable[[], object]) -> None:
        """`deserted` is called when the last watcher has left."""
        self._match = match
        self._late = PublicMatch(match, hall.delay) if hall.delay else None
        self._hall = hall
        self._wakeups = wakeups
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
        first = pb.WatchMatchResponse(
            view_descriptor=self._match.view_descriptor, game=self._match.game.name, bots=self._match.names
        ).SerializeToString()
        try:
            if self._task is None:
                # Watched from here on, and shown after that: nothing happens unseen in between.
                moved = self._hall.watch(self._match.id)
                self._task = asyncio.get_running_loop().create_task(self._run(moved))
                await self._show()
                self._wakeups.wake(self._watchers)  # others may have come meanwhile
            while True:
                news.clear()
                if self._failure is not None:
                    raise self._failure
                if seen == self._number:
                    await news.wait()
                    continue
                seen, over = self._number, self._over
                yield self._message + first
                first = b""
                if over:
                    return
        finally:
            self._watchers.discard(news)
            self._wakeups.forget(news)
            if not self._watchers:
                if self._task is not None:
                    self._task.cancel()
                    self._task = None
                self._deserted()

    async def _run(self, moved: asyncio.Event) -> None:
        try:
            while not self._over:
                await moved.wait()
                await self._show()
                self._wakeups.wake(self._watchers)
                await self._pause(moved)
        except Exception as error:  # noqa: BLE001 - those who watch hear of it
            self._failure = error
            self._wakeups.wake(self._watchers)
        finally:
            self._hall.unwatch(self._match.id, moved)

    async def _pause(self, moved: asyncio.Event) -> None:
        """A moment in which nothing is shown but the end; `moved` tells then whether anything has happened in it."""
        moved.clear()
        happened = False
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAST_PAUSE):
                while self._match.outcome is None:
                    await moved.wait()
                    moved.clear()
                    happened = True
        if happened or self._match.outcome is not None:
            moved.set()

    async def _show(self) -> None:
        match, state, decisions = self._match, self._match.table.state, self._match.table.decisions
        if self._late is not None:
            await self._late.catch_up()
            state, decisions = self._late.state, self._late.decisions
            self._over = self._late.over
        elif match.ending is not None and match.outcome is None:
            return  # what ended it is shown with the outcome
        else:
            self._over = match.outcome is not None
        self._message = pb.WatchMatchResponse(
            view=state.view_bytes(None),
            view_type=match.view_type,
            scores=state.scores(),
            decisions=decisions,
            over=self._over,
            result=match_result(match.outcome) if self._over and match.outcome is not None else None,
        ).SerializeToString()
        self._number += 1


class Broadcasts:
    """All matches that have watchers."""

    def __init__(self, hall: Hall, wakeups: StaggeredWakeups) -> None:
        self._hall = hall
        self._wakeups = wakeups
        self._shown: dict[str, Broadcast] = {}

    def watch(self, match: Match) -> AsyncGenerator[bytes, None]:
        """A match that is being played, as messages that are ready to be sent."""

        def deserted() -> None:
            if self._shown.get(match.id) is shown:
                del self._shown[match.id]

        shown = self._shown.get(match.id)
        if shown is None:
            shown = self._shown[match.id] = Broadcast(match, self._hall, self._wakeups, deserted)
        return shown.watch()
