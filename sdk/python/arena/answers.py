"""Questions and answers: the bot in each of its matches, what it was asked there and what it said.

An answer that was lost with a connection is said again when the question is repeated, and the bot is not asked twice.
"""

from __future__ import annotations

import inspect
import time
import traceback
from collections.abc import Callable
from typing import Any

from arena import bots
from arena.decision import Decision, Match
from arena.errors import BotFailed, GivesUp
from arena.outbox import Outbox
from arena.recording import Recording
from arena.v1 import match_pb2 as pb

Say = Callable[[str], object]


class Resigned(str):
    """Said in place of a move: that the bot resigns, and why."""

    __slots__ = ()


class Seat:
    """The bot in one match, and the question before it."""

    __slots__ = ("arrived", "decision", "player", "reply", "slow_told", "stream", "unstarted")

    def __init__(self, player: bots.Player) -> None:
        self.player = player
        self.unstarted = False
        """Whether the bot could not start the match: then it is never asked."""
        self.slow_told = False
        """Whether the author has heard that this bot is slow in this match: once is enough."""
        self.arrived = 0.0
        """When the latest question came: the referee's clock has run since then, not since the bot began to think."""
        self.decision: Decision | None = None
        self.reply: str | None = None
        """What was said to the latest question, a move or `Resigned`; None while the bot thinks."""
        self.stream = 0
        """The stream on which that question came (last)."""


