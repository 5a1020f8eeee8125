"""An event loop by a virtual clock: time jumps to what is due next, and what belongs into a thread is done in the loop.

Everything that happens follows from the seed. A process that dies leaves its loop behind as it is: nothing of it runs
again, no `finally` and no callback.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import selectors
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

THREAD_SECONDS = 0.004
"""The longest that work in a thread takes."""


class Death(BaseException):
    """The process is killed at this very moment."""


class _Jumping(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.look: Callable[[], object] = lambda: None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing will ever happen again: the simulation hangs")
        self.look()
        ready = super().select(0)
        if not ready:
            self.now += max(0.0, timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """One process: from its start to its end, or to its death."""

    def __init__(self, now: float, chance: random.Random, look: Callable[[], object]) -> None:
        """`look` is called after everything that has happened."""
        self._jumping = _Jumping()
        self._jumping.look = look
        self._jumping.now = now
        self._chance = chance
        self.failure: BaseException | None = None
        super().__init__(self._jumping)
        self.set_exception_handler(self._failed)

    def time(self) -> float:
        return self._jumping.now

    def stall(self, seconds: float) -> None:
        """The whole process stands still for so long."""
        self._jumping.now += seconds

    def fail(self, error: BaseException) -> None:
        """The simulation ends with this error, whoever would have caught it."""
        if self.failure is None:
            self.failure = error
            self.stop()

    def run_in_executor(self, executor: Any, work: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        done: asyncio.Future[Any] = self.create_future()

        def run() -> None:
            try:
                answer = work(*arguments)
            except Exception as error:  # noqa: BLE001 - whatever it is, the one who waits hears of it
                if not done.cancelled():
                    done.set_exception(error)
            else:
                if not done.cancelled():
                    done.set_result(answer)

        self.call_later(self._chance.uniform(0.0, THREAD_SECONDS), run)
        return done

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if error is not None:
            self.fail(error)


@contextmanager
def virtual(clock: Callable[[], float], chance: random.Random) -> Iterator[None]:
    """All clocks of this process are the virtual one, and all its secrets follow from the seed."""
    with (
        patch.object(time, "monotonic", clock),
        patch.object(secrets, "token_bytes", lambda size=32: chance.randbytes(size)),
        patch.object(secrets, "token_hex", lambda size=32: chance.randbytes(size).hex()),
    ):
        yield
