"""Outbox: batches what one bot is to be told into messages and writes them to its stream.

Cost is per message, hardly per body, so everything that is ready leaves together. `match/asking.py` says how much the
bot is asked at once (backpressure). A bot at many tables is moreover spoken to only when several of them have something
for it. A question that a single answer brings about leaves from inside that answer, without another turn of the loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, MutableSequence, Sized
from typing import Any

from arena.v1 import match_pb2 as pb
from referee.match.asking import Asking
from referee.match.player import Question
from referee.net.messages import write_decide
from referee.net.stream_writer import StreamWriter

FRAME_BYTES = 1 << 20
COMPANY = 8
"""A bot at many tables is spoken to once one in so many of them has something for it …"""
COMPANY_SECONDS = 40e-6
"""… or after so long for each of them, about what a decision costs us: at so many tables we are busy meanwhile, no
clock runs, and many small frames would cost the bot's machine and ours more than the wait."""


class Turn:
    """One turn of the event loop: what becomes ready in it leaves at its end, batched per bot. Shared by all bots."""

    def __init__(self) -> None:
        self.at_once = False
        """Whether a single answer is being dealt with: the questions it brings about do not wait for the end."""
        self.ready: list[Outbox] = []
        """Those with something to send."""

    def add(self, outbox: Outbox) -> None:
        if not self.ready and not self.at_once:
            asyncio.get_running_loop().call_soon(self.flush)
        self.ready.append(outbox)

    def flush(self) -> None:
        ready, self.ready = self.ready, []
        for outbox in ready:
            outbox.flush()


class Outbox:
    """What one bot is to be told on one stream: `ask` it questions, `put` other bodies."""

    def __init__(self, write: Callable[[Any], Coroutine[Any, Any, None]], tables: Sized, turn: Turn) -> None:
        """`tables` are those at which the bot sits."""
        self.asking = Asking(self._look_in)
        self.writer = StreamWriter(write, self.flush)
        self._tables = tables
        self._turn = turn
        self._bodies: list[pb.RefereeBody] = []
        """What will be sent next, beside questions."""
        self._marked = False
        """Whether this turn of the loop sends what is here."""
        self._held_since: float | None = None
        """Since when something waits for company."""
        self._timer: asyncio.TimerHandle | None = None

    def ask(self, question: Question) -> None:
        """The bot is to be asked this, as soon as it may leave."""
        asking = self.asking
        asking.put(question)
        if self._marked and not self._turn.at_once:  # it leaves at the end of this turn anyway
            return
        if self._held_since is None or asking.repeated or len(asking.waiting) >= self._company():
            self.go_on()

    def put(self, body: pb.RefereeBody) -> None:
        """The bot is to be told this. It leaves with the next question, or at the end of this turn of the loop."""
        self._bodies.append(body)
        self._mark()

    def go_on(self) -> None:
        """Questions may be free to leave: at once after a single answer, else at the end of this turn of the loop."""
        if self._turn.at_once:
            self.flush()
        else:
            self._mark()

    def flush(self) -> None:
        """Send what may leave now. While a message is being written, the rest waits until it has left."""
        self._marked = False
        writer = self.writer
        while writer.idle:
            try:
                frame = self._next_frame()
            except Exception as error:  # noqa: BLE001 - the caller may be dealing with another bot's answer
                writer.fail(error)
                return
            if frame is None:
                return
            writer.write(frame)

    def close(self) -> None:
        """Send nothing more, except through `finish`."""
        self.writer.stop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def finish(self, with_bodies: bool) -> None:
        """Wait for what is being written, then send what is still to be told; no more questions."""
        self.close()
        last = pb.PlayResponse(bodies=self._bodies) if with_bodies and self._bodies else None
        self._bodies = []
        await self.writer.finish(last)

    def _mark(self) -> None:
        if not self._marked:
            self._marked = True
            self._turn.add(self)

    def _next_frame(self) -> pb.PlayResponse | None:
        """The next message, if anything may leave; the clocks of its questions start.

        A frame stays well below what gRPC clients of all languages read by default; what does not fit is the next.
        """
        asking = self.asking
        if len(self._tables) >= COMPANY and not asking.repeated and self._wait_for_company():
            return None
        self._held_since = None
        if not asking.waiting and not self._bodies and not asking.repeated:
            return None
        frame = pb.PlayResponse()
        bodies = frame.bodies
        if self._bodies and self._take_bodies(bodies) >= FRAME_BYTES:
            return frame
        questions = asking.take(time.monotonic())
        for question in questions:
            write_decide(bodies.add().decide, question)
        while len(bodies) > 1 and questions and frame.ByteSize() > FRAME_BYTES:
            fewer = max(1, len(questions) // 2)
            del bodies[-fewer:]
            asking.put_back(questions[-fewer:])
            del questions[-fewer:]
            self._mark()
        if questions:
            asking.sent(questions, time.monotonic())
        return frame if bodies else None

    def _take_bodies(self, into: MutableSequence[pb.RefereeBody]) -> int:
        """What is to be said beside questions, as much as fits into a frame; returns how many bytes that is."""
        size = fits = 0
        for body in self._bodies:
            size += body.ByteSize()
            if fits and size > FRAME_BYTES:
                break
            fits += 1
        into.extend(self._bodies[:fits])
        del self._bodies[:fits]
        return size

    def _company(self) -> int:
        """How many bodies are worth a frame of their own."""
        return min(len(self._tables) // COMPANY, self.asking.window.size)

    def _wait_for_company(self) -> bool:
        """Whether what is ready had better wait for more: for a moment, and only where more is likely."""
        ready = len(self.asking.waiting) + len(self._bodies)
        if 0 < ready < self._company():
            now = time.monotonic()
            if self._held_since is None:
                self._held_since = now
            left = self._held_since + COMPANY_SECONDS * len(self._tables) - now
            if left > 0:
                self._look_in(left)
                return True
        return False

    def _look_in(self, seconds: float) -> None:
        """See again after so long whether something may leave."""
        loop = asyncio.get_running_loop()
        moment = loop.time() + seconds + 0.0005
        if self._timer is not None:
            if self._timer.when() <= moment:
                return
            self._timer.cancel()
        self._timer = loop.call_at(moment, self._look)

    def _look(self) -> None:
        self._timer = None
        self._mark()
