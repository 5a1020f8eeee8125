"""MatchService.Play: one stream per bot, from hello to farewell.

The reader stamps every message the moment it arrives and hands its answers to the matches at once; the sender sends
whatever is ready as one message. Whatever a bot sends, only that bot suffers: bad manners are counted, and too many
of them close its stream and forfeit its matches.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import grpc
import grpc.aio
import structlog

from arena.v1 import match_pb2 as pb
from referee import __version__
from referee.hall.options_json import MOST_BYTES
from referee.hall.practice_request import NoLobby, PracticeRequest
from referee.hall.presence import Presence
from referee.match.allowance import UNASKED_AT_ONCE, Allowance
from referee.match.player import Rejected, RejectionKind, shorten
from referee.match.result import Termination
from referee.match.window import MOST
from referee.net.bearer import bearer_token, lookups
from referee.net.guard import NOT_DECODED, UNDECODABLE, Refusal
from referee.net.open_calls import Calls
from referee.net.outbox import Sender
from referee.net.session import Session, rejected_message

if TYPE_CHECKING:
    from referee.hall.lobby import Lobby

log = structlog.get_logger()

PROTOCOL_VERSION = 1
HELLO_SECONDS = 10.0
WRITE_SECONDS = 20.0
FAREWELL_SECONDS = 1.0
"""How long the last words to a bot may take before its stream ends."""
LONGEST_NAME = 64
MOST_GAMES = 100
MAX_MESSAGE_BYTES = 1 << 20
TRESPASSES = 20
"""Answers to other bots' matches before the stream is closed."""
OPTION_BYTES = 256
"""A wish for practice counts as one more body for so many characters of its options: reading them takes time."""
REFUSED_WISH = 9
"""A wish that is refused counts as so many more: what is not there is looked for everywhere."""
MOST_BODIES = MOST + int(UNASKED_AT_ONCE)
"""No message that is in order carries more."""

NOT_ACCEPTED = Refusal(grpc.StatusCode.UNAUTHENTICATED, "the token is missing, unknown or revoked")
HELLO_FIRST = Refusal(grpc.StatusCode.INVALID_ARGUMENT, "the first body of a stream must be Hello")
NO_HELLO = Refusal(grpc.StatusCode.DEADLINE_EXCEEDED, f"no Hello within {HELLO_SECONDS:g} seconds")
TAKEN_OVER = Refusal(grpc.StatusCode.ABORTED, "this bot has come back on another stream")
FLOODED = Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many messages; answer each question once")
TRESPASSED = Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "too many answers to matches of others")
NOT_READING = Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "the bot does not read what it is sent")
STOPPING = Refusal(grpc.StatusCode.UNAVAILABLE, "the server is stopping; come back in a while")


class Authenticator(Protocol):
    """Knows who may play."""

    async def authenticate(self, token: str, peer: str) -> str | None:
        """The name of the bot that has this token; known ones are told without waiting for anything."""


