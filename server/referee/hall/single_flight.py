"""Single flight: one computation serves all callers that ask at the same time, with a pause that keeps it cheap.

Each caller gets an answer that was begun after the call, so it is never out of date. However many ask, one answer is
made at a time, and making answers takes a tenth of the time at most.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")
LEAST_PAUSE = 0.01
LONGEST_PAUSE = 5.0


class SingleFlight(Generic[T]):
    """`await shared.now()`: the answer as of now."""

    def __init__(self, make: Callable[[], Awaitable[T]]) -> None:
        self._make = make
        self._begun = 0
        self._latest: tuple[int, T] | None = None
        self._not_before = float("-inf")
        self._making: asyncio.Task[None] | None = None

    async def now(self) -> T:
        begun = self._begun
        while self._latest is None or self._latest[0] <= begun:
            if self._making is None:
                self._making = asyncio.get_running_loop().create_task(self._begin())
                self._making.add_done_callback(_let_pass)
            # The first caller may go away; the others still wait for it.
            await asyncio.shield(self._making)
        return self._latest[1]

    async def _begin(self) -> None:
        try:
            await asyncio.sleep(self._not_before - time.monotonic())
            self._begun += 1
            number, began = self._begun, time.monotonic()
            try:
                self._latest = (number, await self._make())
            finally:
                now = time.monotonic()
                self._not_before = now + min(LONGEST_PAUSE, max(LEAST_PAUSE, 9 * (now - began)))
        finally:
            self._making = None


def _let_pass(making: asyncio.Task[None]) -> None:
    """An error is raised in the callers that wait; without any, it is dropped."""
    if not making.cancelled():
        making.exception()
