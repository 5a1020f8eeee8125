"""Process slots: a first-in first-out semaphore. A match takes the slots of all its bots, or waits with none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class ProcessSlots:
    """How many bot processes may run at once. Matches are served in their order, so none starves."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0
        self._line = asyncio.Lock()  # wakes in the order of arrival
        self._freed = asyncio.Event()

    async def take(self, wanted: Callable[[], int], make_room: Callable[[int], object] = lambda short: None) -> None:
        """Wait until there is room for as many as are `wanted` then, and take them.

        `make_room` is called with how many are missing. A caller that wants more than there are is let in alone.
        """
        async with self._line:
            while self.taken and (short := self.taken + wanted() - self.most) > 0:
                make_room(short)
                self._freed.clear()
                await self._freed.wait()
            self.taken += wanted()

    def free(self, count: int) -> None:
        """Give slots back."""
        self.taken -= count
        self.look_again()

    def look_again(self) -> None:
        """Something else has changed: waiting callers check again."""
        self._freed.set()
