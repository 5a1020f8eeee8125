"""One bot's stream of MatchService.Play: reads what the bot says, with a rate limit, until either side ends it.

The reader stamps every message the moment it arrives and hands its answers to the matches at once. Whatever a bot
sends, only that bot suffers: what it sends unasked is counted, and too much of it closes its stream and forfeits its
matches.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio

from arena.v1 import match_pb2 as pb
from referee.hall.notices import NoticeCode
from referee.hall.options_json import MOST_BYTES
from referee.hall.practice_request import NoLobby, PracticeRequest
from referee.match.allowance import UNASKED_AT_ONCE, Allowance
from referee.match.player import Rejected, RejectionKind
from referee.match.result import Termination
from referee.match.window import MOST
from referee.net import messages
from referee.net.guard import NOT_DECODED, UNDECODABLE, Refusal
from referee.net.outbox import Outbox, Turn
from referee.net.session import Session
from referee.rules.spelling import SHOWN, printable

if TYPE_CHECKING:
    from referee.hall.lobby import Lobby

WRITE_SECONDS = 20.0
FAREWELL_SECONDS = 1.0
"""How long the last words to a bot may take before its stream ends."""
TRESPASSES = 20
"""Answers to other bots' matches before the stream is closed."""
OPTION_BYTES = 256
"""A wish for practice counts as one more body for so many characters of its options: reading them takes time."""
REFUSED_WISH = 9
"""A wish that is refused counts as so many more: what is not there is looked for everywhere."""
MOST_BODIES = MOST + int(UNASKED_AT_ONCE)
"""No message that is in order carries more."""

TAKEN_OVER = Refusal(grpc.StatusCode.ABORTED, "this bot has come back on another stream")
FLOODED = Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many messages: answer each question once")
TRESPASSED = Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many answers to matches of others")
NOT_READING = Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "the bot does not read what it is sent")