class Answers:
    """Puts every question to the bot and its answer into the outbox. An error in the bot resigns the match."""

    def __init__(
        self, bot: bots.Bot, outbox: Outbox, warn: Say, *, strict: bool = False, recording: Recording | None = None
    ) -> None:
        self.seats: dict[str, Seat] = {}
        """The matches that are running, by name."""
        self.heard = 0.0
        """When the message came that is being read."""
        self.errors = 0
        """Matches that were resigned because of an error in the bot."""
        self.failed: BotFailed | None = None
        """The error that ends the program, if errors are to."""
        self._bot = bot
        self._outbox = outbox
        self._warn = warn
        self._strict = strict
        self._recording = recording
        self._unanswered = 0
        """Questions that async bots think about."""

    def start(self, start: pb.MatchStart) -> None:
        """The bot takes its seat in a new match."""
        if start.match_id not in self.seats:
            match = Match.from_start(start)
            seat = self.seats[start.match_id] = Seat(bots.Player(_nobody, match))
            try:
                seat.player = bots.Player(self._bot, match)
            except Exception:  # noqa: BLE001 - the author's code may raise anything
                trace = traceback.format_exc()
                self._warn(f"{trace}the bot could not start match {start.match_id}; resigning it.")
                last = _last_line(trace)
                seat.reply = Resigned(f"error in start: {last}"[:200])
                seat.unstarted = True
                self._outbox.put(resign=pb.Resign(match_id=start.match_id, reason=seat.reply))
                self._count_error(f"stopped at the first error in start, as --strict asks: {last}")

    def decide(self, question: pb.Decide) -> None:
        """A question: the bot is asked, unless it has heard this question already."""
        seat = self.seats.get(question.match_id)
        if seat is None:
            return
        if seat.unstarted:
            if question.again:  # the resignation may have been lost with a connection
                self._outbox.put(resign=pb.Resign(match_id=question.match_id, reason=seat.reply or ""))
            return
        seat.stream = self._outbox.stream
        if seat.decision is not None and seat.decision.number == question.decision:
            # Asked again after a reconnect: the answer was lost on the way, or is still being thought about.
            if seat.reply is not None:
                self._put_reply(seat.decision, seat.reply)
            return
        seat.decision = decision = _decision(seat, question)
        seat.arrived = self.heard
        self._answer(seat, decision)

    def decide_again(self, seat: Seat, decision: Decision | None, rejected: pb.Rejected) -> None:
        """A refused answer to a question that is still open: the bot is asked once more, and told why."""
        if rejected.HasField("question"):
            decision = _decision(seat, rejected.question)
            seat.arrived = self.heard
        if decision is not None:
            seat.decision, seat.stream = decision, self._outbox.stream
            decision.rejected = rejected.message
            self._answer(seat, decision)

    def resign_all(self, reason: str) -> None:
        """Give up every match that is running and not given up yet, whether or not the bot is being asked there."""
        for match, seat in self.seats.items():
            if not isinstance(seat.reply, Resigned) and self._outbox.call is not None:
                self._outbox.put(resign=pb.Resign(match_id=match, reason=reason))
        self.seats.clear()

    def _answer(self, seat: Seat, decision: Decision) -> None:
        seat.reply = None
        began = time.monotonic()
        try:
            answer = seat.player.decide(decision)
        except Exception as error:  # noqa: BLE001 - the author's code may raise anything
            self._went_wrong(seat, decision, error)
            return
        if isinstance(answer, str):
            if time.monotonic() - seat.arrived > decision.budget:
                self._tell_slow(seat, decision, began)
            if answer.isascii() and self._recording is None:  # as nearly always
                seat.reply = answer
                self._outbox.put_act(decision.info.id, decision.number, answer)
            else:
                self._act(seat, decision, answer, began)
        elif inspect.isawaitable(answer):
            self._unanswered += 1
            self._outbox.later(self._answer_later(seat, decision, answer, began))
        else:
            self._no_text(seat, decision, answer)

    async def _answer_later(self, seat: Seat, decision: Decision, answer: Any, began: float) -> None:
        try:
            move = await answer
        except Exception as error:  # noqa: BLE001 - the author's code may raise anything
            self._went_wrong(seat, decision, error)
        else:
            if isinstance(move, str):
                if time.monotonic() - seat.arrived > decision.budget:
                    self._tell_slow(seat, decision, began)
                self._act(seat, decision, move, began)
            else:
                self._no_text(seat, decision, move)
        finally:
            self._unanswered -= 1
        if not self._unanswered:
            await self._outbox.flush()
        else:
            self._outbox.flush_soon()

    def _tell_slow(self, seat: Seat, decision: Decision, began: float) -> None:
        if seat.slow_told or seat.decision is not decision:
            return
        if decision.budget:
            seat.slow_told = True
            now = time.monotonic()
            waited = began - seat.arrived
            hint = f" (it waited {waited:.1f} s for other matches: --concurrency 1 plays one at a time)"
            self._warn(
                f"decision {decision.number} of match {decision.match} took {now - seat.arrived:.1f} s, its budget was "
                f"{decision.budget:.1f} s; the rest came from the bank"
                f"{hint if now - began <= decision.budget else ''}"
            )

    def _act(self, seat: Seat, decision: Decision, move: str, began: float) -> None:
        if not move.isascii():
            try:
                move.encode()
            except UnicodeEncodeError:  # half a character, which no message can carry
                self._no_text(seat, decision, move)
                return
        if self._recording:
            self._recording.decided(decision, move, time.monotonic() - began)
        self._reply(seat, decision, move)

    def _went_wrong(self, seat: Seat, decision: Decision, error: Exception) -> None:
        """In an `except` clause: what the bot raised instead of an answer."""
        if isinstance(error, GivesUp):
            self._reply(seat, decision, Resigned(str(error)[:200]))
        else:
            self._resign(seat, decision, traceback.format_exc())

    def _no_text(self, seat: Seat, decision: Decision, answer: Any) -> None:
        example = (decision.legal or ["pass"])[0]
        self._resign(seat, decision, f"decide returned {answer!r}; a move is a text such as {example!r}\n")

    def _resign(self, seat: Seat, decision: Decision, trace: str) -> None:
        last = _last_line(trace)
        what = f"decision {decision.number} of {decision.game} match {decision.match}"
        self._warn(f"{trace}{what} went wrong in decide; resigning this match.")
        self._reply(seat, decision, Resigned(f"error in decide: {last}"[:200]))
        self._count_error(f"stopped at the first error in decide, as --strict asks: {last}")

    def _count_error(self, sentence: str) -> None:
        self.errors += 1
        if self._strict:
            self.failed = BotFailed(sentence)
            self._outbox.last = True

    def _reply(self, seat: Seat, decision: Decision, reply: str) -> None:
        """Say it now; or, if the stream broke meanwhile, when the question is repeated."""
        if seat.decision is decision and self.seats.get(decision.match) is seat:
            seat.reply = reply
            if seat.stream == self._outbox.stream and self._outbox.call is not None:
                self._put_reply(decision, reply)

    def _put_reply(self, decision: Decision, reply: str) -> None:
        if isinstance(reply, Resigned):
            self._outbox.put(resign=pb.Resign(match_id=decision.info.id, reason=reply))
        else:
            self._outbox.put_act(decision.info.id, decision.number, reply)


def _nobody(_: Decision) -> str:
    """Sits in for a bot that could not start; it is never asked."""
    return ""


def _decision(seat: Seat, question: pb.Decide) -> Decision:
    return Decision(
        seat.player.match,
        question.decision,
        list(question.legal),
        question.view,
        complete=question.complete,
        budget=question.budget_ms / 1000,
        bank=question.bank_ms / 1000,
        again=question.again,
    )


def _last_line(trace: str) -> str:
    """Without half characters, which no message can carry."""
    return trace.strip().splitlines()[-1].encode(errors="replace").decode()
