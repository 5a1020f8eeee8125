"""Batching of results: matches that end close together are stored in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from referee.tournament.running.ended import Ended

MANY = 16
"""Running matches from which on others are waited for."""
COMPANY = 4
"""They are stored once one in so many of the running matches has ended …"""
CLOSE_TOGETHER = 0.2
"""… or after so many seconds."""


class Gathering:
    """Matches that have ended and are not being stored yet."""

    def __init__(self, store: Callable[[list[Ended]], object]) -> None:
        self._store = store
        self._ended: list[Ended] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, ended: Ended, running: int) -> None:
        """One more, of so many that are running; others are waited for where others are likely."""
        self._ended.append(ended)
        if running < MANY or len(self._ended) >= running // COMPANY:
            self.store_now()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(CLOSE_TOGETHER, self.store_now)

    def store_now(self) -> None:
        """Store what there is."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        ended, self._ended = self._ended, []
        if ended:
            self._store(ended)
