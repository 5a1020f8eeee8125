"""Thread pool for blocking work beside the event loop: the one place that hands work to a thread.

Reads and writes of the store block, and so does rating. In the loop, where all clocks are read, they would make every
answer late. The threads here are shared by what judges, logs in and stores; what callers without a token can ask for
has threads of its own (`hall/resting_threads.py`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """What `work` returns, done in one of the shared threads, in the context of the caller."""
    return await in_thread_of(None, work, *arguments, **named)


async def in_thread_of(threads: Executor | None, work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """The same in one of these threads; None means the shared ones."""
    context = copy_context()
    return await asyncio.get_running_loop().run_in_executor(threads, lambda: context.run(work, *arguments, **named))
