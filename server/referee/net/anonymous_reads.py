"""What strangers read from the store: a thread pool of its own, few at a time, so that nothing else waits for it.

Reads also leave most of the time to others: while a thread computes, every turn of the loop may wait for it. So after
each read its thread rests for six times as long as it has computed.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import grpc

from referee.hall.places import Places
from referee.net.guard import Refusal

T = TypeVar("T")
THREADS = 2
REST = 6
MOST = 128
MOST_PER_ADDRESS = 64
"""Reads that wait or are under way."""
RETRY_MS = 1000
TOO_MANY = Refusal(
    grpc.StatusCode.RESOURCE_EXHAUSTED, f"{MOST} questions are waiting already; try again in 1 second", RETRY_MS
)
TOO_MANY_OF_YOURS = Refusal(
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    f"{MOST_PER_ADDRESS} questions from your address are waiting already; try again in 1 second",
    RETRY_MS,
)


class Reads:
    """`with reads.place(context): await reads.run(work)`."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="reads")
        self._places = Places(MOST, MOST_PER_ADDRESS, TOO_MANY, TOO_MANY_OF_YOURS)

    def place(self, context: Any) -> AbstractContextManager[None]:
        """A place among those who read, until the call ends; refused when there is none."""
        return self._places.one(context.peer())

    async def run(self, work: Callable[[], T]) -> T:
        """Do something in one of the threads."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def tell(result: T | None, error: BaseException | None) -> None:
            if answer.done():  # who asked has gone
                return
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(result)  # type: ignore[arg-type]

        def read() -> None:
            if answer.cancelled():
                return
            began = time.thread_time()
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:  # noqa: BLE001 - the one who asked hears of it
                error = raised
            try:
                loop.call_soon_threadsafe(tell, result, error)
            except RuntimeError:  # the loop has ended meanwhile
                return
            time.sleep(REST * (time.thread_time() - began))

        self._threads.submit(read)
        return await answer

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
