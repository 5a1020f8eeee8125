"""The sending side of a bot's stream: answers are collected and go out together, one message at a time.

Cost is per message, hardly per answer: what becomes ready while a message is being sent waits for the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import grpc.aio

from arena.v1 import match_pb2 as pb
from arena.writing import write

FLUSH_SECONDS = 0.02
"""How long a ready answer waits for others, at most."""


class Outbox:
    """What is ready to be sent, and the stream that it is sent on."""

    def __init__(self) -> None:
        self.call: Any = None
        """The stream that is open, if one is."""
        self.stream = 0
        """The number of that stream: an answer belongs to the stream on which its question came."""
        self.frame: pb.PlayRequest | None = None
        """What is ready to be sent."""
        self.last = False
        """Whether the stream is to end once everything is sent."""
        self._sending = False
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def put(self, **body: Any) -> None:
        """Into the next message."""
        if self.frame is None:
            self.frame = pb.PlayRequest()
        self.frame.bodies.add(**body)

    def put_act(self, match: str, decision: int, move: str) -> None:
        """A move into the next message, written in place: this is done more often than anything else."""
        frame = self.frame
        if frame is None:
            frame = self.frame = pb.PlayRequest()
        act = frame.bodies.add().act
        act.match_id = match
        act.decision = decision
        act.move_text = move

    async def flush(self) -> None:
        """Send what is ready; what becomes ready meanwhile is sent along by the task that sends already."""
        if self._sending:
            return
        self._sending = True
        try:
            while (frame := self.frame) is not None and (call := self.call) is not None:
                self.frame = None
                try:
                    await write(call, frame)
                except (asyncio.InvalidStateError, grpc.aio.AioRpcError):
                    if call is self.call:  # the reader tells why it ended
                        return
        finally:
            self._sending = False
            if self.last and self.call is not None:
                self.call.cancel()

    def flush_now(self) -> None:
        """The same for a caller that cannot wait."""
        self.later(self.flush())

    def flush_soon(self) -> None:
        """The same in a moment, for others are nearly ready too."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self._waited)

    def _waited(self) -> None:
        self._timer = None
        self.flush_now()

    async def flush_all(self) -> None:
        """Return once everything is sent, whichever task sends it, or the stream has ended."""
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self.flush()
        while self._sending:  # noqa: ASYNC110 - a moment: the reader is sending it along
            await asyncio.sleep(0.001)

    def later(self, work: Coroutine[Any, Any, None]) -> None:
        """Begin a task that ends in sending something."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def cancel(self) -> None:
        """End all tasks."""
        for task in self._tasks:
            task.cancel()
