"""Writes messages to one gRPC stream: one at a time, without a task of its own.

A message leaves from inside the call that made it ready. To wake a task for each would be simpler, but a bot that waits
for its next question would wait longer for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import grpc.aio


class StreamWriter:
    """Call `write` while it is `idle`; it calls back when it has become idle again."""

    def __init__(self, write: Callable[[Any], Coroutine[Any, Any, None]], on_idle: Callable[[], object]) -> None:
        self.idle = True
        """Whether a message can leave at once; never again once the writer is stopped or the connection gone."""
        self.since: float | None = None
        """Since when a message has been on its way out."""
        self.over: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        """Done when nothing can be sent any more: the connection is gone (None), or something went wrong."""
        self._write = write
        self._on_idle = on_idle
        self._writing: Coroutine[Any, Any, None] | None = None
        self._stopped = False
        self._left: asyncio.Future[None] | None = None

    def write(self, message: Any) -> None:
        """Start to write; never raises, for the caller may be dealing with another bot's answer."""
        self.idle = False
        self.since = time.monotonic()
        self._writing = self._write(message)
        self._go_on()

    def stop(self) -> None:
        """Write nothing more; what is on its way may arrive or not."""
        self._stopped = True
        self.idle = False

    async def finish(self, last: Any) -> None:
        """Write nothing more but this (if it is not None), after what is on its way."""
        self.stop()
        if self._writing is not None:
            self._left = asyncio.get_running_loop().create_future()
            await self._left
        if last is not None and not self.over.done():
            try:
                await self._write(last)
            except grpc.aio.BaseError:  # the connection is gone
                return

    def fail(self, error: Exception | None) -> None:
        """End the stream: because of an error, or (None) because the connection is gone."""
        self._writing = self.since = None
        self.stop()
        if not self.over.done():
            self.over.set_result(error)

    def _go_on(self) -> None:
        """Carry the writing on to where it has to wait, as a task would."""
        assert self._writing is not None
        try:
            waits_for: asyncio.Future[Any] | None = self._writing.send(None)
        except StopIteration:
            self._writing = self.since = None
            self.idle = not self._stopped
        except (grpc.aio.BaseError, asyncio.CancelledError):  # the connection is gone
            self.fail(None)
        except Exception as error:  # noqa: BLE001 - the caller has nothing to do with it
            self.fail(error)
        else:
            if waits_for is None:  # for the next turn of the loop
                asyncio.get_running_loop().call_soon(self._waited, None)
            else:
                waits_for.add_done_callback(self._waited)
            return
        if self._left is not None and not self._left.done():
            self._left.set_result(None)

    def _waited(self, waited_for: asyncio.Future[Any] | None) -> None:
        self._go_on()
        if self.idle:
            self._on_idle()
