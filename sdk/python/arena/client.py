"""A bot's connection to the server: opens the stream, reads what the referee says, comes back after a lost connection.

All questions of one message are answered in one message: cost is per message, hardly per answer. A bot that thinks
long has its finished answers sent on the way, so that no clock runs on an answer that is ready.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections import deque
from contextlib import suppress
from dataclasses import replace
from typing import Any

import grpc
import grpc.aio

from arena import __version__, bots
from arena.addresses import Addresses
from arena.answers import Answers, Say
from arena.conversation import PROTOCOL_VERSION, Conversation
from arena.errors import ArenaError, Gone, Refused
from arena.meaning import meaning
from arena.outbox import FLUSH_SECONDS, Outbox
from arena.recording import Recording
from arena.settings import Settings
from arena.v1 import match_pb2 as pb
from arena.v1.match_pb2_grpc import MatchServiceStub
from arena.writing import write

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
CLIENT = f"arena-python {__version__}"


def to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Client:
    """One bot on one server. `await Client(bot, settings).play()` returns when there is nothing more to play."""

    def __init__(self, bot: bots.Bot, settings: Settings, say: Say = to_stderr) -> None:
        self._bot = bots.check(bot)
        self._settings = settings
        self._warn = say
        told: Say = (lambda text: None) if settings.quiet else say
        self._recording = Recording(settings.record) if settings.record else None
        self._addresses = Addresses(settings.server)
        self._outbox = outbox = Outbox()
        self._answers = answers = Answers(self._bot, outbox, say, strict=settings.strict, recording=self._recording)
        self._conversation = Conversation(settings, self._addresses, outbox, answers, told, say, self._recording)

    @property
    def playing(self) -> int:
        """How many matches are running."""
        return len(self._answers.seats)

    @property
    def errors(self) -> int:
        """Matches that were resigned because of an error in the bot."""
        return self._answers.errors

    @property
    def leaving(self) -> bool:
        """Whether the bot takes no new matches."""
        return self._conversation.leaving

    @property
    def results(self) -> deque[pb.MatchEnd]:
        """How the matches of this client ended, oldest first (the last thousand)."""
        return self._conversation.results

    async def play(self) -> None:
        """Play until told to leave; reconnects by itself. ArenaError says what cannot be mended by waiting."""
        patience = self._settings.first_patience
        lost_at = time.monotonic()
        pause = FIRST_PAUSE
        try:
            while True:
                welcomes = self._conversation.welcomes
                try:
                    await self._one_stream()
                    if self.leaving:
                        return
                    reason = f"{self._addresses.current} ended the stream"
                except Gone as error:
                    reason = str(error)
                except Refused as error:
                    # A further address may be wrong, while the one that was given will be there again.
                    if self._addresses.is_given or self._conversation.welcomes != welcomes:
                        raise
                    reason = str(error)
                if self.leaving and not self.playing:
                    return
                if self._conversation.welcomes != welcomes:  # it had worked: patience starts anew
                    patience, pause, lost_at = self._settings.patience, FIRST_PAUSE, time.monotonic()
                    self._addresses.back_to_first()
                else:
                    self._addresses.try_next()
                left = patience - (time.monotonic() - lost_at)
                if left < FIRST_PAUSE:
                    raise Gone(f"{reason}; gave up after {patience:g} seconds")
                pause = min(pause, left)
                self._warn(f"{reason}; trying again in {pause:.1f} s")
                # Not all bots at once, after a server came back.
                await asyncio.sleep(pause * random.uniform(0.7, 1.0))
                pause = min(pause * 2, LONGEST_PAUSE)
        finally:
            self._outbox.cancel()
            if self._recording:
                self._recording.close()
            self._conversation.sum_up()

    def leave(self) -> None:
        """Take no new matches and stop when the running ones have ended."""
        self._conversation.leave()

    def act_unasked(self, match: str, decision: int, move: str) -> None:
        """Send a move that is no longer asked for: how that counts is the server's matter."""
        if match in self._answers.seats and self._outbox.call is not None:
            self._outbox.put(act=pb.Act(match_id=match, decision=decision, move_text=move))
            self._outbox.flush_now()

    def resign_all(self, reason: str) -> None:
        """Give up every match that is running and not given up yet, whether or not the bot is being asked there."""
        self._answers.resign_all(reason)

    async def hang_up(self) -> None:
        """Send what is ready and close this side of the stream: `play` returns once the server has read it all."""
        self._conversation.leaving = True
        await self._outbox.flush_all()
        if (call := self._outbox.call) is not None:
            with suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):  # the stream has ended meanwhile
                await call.done_writing()

    def hear(self, kind: str, body: Any) -> None:
        """What the referee says besides questions, by the name of its field in RefereeBody."""
        getattr(self._conversation, kind)(body)

    async def _one_stream(self) -> None:
        outbox, answers = self._outbox, self._answers
        outbox.stream += 1
        async with self._channel() as channel:
            metadata = (("authorization", f"Bearer {self._settings.token}"),) if self._settings.token else ()
            call: Any = MatchServiceStub(channel).Play(metadata=metadata)
            try:
                await write(call, pb.PlayRequest(bodies=[pb.BotBody(hello=self._hello())]))
                outbox.call = call
                while (frame := await call.read()) is not grpc.aio.EOF:
                    since = answers.heard = time.monotonic()
                    for body in frame.bodies:
                        if outbox.frame is not None and time.monotonic() - since > FLUSH_SECONDS:
                            await outbox.flush()
                            since = time.monotonic()
                        if body.HasField("decide"):
                            answers.decide(body.decide)
                        elif kind := body.WhichOneof("body"):
                            self.hear(kind, getattr(body, kind))
                    if outbox.frame is not None:
                        await outbox.flush()
                    if answers.failed is not None:
                        raise answers.failed
                if await call.code() is not grpc.StatusCode.OK:
                    raise self._meaning(await call.code(), await call.details())
            except grpc.aio.AioRpcError as error:
                raise self._meaning(error.code(), error.details()) from None
            except asyncio.InvalidStateError:  # writing on a stream that has just ended
                raise self._meaning(await call.code(), await call.details()) from None
            except asyncio.CancelledError:
                if answers.failed is not None:
                    raise answers.failed from None
                raise
            finally:
                outbox.call = outbox.frame = None
                call.cancel()

    def _meaning(self, code: Any, details: str | None) -> ArenaError:
        looked_at = replace(self._settings, server=self._addresses.current)
        return meaning(code, details, looked_at, first=not self._conversation.session)

    def _channel(self) -> grpc.aio.Channel:
        options = [
            ("grpc.keepalive_time_ms", 20_000),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.http2.ping_timeout_ms", 10_000),  # of pings that are on their way when a keep-alive is due
            ("grpc.max_receive_message_length", 64 << 20),
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.enable_retries", 0),
        ]
        server = self._addresses.current
        if not self._settings.tls:
            return grpc.aio.insecure_channel(server, options=options)
        ca = None
        if self._settings.ca is not None:
            try:
                ca = self._settings.ca.read_bytes()
            except OSError as error:
                raise Refused(f"cannot read {self._settings.ca}: {error.strerror}") from None
        return grpc.aio.secure_channel(server, grpc.ssl_channel_credentials(ca), options=options)

    def _hello(self) -> pb.Hello:
        settings = self._settings
        return pb.Hello(
            protocol_version=PROTOCOL_VERSION,
            name=settings.name,
            games=settings.games,
            concurrency=settings.concurrency or (1 if bots.shares_memory(self._bot) else 16),
            without_legal=settings.without_legal,
            client=CLIENT,
            resume=self._conversation.session,
            gives_nonces=True,
        )
