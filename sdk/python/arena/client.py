"""A bot's side of the stream: says hello, answers questions, comes back after a lost connection.

All questions of one message are answered in one message: cost is per message, hardly per answer. A bot that thinks
long has its finished answers sent on the way, so that no clock runs on an answer that is ready.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import grpc
import grpc.aio

from arena import bots
from arena.decision import Decision, Match
from arena.errors import ArenaError, BotFailed, Gone, Refused
from arena.recording import Recording
from arena.settings import Settings
from arena.v1 import match_pb2 as pb
from arena.v1.match_pb2_grpc import MatchServiceStub

PROTOCOL_VERSION = 1
FLUSH_SECONDS = 0.005
CLIENT = "arena-python 0.1.0"

Say = Callable[[str], object]


def to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Client:
    """One bot on one server. `await Client(bot, settings).play()` returns when there is nothing more to play."""

    def __init__(self, bot: Any, settings: Settings, say: Say = to_stderr) -> None:
        self._bot = bots.check(bot)
        self._settings = settings
        self._say: Say = (lambda text: None) if settings.quiet else say
        self._warn = say
        self._players: dict[str, bots.Player] = {}
        self._asked: dict[tuple[str, int], Decision] = {}
        self._thinking: set[asyncio.Task[None]] = set()
        self._out: list[pb.Up] = []
        self._flushed = 0.0
        self._call: Any = None
        self._write_lock = asyncio.Lock()
        self._session = ""
        self._leaving = False
        self._practised = 0
        self._failed: BaseException | None = None
        self._recording = Recording(settings.record) if settings.record else None
        self.results: list[pb.MatchEnd] = []
        """How the matches of this client ended, oldest first (the last thousand)."""

    async def play(self) -> None:
        """Play until told to leave; reconnects by itself. ArenaError says what cannot be mended by waiting."""
        patience = self._settings.first_patience
        lost_at = time.monotonic()
        pause = 0.1
        try:
            while True:
                try:
                    welcomed = self._session
                    await self._one_stream()
                    if self._done():
                        return
                    reason = "the server ended the stream"
                except Gone as error:
                    reason = str(error)
                if self._session != welcomed:  # it had worked: patience starts anew
                    patience, pause, lost_at = self._settings.patience, 0.1, time.monotonic()
                if time.monotonic() - lost_at + pause > patience:
                    raise Gone(f"{reason}; gave up after {patience:g} seconds")
                self._warn(f"{reason}; trying again in {pause:.1f} s")
                await asyncio.sleep(pause)
                pause = min(pause * 2, 5.0)
        finally:
            for task in self._thinking:
                task.cancel()
            if self._recording:
                self._recording.close()

    def leave(self) -> None:
        """Take no new matches and stop when the running ones have ended."""
        if not self._leaving:
            self._leaving = True
            self._out.append(pb.Up(leave=pb.Leave()))
            if self._call is not None:
                self._later(self._flush())

    def _done(self) -> bool:
        return self._leaving

    async def _one_stream(self) -> None:
        async with self._channel() as channel:
            metadata = (("authorization", f"Bearer {self._settings.token}"),) if self._settings.token else ()
            call = MatchServiceStub(channel).Play(metadata=metadata)
            self._call = call
            try:
                await call.write(pb.PlayRequest(bodies=[pb.Up(hello=self._hello())]))
                while True:
                    frame: Any = await call.read()
                    if frame is grpc.aio.EOF:
                        break
                    await self._take(frame)
                    if self._failed is not None:
                        await self._flush()
                        raise self._failed
                if await call.code() is not grpc.StatusCode.OK:
                    raise _meaning(await call.code(), await call.details(), self._settings)
            except grpc.aio.AioRpcError as error:
                raise _meaning(error.code(), error.details(), self._settings) from None
            except asyncio.InvalidStateError:  # writing on a stream that has just ended
                code, details = await call.code(), await call.details()
                raise _meaning(code, details, self._settings) from None
            finally:
                self._call = None
                self._out.clear()
                call.cancel()

    def _channel(self) -> grpc.aio.Channel:
        options = [
            ("grpc.keepalive_time_ms", 20_000),
            ("grpc.keepalive_timeout_ms", 10_000),
            ("grpc.max_receive_message_length", 64 << 20),
            ("grpc.use_local_subchannel_pool", 1),
            ("grpc.enable_retries", 0),
        ]
        server = self._settings.server
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
            resume=self._session,
        )

    async def _take(self, frame: pb.PlayResponse) -> None:
        self._flushed = time.monotonic()
        for body in frame.bodies:
            if body.HasField("decide"):
                self._decide(body.decide)
                if self._out and time.monotonic() - self._flushed > FLUSH_SECONDS:
                    await self._flush()
            elif kind := body.WhichOneof("body"):
                getattr(self, f"_on_{kind}")(getattr(body, kind))
        if self._out:
            await self._flush()

    def _decide(self, question: pb.Decide) -> None:
        player = self._players.get(question.match)
        if player is None:
            return
        key = (question.match, question.decision)
        if question.again and key in self._asked:
            return  # still thinking about it, on a stream that broke meanwhile
        decision = Decision(
            player.match,
            question.decision,
            list(question.legal),
            question.view,
            complete=question.complete,
            budget=question.budget_ms / 1000,
            bank=question.bank_ms / 1000,
            again=question.again,
        )
        self._asked[key] = decision
        self._answer(player, decision)

    def _answer(self, player: bots.Player, decision: Decision) -> None:
        began = time.monotonic()
        try:
            answer = player.decide(decision)
        except Exception:  # noqa: BLE001 - the author's code may raise anything
            self._resign(decision, traceback.format_exc())
            return
        if inspect.isawaitable(answer):
            self._later(self._answer_later(answer, decision, began))
        else:
            self._act(decision, answer, began)

    async def _answer_later(self, answer: Any, decision: Decision, began: float) -> None:
        try:
            move = await answer
        except Exception:  # noqa: BLE001 - the author's code may raise anything
            self._resign(decision, traceback.format_exc())
        else:
            self._act(decision, move, began)
        await self._flush()

    def _act(self, decision: Decision, move: Any, began: float) -> None:
        if not isinstance(move, str):
            text = f"decide returned {move!r}; a move is a text such as {(decision.legal or ['pass'])[0]!r}\n"
            self._resign(decision, text)
            return
        if self._recording:
            self._recording.decided(decision, move, time.monotonic() - began)
        self._out.append(pb.Up(act=pb.Act(match=decision.match, decision=decision.number, move=move)))

    def _resign(self, decision: Decision, trace: str) -> None:
        last = trace.strip().splitlines()[-1]
        self._warn(f"{trace}{decision!r} went wrong in decide; resigning this match.")
        self._asked.pop((decision.match, decision.number), None)
        self._out.append(pb.Up(resign=pb.Resign(match=decision.match, reason=f"error in decide: {last}"[:200])))
        if self._settings.strict:
            self._failed = BotFailed(f"stopped at the first error in decide, as --strict asks: {last}")

    def _on_welcome(self, welcome: pb.Welcome) -> None:
        if welcome.protocol_version != PROTOCOL_VERSION:
            raise Refused(
                f"{welcome.server} speaks protocol {welcome.protocol_version}, this SDK {PROTOCOL_VERSION}: "
                "update the older of the two"
            )
        fresh = not self._session
        self._session = welcome.session
        for match in [match for match in self._players if match not in welcome.resumed]:
            self._warn(f"match {match} went on without this bot")
            self._forget(match)
        self._say(f"connected to {welcome.server} at {self._settings.server} as {welcome.name}")
        practice = self._settings.practice
        if practice and (missing := practice.matches - self._practised - len(welcome.resumed)) > 0:
            self._out.append(
                pb.Up(
                    practice=pb.Practice(
                        game=practice.game,
                        against=practice.against,
                        matches=missing,
                        options_json=practice.options_json,
                    )
                )
            )
        elif fresh and not practice:
            self._say("waiting for matches (Ctrl-C to leave)")
        if self._leaving:
            self._out.append(pb.Up(leave=pb.Leave()))

    def _on_match_start(self, start: pb.MatchStart) -> None:
        if start.match not in self._players:
            try:
                self._players[start.match] = bots.Player(self._bot, Match.from_start(start))
            except Exception:  # noqa: BLE001 - the author's code may raise anything
                self._warn(f"{traceback.format_exc()}the bot could not start match {start.match}; resigning it.")
                self._out.append(pb.Up(resign=pb.Resign(match=start.match, reason="error in the bot's start")))
        if self._recording:
            self._recording.note("start", start)

    def _on_rejected(self, rejected: pb.Rejected) -> None:
        if self._recording:
            self._recording.note("rejected", rejected)
        decision = self._asked.get((rejected.match, rejected.decision))
        legal = ""
        if decision is not None and decision.legal:
            shown = " | ".join(decision.legal[:12]) + (" | …" if len(decision.legal) > 12 else "")
            legal = f" Legal {'were' if decision.complete else 'would have been, among others'}: {shown}."
        self._warn(
            f"match {rejected.match}, decision {rejected.decision}: {rejected.move!r} was refused: "
            f"{rejected.message}.{legal} Strikes left: {rejected.strikes_left}."
        )
        again = rejected.kind in (pb.REJECTION_KIND_UNREADABLE, pb.REJECTION_KIND_ILLEGAL)
        player = self._players.get(rejected.match)
        if again and rejected.strikes_left and decision is not None and player is not None:
            decision.rejected = rejected.message
            self._answer(player, decision)

    def _on_match_end(self, end: pb.MatchEnd) -> None:
        if self._recording:
            self._recording.note("end", end)
        player = self._players.get(end.match)
        self._forget(end.match)
        self.results = [*self.results[-999:], end]
        if player is None:
            return
        seat, match = player.match.seat, player.match
        how = pb.Termination.Name(end.terminations[seat]).removeprefix("TERMINATION_").lower()
        text = f" ({how}: {end.texts[seat]})" if end.texts[seat] else ""
        others = ", ".join(name for place, name in enumerate(match.names) if place != seat)
        self._say(
            f"{match.game} {match.id}: rank {end.ranks[seat]} of {len(end.ranks)}, score {end.scores[seat]}"
            f"{f' against {others}' if others else ''}{text}"
        )
        if player.end is not None:
            try:
                player.end(end)
            except Exception:  # noqa: BLE001 - the author's code may raise anything
                self._warn(f"{traceback.format_exc()}the bot's end() failed after match {end.match}")
        practice = self._settings.practice
        if practice and not match.tournament:
            self._practised += 1
            if self._practised >= practice.matches:
                self.leave()

    def _on_notice(self, notice: pb.Notice) -> None:
        if notice.code == "refused":
            raise Refused(notice.text)
        self._say(notice.text)

    def _on_drain(self, drain: pb.Drain) -> None:
        self._say(drain.text)

    def _forget(self, match: str) -> None:
        self._players.pop(match, None)
        for key in [key for key in self._asked if key[0] == match]:
            del self._asked[key]

    async def _flush(self) -> None:
        async with self._write_lock:
            if self._out and self._call is not None:
                frame = pb.PlayRequest(bodies=self._out)
                self._out = []
                with suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):  # the reader tells why it ended
                    await self._call.write(frame)
            self._flushed = time.monotonic()

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._thinking.add(task)
        task.add_done_callback(self._thinking.discard)


def _meaning(code: Any, details: str | None, settings: Settings) -> ArenaError:
    """What a status means to the author of a bot."""
    where, details = settings.server, details or ""
    if code is grpc.StatusCode.UNAUTHENTICATED:
        hint = "check REFEREE_TOKEN or --token" if settings.token else "give it with --token or REFEREE_TOKEN"
        return Refused(f"{where} did not accept the token: {hint}; the host makes one with 'referee bot add NAME'")
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return Refused(f"{where} is a gRPC server, but no Referee server of this version: {details}")
    if code in (
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
    ):
        return Refused(f"{where} refused: {details}")
    if code is grpc.StatusCode.UNAVAILABLE:
        return Gone(f"cannot reach a Referee server at {where} ({details or 'no answer'})")
    return Gone(f"lost the connection to {where} ({code.name.lower()}{f': {details}' if details else ''})")
