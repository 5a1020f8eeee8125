"""The bridge: a program that speaks JSON lines becomes a bot of the SDK, and so plays on any server.

One program plays all matches. `Bridge.bot` is what `arena.Client` wants; the client is a `BridgeClient`, which also
keeps what the server says about refused moves, so that the program is told the same as a hosted one.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from arena.client import Client
from arena.decision import Decision, Match
from arena.errors import GivesUp
from arena.results import Result
from arena.v1 import match_pb2 as pb
from arena.views import UnknownView
from referee.hosting.bot.spec import BotSpec
from referee.hosting.lines import codec
from referee.hosting.lines.player import TOO_MANY
from referee.hosting.process.bot_process import BotProcess, Exit, RestartPolicy
from referee.hosting.process.output import LineSplitter, LineTooLong
from referee.hosting.sandbox.launch import NoSandbox
from referee.match.allowance import Allowance
from referee.match.result import Ending, Termination

GOODBYE_SECONDS = 2.0
"""How long a program may take to end by itself once its stdin has ended."""

FAREWELL_SECONDS = 10.0
"""How long the server may take to read that the matches of a broken program are resigned."""


class BridgeBroken(GivesUp):
    """The program is gone, or does not behave: says what happened."""


class Bridge:
    """One program between pipes and the SDK. `await start()`, hand `bot` to a client, `await stop()`."""

    def __init__(self, spec: BotSpec) -> None:
        self.process = BotProcess(spec, NoSandbox(), restart_policy=RestartPolicy(crashes=1))
        self.process.on_output = self._heard
        self.process.on_exit = self._exited
        self.process.on_closed = lambda: self._break("closed its stdout")
        self.broken: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Done, with the reason, when the program can play no more."""
        self.answered_again: Callable[[str, int, str], object] = lambda match, decision, move: None
        """Called when the program answers a question again: the server is to count it, as it does for all bots."""
        self.refusals: dict[tuple[str, int], Any] = {}
        self._open: dict[int, asyncio.Future[str]] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._matches: dict[int, tuple[str, int]] = {}
        self._seats: dict[str, int] = {}
        self._complaints: dict[int, str] = {}
        self._number = 0
        self._splitter = LineSplitter(codec.LONGEST_LINE)
        self._allowance = Allowance.of_a_bot(time.monotonic())

    @property
    def bot(self) -> type[BridgedMatch]:
        """The bot for the SDK: a class of which every match gets an instance."""
        return type("Bridged", (BridgedMatch,), {"bridge": self})

    async def start(self) -> None:
        await self.process.start()

    async def stop(self) -> None:
        """Let the program end by itself, or end it."""
        self.process.close_stdin()
        await self.process.wait(GOODBYE_SECONDS)
        await self.process.stop()

    def write(self, line: bytes) -> None:
        self.process.write(line)

    async def ask(self, decision: Decision) -> str:
        """Put a question, or say that its answer was refused, and wait for the program's answer."""
        if self.broken.done():
            raise BridgeBroken(self.broken.result())
        key = (decision.match, decision.number)
        number = self._numbers.get(key)
        if number is None or not decision.rejected:
            self._number += 1
            number = self._numbers[key] = self._number
            self._matches[number] = key
            line = self._decide_line(number, decision)
        else:
            line = self._rejected_line(number, decision)
        self._seats[decision.match] = decision.seat
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        self.write(line)
        return await answer

    def complaint(self, match: str, decision: int) -> str:
        """What is wrong with the line that was handed in as the answer to this question, if it was no answer."""
        return self._complaints.get(self._numbers.get((match, decision), 0), "")

    def closed(self, refusal: pb.Rejected) -> None:
        """Tell the program of a refusal after which there is nothing to answer."""
        number = self._numbers.get((refusal.match_id, refusal.decision))
        if number is not None:
            word = pb.RejectionKind.Name(refusal.kind).removeprefix("REJECTION_KIND_").lower()
            left = refusal.strikes_left if refusal.HasField("strikes_left") else None
            seat = self._seats.get(refusal.match_id, 0)
            self.write(
                codec.rejected_line(
                    refusal.match_id, number, seat, word, refusal.code, refusal.message, refusal.move_text, left, None
                )
            )

    def forget(self, match: str) -> None:
        """A match is over."""
        self._seats.pop(match, None)
        for key in [key for key in self._numbers if key[0] == match]:
            number = self._numbers.pop(key)
            self._matches.pop(number, None)
            self._complaints.pop(number, None)
            self.refusals.pop(key, None)
            if (question := self._open.pop(number, None)) is not None:
                question.cancel()

    @staticmethod
    def _decide_line(number: int, decision: Decision) -> bytes:
        try:
            info = decision.info
            view = codec.view_value(info.view_type, decision.view_bytes, info.view_descriptor)
        except UnknownView:  # a game this installation does not know: the legal list is enough to play
            view = {}
        return codec.decide_line(
            decision.match,
            number,
            decision.seat,
            decision.legal,
            decision.complete,
            view,
            decision.budget,
            decision.bank,
        )

    def _rejected_line(self, number: int, decision: Decision) -> bytes:
        refusal = self.refusals.get((decision.match, decision.number))
        message = self._complaints.pop(number, decision.rejected)
        kind = "unreadable" if refusal is None or refusal.kind == 1 else "illegal"
        code = "" if refusal is None else refusal.code
        move = "" if refusal is None else refusal.move_text
        left = 1 if refusal is None else refusal.strikes_left
        return codec.rejected_line(
            decision.match, number, decision.seat, kind, code, message, move, left, decision.legal
        )

    def _heard(self, chunk: bytes, now: float) -> None:
        if self.broken.done():
            return
        try:
            lines = self._splitter.feed(chunk)
        except LineTooLong:
            self._break(f"wrote a line of more than {codec.LONGEST_LINE >> 10} KB")
            return
        for line in lines:
            if self.broken.done():  # what a program that floods has written besides is not even read
                return
            self._take(line, now)

    def _take(self, line: bytes, now: float) -> None:
        try:
            answer = codec.read_answer(line)
        except codec.NotAnAnswer as error:
            self._spend(now)
            number = error.decision if error.decision in self._open else next(iter(self._open), None)
            if line.strip() and number is not None:
                self._complaints[number] = str(error)
                self._settle(number, codec.garbled(line))
            return
        key = self._matches.get(answer.decision)
        if key is None or (answer.match is not None and answer.match != key[0]):
            self._spend(now)
        elif not self._settle(answer.decision, answer.move):
            self._spend(now)
            # Later, for the first answer leaves only when the loop comes to the task that waits for it.
            asyncio.get_running_loop().call_soon(self.answered_again, *key, answer.move)

    def _settle(self, number: int, move: str) -> bool:
        question = self._open.pop(number, None)
        if question is None or question.done():
            return False
        question.set_result(move)
        return True

    def _spend(self, now: float) -> None:
        if not self._allowance.spend(1, now):
            self._break(TOO_MANY)

    def _exited(self, leaving: Exit) -> None:
        self._break(leaving.text)

    def _break(self, why: str) -> None:
        if not self.broken.done():
            self.broken.set_result(f"the program {why}")
            self.process.kill(why)
            for question in self._open.values():
                if not question.done():
                    question.set_exception(BridgeBroken(f"the program {why}"))
            self._open.clear()


