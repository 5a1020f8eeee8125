"""Sends what is ready on one stream, without a task of its own.

A message leaves from inside whatever made it ready: to wake a task for each would be simpler, but a bot that waits
for its next question would wait longer for it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import grpc.aio


class Sender:
    """One message at a time; what becomes ready meanwhile is looked for when it has left."""

    def __init__(self, write: Callable[[Any], Coroutine[Any, Any, None]], take: Callable[[], Any]) -> None:
        """`take` gives the next message, or None; it is called only when that message can leave at once."""
        self.since: float | None = None
        """Since when a message has been on its way out."""
        self.over: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
        """Done when nothing can be sent any more: the connection is gone (None), or something went wrong."""
        self._write = write
        self._take = take
        self._sending: Coroutine[Any, Any, None] | None = None
        self._stopped = False
        self._left: asyncio.Future[None] | None = None

    def look(self) -> None:
        """There may be something to send."""
        while self._sending is None and not self._stopped:
            try:
                message = self._take()
            except Exception as error:  # noqa: BLE001 - whoever made this look has nothing to do with it
                self._end(error)
                return
            if message is None:
                return
            self.since = time.monotonic()
            self._sending = self._write(message)
            self._go_on()

    def stop(self) -> None:
        """Send nothing more; what is on its way may arrive or not."""
        self._stopped = True

    async def finish(self, last: Any) -> None:
        """Send nothing more but this (if it is not None), after what is on its way."""
        self.stop()
        if self._sending is not None:
            self._left = asyncio.get_running_loop().create_future()
            await self._left
        if last is not None and not self.over.done():
            try:
                await self._write(last)
            except grpc.aio.BaseError:  # the connection is gone
                return

    def _go_on(self) -> None:
        """Carry the sending on to where it has to wait, as a task would."""
        assert self._sending is not None
        try:
            waits_for: asyncio.Future[Any] | None = self._sending.send(None)
        except StopIteration:
            self._sending = self.since = None
        except (grpc.aio.BaseError, asyncio.CancelledError):  # the connection is gone
            self._end(None)
        except Exception as error:  # noqa: BLE001 - as above
            self._end(error)
        else:
            if waits_for is None:  # for the next turn of the loop
                asyncio.get_running_loop().call_soon(self._sent, None)
            else:
                waits_for.add_done_callback(self._sent)
            return
        if self._left is not None and not self._left.done():
            self._left.set_result(None)

    def _sent(self, waited_for: asyncio.Future[Any] | None) -> None:
        self._go_on()
        self.look()

    def _end(self, error: Exception | None) -> None:
        self._sending = self.since = None
        self._stopped = True
        if not self.over.done():
            self.over.set_result(error)
