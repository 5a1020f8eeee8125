"""Process pool for computing on several cores: processes started afresh, which Ctrl-C does not reach.

A Ctrl-C at a terminal goes to every process of the command. Those of a pool are deaf to it from their first instant, or
each would end with a traceback of its own; the command hears it and ends them. They are started afresh (spawned) and
not forked, for the caller may have threads and connections.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from types import TracebackType
from typing import Any


class DeafPool(ProcessPoolExecutor):
    """A process is started when work is handed in, and inherits from the thread that does so what is blocked there.

    A Ctrl-C that comes meanwhile is heard afterwards, when the pool knows its new process and can end it.
    """

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Left early, by Ctrl-C or because one result is enough, it ends its processes in the middle of their work."""
        if kind is not None:
            for process in list((getattr(self, "_processes", None) or {}).values()):
                process.terminate()
        self.shutdown(wait=True, cancel_futures=True)


def process_pool(processes: int, begin: Callable[..., object], *given: Any) -> ProcessPoolExecutor:
    """A pool of so many processes, each of which begins with `begin(*given)`."""
    return DeafPool(processes, multiprocessing.get_context("spawn"), begin, given)


def collect_seldom() -> None:
    """Look for garbage seldom: where records are replayed hardly anything lives on, and it saves a tenth of the time.

    Only CPython is told; others, such as PyPy, collect in a way of their own.
    """
    if sys.implementation.name == "cpython":
        gc.freeze()
        gc.set_threshold(100_000)
