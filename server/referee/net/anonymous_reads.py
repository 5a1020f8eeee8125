"""Thread pool for what strangers read from the store: few at a time, so that nothing else waits for it.

The threads leave most of the time to others (`hall/resting_threads.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import grpc

from referee.hall.places import Places
from referee.hall.resting_threads import RestingThreads
from referee.net.guard import Refusal

T = TypeVar("T")
MOST = 128
MOST_PER_ADDRESS = 64
"""Reads that wait or are under way."""
RETRY_MS = 1000
TOO_MANY = Refusal(
    grpc.StatusCode.RESOURCE_EXHAUSTED, f"{MOST} questions are waiting already: try again in 1 second", RETRY_MS
)
TOO_MANY_OF_YOURS = Refusal(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    f"{MOST_PER_ADDRESS} questions from your address are waiting already: try again in 1 second",
    RETRY_MS,
)


class Reads:
    """`with reads.place(context): await reads.run(work)`."""

    def __init__(self) -> None:
        self._threads = RestingThreads("reads")
        self._places = Places(MOST, MOST_PER_ADDRESS, TOO_MANY, TOO_MANY_OF_YOURS)

    def place(self, context: Any) -> AbstractContextManager[None]:
        """A place among the readers, until the call ends; refused when there is none."""
        return self._places.one(context.peer())

    async def run(self, work: Callable[[], T]) -> T:
        """Do something in one of the threads."""
        return await self._threads.run(work)

    def close(self) -> None:
        self._threads.close()
