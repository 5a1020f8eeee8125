"""A bot's side of the stream: says hello, answers questions, comes back after a lost connection.

All questions of one message are answered in one message: cost is per message, hardly per answer. A bot that thinks
long has its finished answers sent on the way, so that no clock runs on an answer that is ready.
"""

from __future__ import annotations

import asyncio
import inspect
import random
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable
from typing import Any

import grpc
import grpc.aio

from arena import __version__, bots
from arena.decision import Decision, Match
from arena.errors import ArenaError, BotFailed, Gone, Refused
from arena.meaning import meaning
from arena.recording import Recording
from arena.settings import Settings
from arena.v1 import match_pb2 as pb
from arena.v1.match_pb2_grpc import MatchServiceStub

PROTOCOL_VERSION = 1
FLUSH_SECONDS = 0.02
LONGEST_PAUSE = 5.0
CLIENT = f"arena-python {__version__}"

Say = Callable[[str], object]


class Resigned(str):
    """Said in place of a move: that the bot resigns, and why."""

    __slots__ = ()


def to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class _Seat:
    """The bot in one match, and the question before it."""

    __slots__ = ("decision", "player", "reply", "stream")

    def __init__(self, player: bots.Player) -> None:
        self.player = player
        self.decision: Decision | None = None
        self.reply: str | None = None
        """What was said to the latest question, a move or `Resigned`; None while the bot thinks."""
        self.stream = 0
        """The stream on which that question came (last)."""


