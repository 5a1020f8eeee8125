"""Staggered wake-ups: many watchers are woken a few at a time (no thundering herd), so that judging never waits.

To wake a watcher is cheap; what follows, a message to it, takes the loop a tenth of a millisecond or more. A thousand
woken at once would keep every answer of a bot waiting that long. So they are woken in small groups, and after each
group the loop belongs to others for three times as long as the group took. Of watchers that are written to at once the
processor time counts, so that a busy machine, or the work of others, does not keep them waiting for longer.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from itertools import islice
from typing import Protocol

AT_ONCE = 16
SHARE = 3.0
LONGEST_PAUSE = 0.02
"""Seconds between two groups at most, however busy the loop is: watchers are not forgotten either."""


class Wakeable(Protocol):
    """A watcher: an event on which its task waits, or something that writes to it at once and then answers True."""

    def set(self) -> object: ...


class StaggeredWakeups:
    """The wake-ups of all watchers of a server."""

    def __init__(self, share: float = SHARE, longest_pause: float = LONGEST_PAUSE) -> None:
        """After each group the loop belongs to others for `share` times as long as the group took, but no longer than
        `longest_pause`.
        """
        self._share, self._longest_pause = share, longest_pause
        self._waiting: dict[Wakeable, None] = {}
        self._task: asyncio.Task[None] | None = None

    def wake(self, watchers: Iterable[Wakeable]) -> None:
        """Set these events soon, in this order, each once; those that wait already keep their place."""
        self._waiting.update(dict.fromkeys(watchers))
        if self._waiting and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._wake_all())

    def forget(self, watcher: Wakeable) -> None:
        """It has gone."""
        self._waiting.pop(watcher, None)

    async def _wake_all(self) -> None:
        clock = asyncio.get_running_loop().time
        try:
            while self._waiting:
                began, used = clock(), time.thread_time()
                group = list(islice(self._waiting, AT_ONCE))
                for watcher in group:
                    del self._waiting[watcher]
                if all([watcher.set() is True for watcher in group]):  # noqa: C419 - none is left out
                    took = time.thread_time() - used
                else:
                    # One turn until their tasks are called, one in which they write.
                    await asyncio.sleep(0)
                    await asyncio.sleep(0)
                    took = clock() - began
                if self._waiting:
                    await asyncio.sleep(min(self._longest_pause, self._share * took))
        finally:
            self._task = None
