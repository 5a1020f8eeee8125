"""Waiting for many database writes at once."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


async def outcomes(futures: Sequence[Future[T]]) -> Sequence[Future[T]]:
    """Wait until all of them are done, whether well or not; the loop is woken once, not once for each."""
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    guard = threading.Lock()
    left = len(futures)

    def count(_: Future[T]) -> None:
        nonlocal left
        with guard:
            left -= 1
            if left > 0:
                return
        if not loop.is_closed():  # no task waits any more
            loop.call_soon_threadsafe(finish)

    def finish() -> None:
        if not over.done():  # the task that waits was not cancelled
            over.set_result(None)

    for future in futures:
        future.add_done_callback(count)
    if futures:
        await over
    return futures