class Client:
    """One bot on one server. `await Client(bot, settings).play()` returns when there is nothing more to play."""

    def __init__(self, bot: Any, settings: Settings, say: Say = to_stderr) -> None:
        self._bot = bots.check(bot)
        self._settings = settings
        self._say: Say = (lambda text: None) if settings.quiet else say
        self._warn = say
        self._seats: dict[str, _Seat] = {}
        self._thinking: set[asyncio.Task[None]] = set()
        self._out: pb.PlayRequest | None = None
        """What is ready to be sent."""
        self._sending = False
        self._call: Any = None
        self._stream = 0
        self._welcomes = 0
        self._session = ""
        self._practised = 0
        self._failed: BotFailed | None = None
        self._recording = Recording(settings.record) if settings.record else None
        self.leaving = False
        self.results: deque[pb.MatchEnd] = deque(maxlen=1000)
        """How the matches of this client ended, oldest first (the last thousand)."""

    @property
    def playing(self) -> int:
        """How many matches are running."""
        return len(self._seats)

    async def play(self) -> None:
        """Play until told to leave; reconnects by itself. ArenaError says what cannot be mended by waiting."""
        patience = self._settings.first_patience
        lost_at = time.monotonic()
        pause = 0.1
        try:
            while True:
                welcomes = self._welcomes
                try:
                    await self._one_stream()
                    if self.leaving:
                        return
                    reason = f"{self._settings.server} ended the stream"
                except Gone as error:
                    reason = str(error)
                if self.leaving and not self._seats:
                    return
                if self._welcomes != welcomes:  # it had worked: patience starts anew
                    patience, pause, lost_at = self._settings.patience, 0.1, time.monotonic()
                if time.monotonic() - lost_at + pause > patience:
                    raise Gone(f"{reason}; gave up after {patience:g} seconds")
                self._warn(f"{reason}; trying again in {pause:.1f} s")
                # Not all bots at once, after a server came back.
                await asyncio.sleep(pause * random.uniform(0.7, 1.0))
                pause = min(pause * 2, LONGEST_PAUSE)
        finally:
            for task in self._thinking:
                task.cancel()
            if self._recording:
                self._recording.close()

    def leave(self) -> None:
        """Take no new matches and stop when the running ones have ended."""
        if not self.leaving:
            self.leaving = True
            if self._call is not None:
                self._put(leave=pb.Leave())
                self._later(self._flush())

    # The stream.

    async def _one_stream(self) -> None:
        self._stream += 1
        async with self._channel() as channel:
            metadata = (("authorization", f"Bearer {self._settings.token}"),) if self._settings.token else ()
            call: Any = MatchServiceStub(channel).Play(metadata=metadata)
            try:
                await call.write(pb.PlayRequest(bodies=[pb.Up(hello=self._hello())]))
                self._call = call
                while (frame := await call.read()) is not grpc.aio.EOF:
                    since = time.monotonic()
                    for body in frame.bodies:
                        if self._out is not None and time.monotonic() - since > FLUSH_SECONDS:
                            await self._flush()
                            since = time.monotonic()
                        if body.HasField("decide"):
                            self._decide(body.decide)
                        elif kind := body.WhichOneof("body"):
                            getattr(self, f"_on_{kind}")(getattr(body, kind))
                    if self._out is not None:
                        await self._flush()
                    if self._failed is not None:
                        raise self._failed
                if await call.code() is not grpc.StatusCode.OK:
                    raise self._meaning(await call.code(), await call.details())
            except grpc.aio.AioRpcError as error:
                raise self._meaning(error.code(), error.details()) from None
            except asyncio.InvalidStateError:  # writing on a stream that has just ended
                raise self._meaning(await call.code(), await call.details()) from None
            except asyncio.CancelledError:
                if self._failed is not None:
                    raise self._failed from None
                raise
            finally:
                self._call = self._out = None
                call.cancel()

    def _meaning(self, code: Any, details: str | None) -> ArenaError:
        return meaning(code, details, self._settings, first=not self._session)

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

    async def _flush(self) -> None:
        """Send what is ready; what becomes ready meanwhile is sent along by whoever is sending already."""
        if self._sending:
            return
        self._sending = True
        try:
            while (frame := self._out) is not None and (call := self._call) is not None:
                self._out = None
                try:
                    await call.write(frame)
                except (asyncio.InvalidStateError, grpc.aio.AioRpcError):
                    if call is self._call:  # the reader tells why it ended
                        return
        finally:
            self._sending = False
            if self._failed is not None and self._call is not None:
                self._call.cancel()

    def _put(self, **body: Any) -> None:
        """Into the next message."""
        if self._out is None:
            self._out = pb.PlayRequest()
        self._out.bodies.add(**body)

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._thinking.add(task)
        task.add_done_callback(self._thinking.discard)

    # Questions and answers.

    def _decide(self, question: pb.Decide) -> None:
        seat = self._seats.get(question.match)
        if seat is None:
            return
        seat.stream = self._stream
        if seat.decision is not None and seat.decision.number == question.decision:
            # Asked again after a reconnect: the answer was lost on the way, or is still being thought about.
            if seat.reply is not None:
                self._put_reply(seat.decision, seat.reply)
            return
        decision = seat.decision = Decision(
            seat.player.match,
            question.decision,
            list(question.legal),
            question.view,
            complete=question.complete,
            budget=question.budget_ms / 1000,
            bank=question.bank_ms / 1000,
            again=question.again,
        )
        self._answer(seat, decision)

    def _answer(self, seat: _Seat, decision: Decision) -> None:
        seat.reply = None
        began = time.monotonic()
        try:
            answer = seat.player.decide(decision)
        except Exception:  # noqa: BLE001 - the author's code may raise anything
            self._resign(seat, decision, traceback.format_exc())
            return
        if isinstance(answer, str):
            if answer.isascii() and self._recording is None:  # as nearly always
                seat.reply = answer
                self._put_act(decision, answer)
            else:
                self._act(seat, decision, answer, began)
        elif inspect.isawaitable(answer):
            self._later(self._answer_later(seat, decision, answer, began))
        else:
            self._no_text(seat, decision, answer)

    async def _answer_later(self, seat: _Seat, decision: Decision, answer: Any, began: float) -> None:
        try:
            move = await answer
        except Exception:  # noqa: BLE001 - the author's code may raise anything
            self._resign(seat, decision, traceback.format_exc())
        else:
            if isinstance(move, str):
                self._act(seat, decision, move, began)
            else:
                self._no_text(seat, decision, move)
        await self._flush()

    def _act(self, seat: _Seat, decision: Decision, move: str, began: float) -> None:
        if not move.isascii():
            try:
                move.encode()
            except UnicodeEncodeError:  # half a character, which no message can carry
                self._no_text(seat, decision, move)
                return
        if self._recording:
            self._recording.decided(decision, move, time.monotonic() - began)
        self._reply(seat, decision, move)

    def _no_text(self, seat: _Seat, decision: Decision, answer: Any) -> None:
        example = (decision.legal or ["pass"])[0]
        self._resign(seat, decision, f"decide returned {answer!r}; a move is a text such as {example!r}\n")

    def _resign(self, seat: _Seat, decision: Decision, trace: str) -> None:
        last = trace.strip().splitlines()[-1].encode(errors="replace").decode()
        self._warn(f"{trace}{decision!r} went wrong in decide; resigning this match.")
        self._reply(seat, decision, Resigned(f"error in decide: {last}"[:200]))
        if self._settings.strict:
            self._failed = BotFailed(f"stopped at the first error in decide, as --strict asks: {last}")

    def _reply(self, seat: _Seat, decision: Decision, reply: str) -> None:
        """Say it now; or, if the stream broke meanwhile, when the question is repeated."""
        if seat.decision is decision and self._seats.get(decision.match) is seat:
            seat.reply = reply
            if seat.stream == self._stream and self._call is not None:
                self._put_reply(decision, reply)

    def _put_reply(self, decision: Decision, reply: str) -> None:
        if isinstance(reply, Resigned):
            self._put(resign=pb.Resign(match=decision.info.id, reason=reply))
        else:
            self._put_act(decision, reply)

    def _put_act(self, decision: Decision, move: str) -> None:
        out = self._out
        if out is None:
            out = self._out = pb.PlayRequest()
        act = out.bodies.add().act  # in place: this is done more often than anything else
        act.match = decision.info.id
        act.decision = decision.number
        act.move = move

    # Everything else the referee says.

    def _on_welcome(self, welcome: pb.Welcome) -> None:
        if welcome.protocol_version != PROTOCOL_VERSION:
            raise Refused(
                f"{welcome.server} speaks protocol {welcome.protocol_version}, this SDK {PROTOCOL_VERSION}: "
                "update the older of the two"
            )
        self._welcomes += 1
        fresh = not self._session
        self._session = welcome.session
        for match in [match for match in self._seats if match not in welcome.resumed]:
            self._warn(f"match {match} is no longer this bot's: it went on without it, or is played again later")
            del self._seats[match]
        self._say(f"connected to {welcome.server} at {self._settings.server} as {welcome.name}")
        practice = self._settings.practice
        if self.leaving:
            self._put(leave=pb.Leave())
        elif practice:
            missing = max(0, practice.matches - self._practised - len(welcome.resumed))
            if missing:
                self._put(practice=_wish(practice, missing))
        elif fresh:
            self._say("waiting for matches (Ctrl-C to leave)")

    def _on_match_start(self, start: pb.MatchStart) -> None:
        if start.match not in self._seats:
            try:
                self._seats[start.match] = _Seat(bots.Player(self._bot, Match.from_start(start)))
            except Exception:  # noqa: BLE001 - the author's code may raise anything
                trace = traceback.format_exc()
                self._warn(f"{trace}the bot could not start match {start.match}; resigning it.")
                self._put(resign=pb.Resign(match=start.match, reason="error in the bot's start"))
                if self._settings.strict:
                    last = trace.strip().splitlines()[-1]
                    self._failed = BotFailed(f"stopped at the first error, as --strict asks: {last}")
        if self._recording:
            self._recording.note("start", start)

    def _on_rejected(self, rejected: pb.Rejected) -> None:
        if self._recording:
            self._recording.note("rejected", rejected)
        seat = self._seats.get(rejected.match)
        decision = seat.decision if seat is not None else None
        if decision is not None and decision.number != rejected.decision:
            decision = None
        legal = ""
        if decision is not None and decision.legal:
            shown = " | ".join(decision.legal[:12]) + (" | …" if len(decision.legal) > 12 else "")
            legal = f" Legal {'were' if decision.complete else 'would have been, among others'}: {shown}."
        self._warn(
            f"match {rejected.match}, decision {rejected.decision}: {rejected.move!r} was refused: "
            f"{rejected.message}.{legal} Strikes left: {rejected.strikes_left}."
        )
        again = rejected.kind in (pb.REJECTION_KIND_UNREADABLE, pb.REJECTION_KIND_ILLEGAL)
        if again and rejected.strikes_left and decision is not None and seat is not None:
            decision.rejected = rejected.message
            self._answer(seat, decision)

    def _on_match_end(self, end: pb.MatchEnd) -> None:
        if self._recording:
            self._recording.note("end", end)
        self.results.append(end)
        seat = self._seats.pop(end.match, None)
        if seat is not None:
            self._tell_end(seat.player, end)
        practice = self._settings.practice
        if practice and (seat is None or not seat.player.match.tournament):
            self._practised += 1
            if self._practised >= practice.matches:
                self.leave()

    def _tell_end(self, player: bots.Player, end: pb.MatchEnd) -> None:
        match = player.match
        place = match.seat
        how = pb.Termination.Name(end.terminations[place]).removeprefix("TERMINATION_").lower()
        why = end.texts[place]
        text = f" ({why if why.startswith(how) else f'{how}: {why}'})" if why else ""
        others = ", ".join(name for seat, name in enumerate(match.names) if seat != place)
        self._say(
            f"{match.game} {match.id}: rank {end.ranks[place]} of {len(end.ranks)}, score {end.scores[place]}"
            f"{f' against {others}' if others else ''}{text}"
        )
        if player.end is not None:
            try:
                player.end(end)
            except Exception:  # noqa: BLE001 - the author's code may raise anything
                self._warn(f"{traceback.format_exc()}the bot's end() failed after match {end.match}")

    def _on_notice(self, notice: pb.Notice) -> None:
        if notice.code == "refused":
            practice = self._settings.practice
            hint = " (name the others with --against BOT,BOT)" if practice and not practice.against else ""
            raise Refused(f"{notice.text}{hint}")
        self._say(notice.text)

    def _on_drain(self, drain: pb.Drain) -> None:
        self._say(drain.text)


def _wish(practice: Any, matches: int) -> pb.Practice:
    return pb.Practice(
        game=practice.game, against=practice.against, matches=matches, options_json=practice.options_json
    )
