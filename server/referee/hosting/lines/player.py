"""A hosted bot over pipes (JSON lines on stdin and stdout) as the `Player` of any number of matches.

Whatever the program writes, only its own matches suffer: a line that is no answer is a strike, a line without end or
lines without number forfeit all its matches (FLOOD), and so does an exit or a closed stdout (CRASH). The program is
then started again for the next matches, until it is benched.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from referee.hosting.bot.spec import BotSpec
from referee.hosting.lines import codec
from referee.hosting.process.bot_process import BotProcess, Condition, Exit, RestartPolicy
from referee.hosting.process.output import LineSplitter, LineTooLong
from referee.hosting.sandbox.launch import Launcher, Link
from referee.match.allowance import UNASKED_AT_ONCE, Allowance
from referee.match.asking import Asking
from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending, Termination
from referee.rules.game import Seat

TOO_MANY = "writes many more lines than it is asked questions"
MOST_UNREAD = 16 << 20
"""Bytes a program may leave unread before it is given up."""
KEPT_COMPLAINTS = 64

Key = tuple[str, Seat]


class StdioPlayer:
    """A bot over pipes; its `process` is to be started before the first match, and stopped after the last."""

    wants_legal = True

    def __init__(
        self,
        spec: BotSpec,
        launcher: Launcher,
        *,
        name: str = "",
        concurrency: int = 64,
        restart_policy: RestartPolicy | None = None,
    ) -> None:
        self.name = name or spec.name
        self.concurrency = concurrency
        self.on_change: Callable[[], object] = lambda: None
        """Called when it has become free for another match, has come back, or was benched."""
        self.process = BotProcess(spec, launcher, Link(name=self.name), restart_policy=restart_policy)
        self.process.on_start = self._start_over
        self.process.on_output = self._heard
        self.process.on_closed = self._closed
        self.process.on_exit = self._exited
        self.process.on_bench = lambda text: self.on_change()
        self.complaints: deque[tuple[str, str]] = deque(maxlen=KEPT_COMPLAINTS)
        """What was wrong with the last lines that were no answers, with the match in which each was a strike."""
        self._tables: dict[Key, Match] = {}
        self._numbers: dict[int, Question] = {}
        self._by_key: dict[Key, list[int]] = {}
        self._asking = Asking(self._nudge_in)
        self._lines: list[bytes] = []
        self._flushing = False
        self._nudge: asyncio.TimerHandle | None = None
        self._asked_at: dict[Key, float] = {}
        self._number = 0
        self._splitter = LineSplitter(codec.LONGEST_LINE)
        self._allowance = Allowance.of_a_bot(time.monotonic())
        self._heard_at = 0.0
        self._offence: tuple[Termination, str] | None = None

    @property
    def tables(self) -> int:
        """At how many tables it sits."""
        return len(self._tables)

    @property
    def benched(self) -> bool:
        return self.process.condition is Condition.BENCHED

    @property
    def free(self) -> int:
        """How many more matches it takes now."""
        ready = self.process.condition is Condition.RUNNING and self._offence is None
        return max(0, self.concurrency - self.tables) if ready else 0

    # The Player port.

    def started(self, match: Match, seat: Seat) -> None:
        self._tables[(match.id, seat)] = match
        control = match.control
        self._send(
            codec.start_line(
                match.id,
                match.game.name,
                seat,
                match.names,
                match.options,
                control.limit,
                control.bank,
                control.total,
            )
        )

    def ask(self, question: Question) -> None:
        if self.process.condition is not Condition.RUNNING or self._offence is not None:
            loop = asyncio.get_running_loop()
            loop.call_soon(question.match.forfeit, question.seat, *self._absence())
            return
        self._asking.put(question)
        self._schedule()

    def rejected(self, match: Match, rejected: Rejected) -> None:
        number, question = self._asked(match, rejected.number)
        if question is None:
            return
        if rejected.open:
            self._asking.returned(question)
        self._send(
            codec.rejected_line(
                match.id,
                number,
                question.seat,
                rejected.kind.value,
                rejected.code,
                rejected.message,
                rejected.move,
                rejected.strikes_left,
                question.legal if rejected.open else None,
            )
        )

    def ended(self, match: Match, ending: Ending) -> None:
        for seat in range(len(ending.ranks)):
            if self._tables.pop((match.id, seat), None) is None:
                continue
            self._send(codec.end_line(match.id, seat, ending, self._final_view(match, seat)))
            hung = ending.terminations[seat] is Termination.TIMEOUT and self._silent((match.id, seat))
            self._asked_at.pop((match.id, seat), None)
            for number in self._by_key.pop((match.id, seat), ()):
                self._numbers.pop(number, None)
            if hung:
                self._give_up(Termination.TIMEOUT, "has stopped answering")
        self._asking.forget(match.id)
        self._schedule()
        self.on_change()

    # What the program is sent.

    def _send(self, line: bytes) -> None:
        if self.process.condition is Condition.RUNNING:
            self._lines.append(line)
            self._schedule()

    def _schedule(self) -> None:
        """All that becomes ready in this turn of the loop is written at once: cost is per write, hardly per line."""
        if not self._flushing:
            self._flushing = True
            asyncio.get_running_loop().call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing = False
        asked = self._asking.take(time.monotonic())
        for question in asked:
            self._number += 1
            self._numbers[self._number] = question
            self._by_key.setdefault((question.match.id, question.seat), []).append(self._number)
            self._lines.append(decide_line_of(self._number, question))
        if self._lines:
            lines, self._lines = self._lines, []
            self.process.write(b"".join(lines))
        if asked:
            now = time.monotonic()
            for question in asked:
                self._asked_at[(question.match.id, question.seat)] = now
            self._asking.sent(asked, now)
        if self.process.unread > MOST_UNREAD:
            self._give_up(Termination.TIMEOUT, "does not read what it is asked")

    def _nudge_in(self, seconds: float) -> None:
        if self._nudge is None:
            self._nudge = asyncio.get_running_loop().call_later(seconds, self._nudged)

    def _nudged(self) -> None:
        self._nudge = None
        if self._asking.waiting:
            self._schedule()

    @staticmethod
    def _final_view(match: Match, seat: Seat) -> Any:
        return codec.final_view_value(match.view_type, match.final_view(seat), match.view_descriptor)

    # What the program says.

    def _heard(self, chunk: bytes, now: float) -> None:
        if self._offence is not None:
            return
        try:
            lines = self._splitter.feed(chunk)
        except LineTooLong:
            self._give_up(Termination.FLOOD, f"wrote a line of more than {codec.LONGEST_LINE >> 10} KB")
            return
        if lines:  # without the end of a line it has said nothing yet
            self._heard_at = now
        if len(lines) > UNASKED_AT_ONCE + len(self._asking.out):  # told before it is read as so many wrong answers
            self._give_up(Termination.FLOOD, TOO_MANY)
        for line in lines:
            if self._offence is not None:
                return
            self._take(line, now)
        if self._asking.waiting:
            self._schedule()

    def _take(self, line: bytes, now: float) -> None:
        if not line.strip():
            self._spend(now)
            return
        try:
            answer = codec.read_answer(line)
        except codec.NotAnAnswer as error:
            self._spend(now)
            self._strike(error, line, now)
            return
        question = self._numbers.get(answer.decision)
        if question is None or (answer.match is not None and answer.match != question.match.id):
            self._spend(now)  # a match that is over, or a question never asked: no other bot is harmed
            return
        if self._asking.answered(question.match.id, question.number, now) is None:
            self._spend(now)
        question.match.answer(question.seat, question.number, answer.move, now)

    def _strike(self, error: codec.NotAnAnswer, line: bytes, now: float) -> None:
        """A line that is no answer counts against the question it names, or else the one that waits longest."""
        out = self._asking.out
        named = None if error.decision is None else self._numbers.get(error.decision)
        question = named if named is not None and _key(named) in out else next(iter(out.values()), None)
        if question is None:
            return
        self.complaints.append((question.match.id, str(error)))
        question.match.answer(question.seat, question.number, codec.shown(line)[1:-1], now, str(error))

    def _spend(self, now: float) -> None:
        if not self._allowance.spend(1, now):
            self._give_up(Termination.FLOOD, TOO_MANY)

    # How a run ends.

    def _give_up(self, termination: Termination, text: str) -> None:
        """Forfeit all its matches and end the program."""
        if self._offence is None:
            self._offence = (termination, f"the bot {text}")
            self.process.kill(text)
            self._forfeit_all(*self._offence)

    def _closed(self) -> None:
        self._give_up(Termination.CRASH, "closed its stdout")

    def _exited(self, leaving: Exit) -> None:
        termination, text = self._offence or (Termination.CRASH, f"the bot {leaving.text}")
        self._forfeit_all(termination, text)
        self._forget()
        self.on_change()

    def _start_over(self) -> None:
        self._forget()
        self._offence = None
        self.on_change()

    def _forget(self) -> None:
        self._numbers.clear()
        self._by_key.clear()
        self._asking.clear()
        self._asked_at.clear()
        self._lines.clear()
        self._splitter = LineSplitter(codec.LONGEST_LINE)
        self._allowance = Allowance.of_a_bot(time.monotonic())

    def _forfeit_all(self, termination: Termination, text: str) -> None:
        for (_, seat), match in list(self._tables.items()):
            match.forfeit(seat, termination, text)

    def _absence(self) -> tuple[Termination, str]:
        if self._offence is not None:
            return self._offence
        text = f"the bot {self.process.exits[-1].text}" if self.process.exits else "the bot is not running"
        return Termination.CRASH, text

    def _asked(self, match: Match, number: int) -> tuple[int, Question | None]:
        """The latest number under which a question of a match was sent to the program."""
        for seat in range(len(match.players)):
            for sent in reversed(self._by_key.get((match.id, seat), ())):
                question = self._numbers[sent]
                if question.number == number:
                    return sent, question
        return 0, None

    def _silent(self, key: Key) -> bool:
        """Whether nothing at all was heard since this table's latest question was sent."""
        return key in self._asked_at and self._heard_at < self._asked_at[key]


def decide_line_of(number: int, question: Question) -> bytes:
    """A question as a JSON line, under the number by which the program is to answer it."""
    match = question.match
    view = codec.view_value(match.view_type, question.view, match.view_descriptor)
    return codec.decide_line(
        question.match.id,
        number,
        question.seat,
        question.legal,
        question.complete,
        view,
        question.budget,
        question.bank,
    )


def _key(question: Question) -> tuple[str, int]:
    return question.match.id, question.number