class PlayStream:
    """One stream of one session."""

    def __init__(
        self, session: Session, context: Any, lobby: Lobby | NoLobby, turn: Turn, before_frame: Callable[[str], object]
    ) -> None:
        self.outbox = Outbox(context.write, session.seats, turn)
        self._session = session
        self._context = context
        self._lobby = lobby
        self._turn = turn
        self._before_frame = before_frame
        self._closing: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        self._allowance = Allowance.of_a_bot(time.monotonic())
        self._trespasses = 0

    def close(self, refusal: Refusal | None) -> None:
        """End the stream: the bot is told this, after what is still to be said to it."""
        if not self._closing.done():
            self._closing.set_result(refusal)
            self.outbox.close()

    async def run(self, bodies: Any) -> None:
        """Until either side ends it; raises the Refusal that the bot is told."""
        self._take(bodies, time.monotonic())
        reader = asyncio.ensure_future(self._read())
        watch = asyncio.ensure_future(self._watch())
        writer = self.outbox.writer
        ends: set[asyncio.Future[Any]] = {reader, writer.over, self._closing}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            refusal: Refusal | None = None
            if self._closing.done():
                refusal = self._closing.result()
                with suppress(TimeoutError):
                    async with asyncio.timeout(FAREWELL_SECONDS):
                        await self.outbox.finish(with_bodies=refusal is not TAKEN_OVER)
            elif reader.done():
                refusal = reader.result()
            elif error := writer.over.result():
                raise error
        finally:
            for task in (reader, watch):
                task.cancel()
            self.outbox.close()
            await asyncio.gather(reader, watch, return_exceptions=True)
        if refusal is not None:
            raise refusal

    async def _read(self) -> Refusal | None:
        context = self._context
        while not self._closing.done():
            try:
                frame = await context.read()
            except grpc.aio.BaseError:  # the connection is gone
                return None
            now = time.monotonic()
            if self._closing.done():  # what comes after its end is not for the stream that has taken its place
                break
            if frame is grpc.aio.EOF:
                return None
            if frame is UNDECODABLE:
                return NOT_DECODED
            self._before_frame(self._session.name)
            self._hear(frame.bodies, now)
        return self._closing.result()

    def _hear(self, bodies: Any, now: float) -> None:
        """One message of the bot.

        What a single body brings about leaves before this returns, and the questions that a single answer brings about
        leave from inside it (see `Turn`): the bots that wait for them wait for no other turn of the loop.
        """
        turn = self._turn
        alone = len(bodies) == 1 and not turn.ready
        turn.at_once = alone and bodies[0].HasField("act")
        try:
            self._take(bodies, now)
        finally:
            turn.at_once = False
            if alone and turn.ready:
                turn.flush()

    async def _watch(self) -> None:
        """A bot that does not read what it is sent blocks the writing sooner or later."""
        while True:
            await asyncio.sleep(WRITE_SECONDS / 10)
            since = self.outbox.writer.since
            if since is not None and time.monotonic() - since > WRITE_SECONDS:
                self.close(NOT_READING)

    def _take(self, bodies: Any, now: float) -> None:
        """What the bot says, at `now`."""
        if len(bodies) > MOST_BODIES:
            self._expel(FLOODED)
            return
        session = self._session
        spent = 0 if bodies else 1
        for body in bodies:
            if body.HasField("act"):
                act = body.act
                place = session.seats.get(act.match_id)
                if place is None:
                    spent += 1
                    self._trespass(act.match_id, act.decision, act.move_text)
                elif not session.answer(*place, act.decision, act.move_text, now):
                    spent += 1
            else:
                spent += 1
                self._take_other(body, now)
        if spent:
            self._spend(spent, now)

    def _take_other(self, body: pb.BotBody, now: float) -> None:
        session = self._session
        kind = body.WhichOneof("body")
        if kind == "resign":
            place = session.seats.get(body.resign.match_id)
            if place is None:
                self._trespass(body.resign.match_id, 0, "")
            else:
                match, seat = place
                match.resign(seat, f"resigned: {printable(body.resign.reason, 200)}" if body.resign.reason else "")
        elif kind == "leave":
            session.leaving = True
            self._lobby.gone(session)
            if not session.seats:
                self.close(None)
        elif kind == "practice":
            self._wish(body.practice, now)
        elif kind == "nonce":
            if not session.give_nonce(body.nonce):
                session.notice(NoticeCode.IGNORED, "this nonce was not asked for, or too late")
        elif kind == "hello":
            session.notice(NoticeCode.IGNORED, "Hello is said once, at the beginning of a stream")

    def _wish(self, practice: pb.Practice, now: float) -> None:
        # Paid for before it is read: a message may hold hundreds. Of what is too large, nothing is read.
        size = min(len(practice.options_json), MOST_BYTES)
        if self._spend(size // OPTION_BYTES, now):
            asked = PracticeRequest(practice.game, tuple(practice.against), practice.matches, practice.options_json)
            if not self._lobby.wish(self._session, asked):
                self._spend(REFUSED_WISH, now)

    def _trespass(self, match: str, decision: int, move: str) -> None:
        """An answer to a match that is not (or no longer) this bot's."""
        session = self._session
        if match in session.recent:
            kind, text = RejectionKind.LATE, "the match is over"
        else:
            self._trespasses += 1
            kind, text = RejectionKind.NOT_YOUR_MATCH, "you do not play in this match"
        left = max(0, TRESPASSES - self._trespasses)
        strays = left if kind is RejectionKind.NOT_YOUR_MATCH else None
        rejected = Rejected(decision, kind, kind.value, text, printable(move, SHOWN), None, strays_left=strays)
        session.send(messages.rejected(printable(match, SHOWN), rejected))
        if not left:
            self._expel(TRESPASSED)

    def _spend(self, count: int, now: float) -> bool:
        """Take so much of the bot's allowance; False, and the end of its stream, if there is not enough left."""
        if not self._allowance.spend(count, now):
            self._expel(FLOODED)
            return False
        return True

    def _expel(self, refusal: Refusal) -> None:
        for match, seat in list(self._session.seats.values()):
            match.forfeit(seat, Termination.FLOOD, refusal.text)
        self.close(refusal)
