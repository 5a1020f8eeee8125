"""A feed into which a program puts news as it has them, for a screen that only wants the newest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from referee_leaderboard.connection import Connection
from referee_leaderboard.standings import Standings

Event = Standings | Connection
"""What a leaderboard hears: new standings, or a change of the connection to where they come from."""


class Feed:
    """An async iterable of events; of standings that were not fetched yet only the newest are kept.

    Use it from the event loop's own thread.
    """

    def __init__(self) -> None:
        self._waiting: dict[type, Event] = {}
        self._news = asyncio.Event()
        self._closed = False

    def put(self, event: Event) -> None:
        """Hand over news; never waits."""
        self._waiting[type(event)] = event
        self._news.set()

    def close(self) -> None:
        """Nothing more will come; what is waiting is still delivered."""
        self._closed = True
        self._news.set()

    async def __aiter__(self) -> AsyncIterator[Event]:
        while True:
            while self._waiting:
                yield self._waiting.pop(next(iter(self._waiting)))
            if self._closed:
                return
            self._news.clear()
            await self._news.wait()