class BridgedMatch:
    """One match of the program, as the SDK sees it."""

    bridge: Bridge

    def start(self, match: Match) -> None:
        self.info = match
        self.bridge.write(
            codec.start_line(
                match.id, match.game, match.seat, match.names, match.options, match.limit, match.bank, match.total
            )
        )

    async def decide(self, decision: Decision) -> str:
        return await self.bridge.ask(decision)

    def end(self, result: Result) -> None:
        info = self.info
        try:
            view = codec.final_view_value(info.view_type, result.view_bytes, info.view_descriptor)
        except UnknownView:  # as in a question
            view = {}
        self.bridge.write(codec.end_line(info.id, info.seat, _ending(result), view))
        self.bridge.forget(info.id)


def _ending(result: Result) -> Ending:
    """How a match ended, from the SDK's result."""
    terminations = tuple(Termination.of_word(word) for word in result.terminations)
    return Ending(result.ranks, result.scores, terminations, result.texts, result.reason)


class BridgeClient(Client):
    """A client that keeps what the server says about a refused move, for the program's `rejected` line."""

    def __init__(self, bridge: Bridge, *arguments: Any) -> None:
        super().__init__(bridge.bot, *arguments)
        self._bridge = bridge
        bridge.answered_again = self._answered_again

    def _answered_again(self, match: str, decision: int, move: str) -> None:
        """Send on what is no longer asked: how that counts is the server's matter, as for a hosted program."""
        self.act_unasked(match, decision, move.encode(errors="replace").decode())

    def hear(self, kind: str, body: Any) -> None:
        if kind == "rejected":
            self._keep(body)
        super().hear(kind, body)

    def _keep(self, rejected: pb.Rejected) -> None:
        if complaint := self._bridge.complaint(rejected.match_id, rejected.decision):
            rejected.message = complaint
            rejected.move_text = rejected.move_text.removeprefix(codec.GARBLED)
        if rejected.open:
            self._bridge.refusals[(rejected.match_id, rejected.decision)] = rejected
        else:
            self._bridge.closed(rejected)


async def play(bridge: Bridge, client: BridgeClient) -> None:
    """Play until there is nothing more to play; BridgeBroken if the program ends before, ArenaError as the SDK."""
    playing = asyncio.ensure_future(client.play())
    try:
        either: set[asyncio.Future[Any]] = {playing, bridge.broken}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            with suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL_SECONDS):
                    client.resign_all(bridge.broken.result()[:200])
                    await client.hang_up()  # its matches are being resigned: the server is to know before we go
                    await asyncio.wait([playing])
            raise BridgeBroken(bridge.broken.result())
        playing.result()
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await playing
