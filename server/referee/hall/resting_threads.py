"""Threads for what strangers read from the store: few, and they rest after each read (low priority).

While a thread computes, every turn of the event loop may wait for it. So after each read its thread rests for six times
as long as it has computed, and most of the time belongs to those who judge.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
THREADS = 2
REST = 6


class RestingThreads:
    """`await threads.run(work)`."""

    def __init__(self, name: str) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix=name)

    async def run(self, work: Callable[[], T]) -> T:
        """Do something in one of the threads."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def tell(result: T | None, error: BaseException | None) -> None:
            if answer.done():  # the caller has gone
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
            except BaseException as raised:  # noqa: BLE001 - the caller hears of it
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