class PlayService:
    """All sessions of this server."""

    def __init__(
        self,
        authenticator: Authenticator,
        presence: Presence,
        lobby: Lobby | NoLobby | None = None,
        *,
        grace: float = 30.0,
        max_bots: int = 2000,
        calls: Calls | None = None,
    ) -> None:
        """`presence` is told who comes and goes, `calls` on which connections bots play."""
        self.lobby = lobby or NoLobby()
        self.draining = ""
        self._authenticator = authenticator
        self._presence = presence
        self._sessions: dict[str, Session] = {}
        """Whom `presence` knows from here: bots that are connected, or that a match waits for."""
        self._grace = grace
        self._max_bots = max_bots
        self._calls = calls or Calls()
        self._streams: dict[str, _Stream] = {}
        self._ready: list[_Stream] = []
        """Streams with something to send."""
        self._answer_alone = False
        """Whether a single answer is being dealt with: what it brings about leaves right after it."""

    async def Play(self, requests: Any, context: Any) -> None:  # noqa: N802 - the method's name in the protocol
        called = time.monotonic()
        name = await self._authenticate(context)
        waited = time.monotonic() - called
        first = await _first_frame(context)
        hello = _check_hello(first, name)
        if self.draining and not self._awaited(name):
            raise STOPPING
        session = self._seat(name, hello)
        stream = self._streams[name] = _Stream(self, session, context)
        session.on_ready = stream.mark_ready
        welcome = pb.Welcome(
            name=name,
            protocol_version=PROTOCOL_VERSION,
            server=f"referee {__version__}",
            session=session.secret,
            resumed=list(session.seats),
            grace_ms=round(self._grace * 1000),
            max_message_bytes=MAX_MESSAGE_BYTES,
        )
        session.connect(pb.Down(welcome=welcome), waited)
        log.info("bot connected", bot=name, client=session.client, resumed=len(session.seats))
        self._presence.arrived(session)
        try:
            with self._calls.bot(context.peer()):
                await stream.run(first.bodies[1:])
        finally:
            if self._streams.get(name) is stream:
                del self._streams[name]
                session.disconnect()
                log.info("bot disconnected", bot=name, waiting_matches=len(session.seats))
                self.lobby.gone(session)
                self._tell_change(session)

    def drain(self, text: str) -> None:
        """Let no more bots in but those whose matches wait for them, and tell who is here."""
        self.draining = text
        for session in self._sessions.values():
            session.send(pb.Down(drain=pb.Drain(text=text)))

    def close(self, name: str, refusal: Refusal) -> None:
        """End a bot's stream, if it has one."""
        if name in self._streams:
            self._streams[name].close(refusal)

    def close_all(self, refusal: Refusal = STOPPING) -> None:
        for stream in list(self._streams.values()):
            stream.close(refusal)

    def ready(self, stream: _Stream) -> None:
        """A stream has something to send: it leaves together with what else comes up in this turn of the loop."""
        if not self._ready and not self._answer_alone:
            asyncio.get_running_loop().call_soon(self._send_ready)
        self._ready.append(stream)

    def heard(self, stream: _Stream, bodies: Any, now: float) -> None:
        """A bot has said something at `now`."""
        if len(bodies) != 1:
            stream.take(bodies, now)
            return
        self._answer_alone = not self._ready
        try:
            stream.take(bodies, now)
        finally:
            if self._answer_alone:
                self._answer_alone = False
                self._send_ready()

    def _send_ready(self) -> None:
        ready, self._ready = self._ready, []
        for stream in ready:
            stream.send()

    async def _authenticate(self, context: Any) -> str:
        with lookups():
            name = await self._authenticator.authenticate(bearer_token(context), context.peer())
        if name is None:
            raise NOT_ACCEPTED
        return name

    def _awaited(self, name: str) -> bool:
        session = self._sessions.get(name)
        return session is not None and bool(session.seats)

    def _seat(self, name: str, hello: pb.Hello) -> Session:
        """The session of this bot: a new one, or the one it had, if it may have it."""
        session = self._sessions.get(name)
        if session is None:
            if len(self._sessions) >= self._max_bots:
                raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, f"all {self._max_bots} places are taken")
            session = self._sessions[name] = Session(name, hello)
            session.on_idle = self._match_over
            return session
        if session.connected:
            if hello.resume != session.secret:
                raise Refusal(grpc.StatusCode.ALREADY_EXISTS, f"{name} is connected already; one stream per bot")
            self._streams.pop(name).close(TAKEN_OVER)
            session.disconnect()
        session.greet(hello)
        session.leaving = False
        return session

    def _match_over(self, session: Session) -> None:
        if session.leaving and not session.seats and session.name in self._streams:
            self._streams[session.name].close(None)
        self._tell_change(session)

    def _tell_change(self, session: Session) -> None:
        """A bot was lost or has become free: it has gone for good if no match waits for it."""
        if session.connected or session.seats:
            self._presence.changed()
        else:
            if self._sessions.get(session.name) is session:
                del self._sessions[session.name]
            self._presence.gone(session)


