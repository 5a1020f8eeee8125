"""The bridge: a program that speaks JSON lines becomes a bot of the SDK, and so plays on any server.

One program plays all matches. `Bridge.bot` is what `arena.Client` wants; the client is a `BridgeClient`, which also
keeps what the server says about refused moves, so that the program is told the same as a hosted one.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from typing import Any

from arena.client import Client, Resigned
from arena.decision import Decision, Match
from arena.v1 import match_pb2 as pb
from arena.views import UnknownView
from referee.hosting.bot.spec import BotSpec
from referee.hosting.lines import codec
from referee.hosting.lines.player import TOO_MANY
from referee.hosting.process.bot_process import BotProcess, Exit, Patience
from referee.hosting.process.output import LineTooLong, Splitter
from referee.hosting.sandbox.launch import OpenAir
from referee.match.allowance import Allowance
from referee.match.result import Ending, Termination

GOODBYE_SECONDS = 2.0
"""How long a program may take to end by itself once its stdin has ended."""


class BridgeBroken(Exception):
    """The program is gone, or does not behave: says what happened."""


class Bridge:
    """One program between pipes and the SDK. `await start()`, hand `bot` to a client, `await stop()`."""

    def __init__(self, spec: BotSpec) -> None:
        self.process = BotProcess(spec, OpenAir(), patience=Patience(crashes=1))
        self.process.on_output = self._heard
        self.process.on_exit = self._exited
        self.process.on_closed = lambda: self._break("closed its stdout")
        self.broken: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """Done, with the reason, when the program can play no more."""
        self.refusals: dict[tuple[str, int], Any] = {}
        self._open: dict[int, asyncio.Future[str]] = {}
        self._numbers: dict[tuple[str, int], int] = {}
        self._matches: dict[int, tuple[str, int]] = {}
        self._complaints: dict[int, str] = {}
        self._number = 0
        self._splitter = Splitter(codec.LONGEST_LINE)
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
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._open[number] = answer
        self.write(line)
        return await answer

    def complaint(self, match: str, decision: int) -> str:
        """What is wrong with the line that was handed in as the answer to this question, if it was no answer."""
        return self._complaints.get(self._numbers.get((match, decision), 0), "")

    def forget(self, match: str) -> None:
        """A match is over."""
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
        move = "" if refusal is None else refusal.move
        left = 1 if refusal is None else refusal.strikes_left
        return codec.rejected_line(
            decision.match, number, decision.seat, kind, code, message, move, left, decision.legal
        )

    def _heard(self, chunk: bytes, now: float) -> None:
        try:
            lines = self._splitter.feed(chunk)
        except LineTooLong:
            self._break(f"wrote a line of more than {codec.LONGEST_LINE >> 10} KB")
            return
        for line in lines:
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
            text = "this question has been answered already"
            self.write(codec.rejected_line(key[0], answer.decision, 0, "duplicate", "duplicate", text, "", 0, None))

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
        self.seat = match.seat
        self.bridge.write(
            codec.start_line(match.id, match.game, match.seat, match.names, match.options, match.limit, match.bank)
        )

    async def decide(self, decision: Decision) -> str:
        return await self.bridge.ask(decision)

    def end(self, end: Any) -> None:
        self.bridge.write(codec.end_line(end.match, self.seat, _ending(end)))
        self.bridge.forget(end.match)


def _ending(end: pb.MatchEnd) -> Ending:
    """How a match ended, from the server's message."""
    names = [pb.Termination.Name(number) for number in end.terminations]
    terminations = [Termination.of_code(name.removeprefix("TERMINATION_")) for name in names]
    return Ending(tuple(end.ranks), tuple(end.scores), tuple(terminations), tuple(end.texts), end.reason)


class BridgeClient(Client):
    """A client that keeps what the server says about a refused move, for the program's `rejected` line.

    Where a Python bot's author is shown a traceback, the author of a program is told what the program did.
    """

    def __init__(self, bridge: Bridge, *arguments: Any) -> None:
        super().__init__(bridge.bot, *arguments)
        self._bridge = bridge

    def _on_rejected(self, rejected: Any) -> None:
        self._bridge.refusals[(rejected.match, rejected.decision)] = rejected
        if complaint := self._bridge.complaint(rejected.match, rejected.decision):
            rejected.message = complaint
        super()._on_rejected(rejected)

    def _resign(self, seat: Any, decision: Decision, trace: str) -> None:
        if not self._bridge.broken.done():
            super()._resign(seat, decision, trace)
            return
        self._reply(seat, decision, Resigned(self._bridge.broken.result()[:200]))


async def play(bridge: Bridge, client: BridgeClient) -> None:
    """Play until there is nothing more to play; BridgeBroken if the program ends before, ArenaError as the SDK."""
    playing = asyncio.ensure_future(client.play())
    try:
        either: set[asyncio.Future[Any]] = {playing, bridge.broken}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not playing.done():
            await asyncio.sleep(0.3)  # its matches are being resigned; let that out
            raise BridgeBroken(bridge.broken.result())
        playing.result()
    finally:
        playing.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await playing
