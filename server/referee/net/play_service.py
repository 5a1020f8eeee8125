"""MatchService.Play: authenticates bots, checks their Hello, and keeps one session per bot across reconnects.

What happens on the stream of a bot that was let in is in `play_stream.py`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import grpc
import grpc.aio
import structlog

from arena.v1 import match_pb2 as pb
from referee.chain_head import ChainHead
from referee.hall.hosted_bots import HostedBots, NoHostedBots
from referee.hall.notices import NoticeCode
from referee.hall.practice_request import NoLobby
from referee.hall.presence import Presence
from referee.names import LONGEST_NAME
from referee.net import messages
from referee.net.bearer import bearer_token, lookups
from referee.net.guard import NOT_DECODED, UNDECODABLE, Refusal
from referee.net.messages import PROTOCOL_VERSION
from referee.net.open_calls import Calls
from referee.net.outbox import Turn
from referee.net.play_stream import TAKEN_OVER, PlayStream
from referee.net.session import Session
from referee.rules import registry
from referee.rules.spelling import SHOWN, brief, printable

if TYPE_CHECKING:
    from referee.hall.lobby import Lobby

log = structlog.get_logger()

HELLO_SECONDS = 10.0
MOST_GAMES = 100
MOST_TOLD = 5
"""Names of unknown games that a sentence repeats."""

NOT_ACCEPTED = Refusal(grpc.StatusCode.UNAUTHENTICATED, "the token is missing, unknown or revoked")
HELLO_FIRST = Refusal(grpc.StatusCode.INVALID_ARGUMENT, "the first body of a stream must be Hello")
NO_HELLO = Refusal(grpc.StatusCode.DEADLINE_EXCEEDED, f"no Hello within {HELLO_SECONDS:g} seconds")
BROKEN_ON_PURPOSE = Refusal(grpc.StatusCode.UNAVAILABLE, "this connection is broken on purpose: come back and play on")
STOPPING = Refusal(grpc.StatusCode.UNAVAILABLE, "the server is stopping: come back in a while")


class Authenticator(Protocol):
    """Knows which bots may play."""

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
        addresses: Sequence[str] = (),
        before_frame: Callable[[str], object] = lambda bot: None,
        heads: Callable[[str], Mapping[str, ChainHead]] = lambda bot: messages.NO_HEADS,
        hosted: HostedBots | None = None,
    ) -> None:
        """`presence` is told which bots come and go, `calls` on which connections bots play.

        `addresses` are further ones of this server, which bots are told. `before_frame` is called with the bot's name
        before a message of its stream is read. `heads` tells those of the hash chains of a bot's tournaments. A bot
        whose submitted version is `hosted` is not let in: it plays already.
        """
        self.lobby = lobby or NoLobby()
        self.draining = ""
        self._authenticator = authenticator
        self._presence = presence
        self._sessions: dict[str, Session] = {}
        """Whom `presence` knows from here: bots that are connected, or that a match waits for."""
        self._grace = grace
        self._max_bots = max_bots
        self._calls = calls or Calls()
        self._addresses = addresses
        self._before_frame = before_frame
        self._heads = heads
        self._hosted = hosted or NoHostedBots()
        self._streams: dict[str, PlayStream] = {}
        self._turn = Turn()

    async def Play(self, requests: Any, context: Any) -> None:  # noqa: N802 - the method's name in the protocol
        called = time.monotonic()
        name = await self._authenticate(context)
        waited = time.monotonic() - called
        first = await _first_frame(context)
        hello = _check_hello(first, name)
        unknown = _unknown_games(hello)
        if await self._authenticate(context) != name:  # made void while the Hello was waited for
            raise NOT_ACCEPTED
        if self.draining and not self._awaited(name):
            raise STOPPING
        if not self._awaited(name):
            self._check_not_hosted(name)
        session = self._seat(name, hello)
        stream = self._streams[name] = PlayStream(session, context, self.lobby, self._turn, self._before_frame)
        practice_left = self.lobby.left(name)
        heads = self._heads(name)
        welcome = messages.welcome(
            name, session.secret, session.seats, self._grace, practice_left, self._addresses, heads
        )
        session.connect(stream.outbox, welcome, waited)
        log.info("bot connected", bot=name, client=session.client, resumed=len(session.seats))
        if unknown:
            session.notice(NoticeCode.UNKNOWN_GAME, unknown)
        self._presence.arrived(session)
        self.lobby.back(session)
        try:
            with self._calls.bot(context.peer()):
                await stream.run(first.bodies[1:])
        finally:
            if self._streams.get(name) is stream:
                del self._streams[name]
                session.disconnect()
                log.info("bot disconnected", bot=name, waiting_matches=len(session.seats))
                self.lobby.away(session)
                self._tell_change(session)

    def drain(self, text: str) -> None:
        """Let no more bots in but those whose matches wait for them, and tell those that are here."""
        self.draining = text
        for session in self._sessions.values():
            session.send(messages.drain(text))

    def close(self, name: str, refusal: Refusal) -> None:
        """End a bot's stream, if it has one."""
        if name in self._streams:
            self._streams[name].close(refusal)

    def give_way(self, name: str) -> None:
        """A submitted version of this bot plays from now on: the connected one leaves when its matches are over."""
        session = self._sessions.get(name)
        if session is None:
            return
        if session.seats:
            session.leaving = True
        else:
            self.close(name, _hosted(name, self._hosted.version(name)))

    def close_all(self, refusal: Refusal = STOPPING) -> None:
        for stream in list(self._streams.values()):
            stream.close(refusal)

    async def _authenticate(self, context: Any) -> str:
        with lookups():
            name = await self._authenticator.authenticate(bearer_token(context), context.peer())
        if name is None:
            raise NOT_ACCEPTED
        return name

    def _check_not_hosted(self, name: str) -> None:
        """A bot is connected or hosted, never both at once."""
        if (version := self._hosted.version(name)) is not None:
            raise _hosted(name, version)
        if self._hosted.busy(name):
            text = f"the retired version of {name} is still in a match: try again in 5 seconds"
            raise Refusal(grpc.StatusCode.UNAVAILABLE, text, retry_ms=5000)

    def _awaited(self, name: str) -> bool:
        session = self._sessions.get(name)
        return session is not None and bool(session.seats)

    def _seat(self, name: str, hello: pb.Hello) -> Session:
        """The session of this bot: a new one, or the one it had, if it may have it."""
        session = self._sessions.get(name)
        if session is None:
            if len(self._sessions) >= self._max_bots:
                raise Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, f"all {self._max_bots} places are taken")
            session = self._sessions[name] = Session(name, hello, self._match_over)
            return session
        if session.connected:
            if hello.resume != session.secret:
                raise Refusal(grpc.StatusCode.ALREADY_EXISTS, f"{name} is connected already: one stream per bot")
            self._streams.pop(name).close(TAKEN_OVER)
            session.disconnect()
        session.greet(hello)
        session.leaving = self._hosted.version(name) is not None  # back for its matches only
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


def _hosted(name: str, version: int | None) -> Refusal:
    return Refusal(
        grpc.StatusCode.FAILED_PRECONDITION,
        f"version {version} of {name} was submitted and plays here: take it back with 'referee submission retire' "
        "before you connect",
    )


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
    hello.client = printable(hello.client, SHOWN)
    return hello


def _unknown_games(hello: pb.Hello) -> str:
    """A sentence about games that the bot plays and this server does not referee; a Refusal if that is all of them."""
    there = registry.names()
    unknown = [game for game in dict.fromkeys(hello.games) if game not in there]
    if not unknown:
        return ""
    told = f"{', '.join(brief(game) for game in unknown[:MOST_TOLD])}{', …' * (len(unknown) > MOST_TOLD)}"
    if len(unknown) == len(set(hello.games)):
        raise Refusal(
            grpc.StatusCode.INVALID_ARGUMENT,
            f"this server referees none of the bot's games ({told}); it referees {', '.join(there)}",
        )
    return f"this server does not referee {told}; it referees {', '.join(there)}"