class _Stream:
    """One stream of one session."""

    def __init__(self, service: PlayService, session: Session, context: Any) -> None:
        self._service = service
        self._session = session
        self._context = context
        self._closing: asyncio.Future[Refusal | None] = asyncio.get_running_loop().create_future()
        self._allowance = Allowance.of_a_bot(time.monotonic())
        self._trespasses = 0
        self._sender = Sender(context.write, self._next_frame)
        self._marked = False

    def close(self, refusal: Refusal | None) -> None:
        if not self._closing.done():
            self._closing.set_result(refusal)

    def mark_ready(self) -> None:
        """There may be something to send."""
        if not self._marked:
            self._marked = True
            self._service.ready(self)

    def send(self) -> None:
        self._marked = False
        self._sender.look()

    async def run(self, bodies: Any) -> None:
        """Until either side ends it; raises the Refusal that the bot is told."""
        self.take(bodies, time.monotonic())
        reader = asyncio.ensure_future(self._read())
        watch = asyncio.ensure_future(self._watch())
        sender = self._sender
        ends: set[asyncio.Future[Any]] = {reader, sender.over, self._closing}
        try:
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            refusal: Refusal | None = None
            if self._closing.done():
                refusal = self._closing.result()
                words = self._session.last_words() if refusal is not TAKEN_OVER else None
                with suppress(TimeoutError):
                    async with asyncio.timeout(FAREWELL_SECONDS):
                        await sender.finish(words)
            elif reader.done():
                refusal = reader.result()
            elif error := sender.over.result():
                raise error
        finally:
            for task in (reader, watch):
                task.cancel()
            sender.stop()
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
            if frame is grpc.aio.EOF:
                return None
            if frame is UNDECODABLE:
                return NOT_DECODED
            self._service.heard(self, frame.bodies, now)
        return self._closing.result()

    def _next_frame(self) -> pb.PlayResponse | None:
        if self._closing.done() or (ready := self._session.take()) is None:
            return None
        frame, questions = ready
        self._session.frame_sent(questions)
        return frame

    async def _watch(self) -> None:
        """A bot that does not read what it is sent blocks its sender sooner or later."""
        while True:
            await asyncio.sleep(WRITE_SECONDS / 10)
            since = self._sender.since
            if since is not None and time.monotonic() - since > WRITE_SECONDS:
                self.close(NOT_READING)

    def take(self, bodies: Any, now: float) -> None:
        """What the bot says, at `now`."""
        if len(bodies) > MOST_BODIES:
            self._expel(FLOODED)
            return
        session = self._session
        spent = 0 if bodies else 1
        for body in bodies:
            if body.HasField("act"):
                act = body.act
                place = session.seats.get(act.match)
                if place is None:
                    spent += 1
                    self._trespass(act.match, act.decision, act.move)
                elif not session.answer(*place, act.decision, act.move, now):
                    spent += 1
            else:
                spent += 1
                self._take_other(body, now)
        if spent:
            self._spend(spent, now)

    def _take_other(self, body: pb.Up, now: float) -> None:
        session = self._session
        kind = body.WhichOneof("body")
        if kind == "resign":
            place = session.seats.get(body.resign.match)
            if place is None:
                self._trespass(body.resign.match, 0, "")
            else:
                match, seat = place
                match.resign(seat, f"resigned: {shorten(body.resign.reason, 200)}" if body.resign.reason else "")
        elif kind == "leave":
            session.leaving = True
            self._service.lobby.gone(session)
            if not session.seats:
                self.close(None)
        elif kind == "practice":
            self._wish(body.practice, now)
        elif kind == "hello":
            session.notice("ignored", "Hello is said once, at the beginning of a stream")

    def _wish(self, practice: pb.Practice, now: float) -> None:
        # Paid for before it is read: a message may hold hundreds. Of what is too large, nothing is read.
        size = min(len(practice.options_json), MOST_BYTES)
        if self._spend(size // OPTION_BYTES, now):
            asked = PracticeRequest(practice.game, tuple(practice.against), practice.matches, practice.options_json)
            if not self._service.lobby.wish(self._session, asked):
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
        rejected = Rejected(decision, kind, kind.value, text, shorten(move), left)
        session.send(pb.Down(rejected=rejected_message(shorten(match), rejected)))
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


async def _first_frame(context: Any) -> pb.PlayRequest:
    read = asyncio.ensure_future(context.read())
    done, _ = await asyncio.wait({read}, timeout=HELLO_SECONDS)
    if not done:
        read.cancel()
        raise NO_HELLO
    frame = read.result()
    if frame is UNDECODABLE:
        raise NOT_DECODED
    if frame is grpc.aio.EOF or not frame.bodies or not frame.bodies[0].HasField("hello"):
        raise HELLO_FIRST
    first: pb.PlayRequest = frame
    return first


def _check_hello(first: pb.PlayRequest, name: str) -> pb.Hello:
    hello = first.bodies[0].hello
    if hello.protocol_version != PROTOCOL_VERSION:
        raise Refusal(
            grpc.StatusCode.FAILED_PRECONDITION,
            f"this server speaks protocol {PROTOCOL_VERSION}, the bot {hello.protocol_version}: update the older",
        )
    if len(hello.name) > LONGEST_NAME or not hello.name.isprintable():
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, f"a name has at most {LONGEST_NAME} printable characters")
    if hello.name and hello.name != name:
        raise Refusal(grpc.StatusCode.PERMISSION_DENIED, "the token belongs to a bot of another name")
    if len(hello.games) > MOST_GAMES or any(len(game) > LONGEST_NAME for game in hello.games):
        raise Refusal(grpc.StatusCode.INVALID_ARGUMENT, f"at most {MOST_GAMES} games with short names")
    hello.client = shorten(hello.client)
    return hello
