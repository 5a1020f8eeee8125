"""Pacing of questions to one bot: batching, backpressure and the queue of what waits, over streams and pipes alike.

Cost is per message, hardly per question, so what is ready leaves together. While a batch is with the bot, further
questions wait here, where no clock runs, until all of it is answered or its slowest answers have had a moment. How many
may be with the bot at once is a window (`window.py`), so that no clock runs on a question that merely waits in the
bot's own queue. Two rules are stronger than the window: a question that the bot saw before a reconnect is repeated at
once, for its clock runs; and questions of a tournament never wait for practice.
"""

from __future__ import annotations

from collections.abc import Callable

from referee.match.player import Question
from referee.match.window import Window

STRAGGLERS_AFTER = 0.05
"""Seconds after which a batch's slowest answers no longer hold back the next batch."""
LOOK_AGAIN_AFTER = 0.1
"""Seconds after which a full window is looked through for questions that have been withdrawn."""


class Asking:
    """The questions to one bot.

    `put` what it is to be asked, `take` what may leave now, and say `sent` when that has left. Say `answered` before
    the match judges an answer, and `returned` if the match rejected it.
    """

    __slots__ = ("_look_in", "_practice", "_sent_at", "_tournament", "out", "repeated", "waiting", "window")

    def __init__(self, look_in: Callable[[float], object]) -> None:
        """`look_in(seconds)` is called when it is worth to `take` again after so long."""
        self.repeated: list[Question] = []
        """Seen before a reconnect: their clocks run, so they leave at once."""
        self.waiting: list[Question] = []
        """Their clocks do not run yet."""
        self.out: dict[tuple[str, int], Question] = {}
        """With the bot, by match and number, in the order in which they left."""
        self.window = Window()
        self._look_in = look_in
        self._sent_at = 0.0
        self._practice = False
        self._tournament = False

    def put(self, question: Question) -> None:
        """The bot is to be asked this."""
        if question.running:
            self.repeated.append(question)
            return
        if question.match.tournament:
            self._tournament = True
        else:
            self._practice = True
        self.waiting.append(question)

    def take(self, now: float) -> list[Question]:
        """The questions that may leave now; they are no longer held here."""
        if self.repeated:
            taken, self.repeated = self.repeated, []
            if self.waiting:
                self._look_in(0.0)
            return _still_open(taken)
        if not self.waiting or not (room := self._room(now)):
            return []
        if room < len(self.waiting):
            taken, self.waiting = self.waiting[:room], self.waiting[room:]
            self._look_in(STRAGGLERS_AFTER)
        else:
            taken, self.waiting = self.waiting, []
        return _still_open(taken)

    def put_back(self, questions: list[Question]) -> None:
        """They did not fit into the message: they are the first of the next one."""
        if questions[0].running:
            self.repeated[:0] = questions
        else:
            self.waiting[:0] = questions

    def sent(self, questions: list[Question], now: float) -> None:
        """They are on their way: their clocks start."""
        self._sent_at = now
        out = self.out
        least = questions[0].match.control.limit
        for question in questions:
            match = question.match
            out[match.id, question.number] = question
            limit = match.control.limit
            if limit < least:
                least = limit
            question.left(now)
        self.window.sent(now, least)

    def answered(self, match: str, number: int, now: float) -> Question | None:
        """The bot has answered this question, which is no longer with it; None: it was not being asked that."""
        question = self.out.pop((match, number), None)
        if question is not None:
            self.window.answered(now)
        return question

    def returned(self, question: Question) -> None:
        """The answer was rejected: the question is still with the bot."""
        key = (question.match.id, question.number)
        if key not in self.out:
            self.out[key] = question
            self.window.returned()

    def forget(self, match: str) -> None:
        """A match is over: its questions need no answer any more."""
        if self.out:
            for key in [key for key in self.out if key[0] == match]:
                del self.out[key]
        for queue in (self.repeated, self.waiting):
            if queue:
                queue[:] = [question for question in queue if question.match.id != match]

    def clear(self) -> None:
        """The bot is gone, or begins anew."""
        self.repeated, self.waiting, self.out = [], [], {}
        self.window = Window()

    def _room(self, now: float) -> int:
        """How many of the waiting may leave now."""
        if self.out and (waited := now - self._sent_at) < STRAGGLERS_AFTER:
            self._look_in(STRAGGLERS_AFTER - waited)
            return 0
        if self._practice and self._tournament:
            self.waiting.sort(key=_is_practice)
        room = self.window.room(self._count_out())
        if not room:
            self.out = {key: question for key, question in self.out.items() if question.open}
            room = self.window.room(self._count_out())
            if not room:
                self._look_in(LOOK_AGAIN_AFTER)
        return room

    def _count_out(self) -> int:
        """How many questions hold back the next one: before one of a tournament, practice does not count."""
        if self._practice and self._tournament and not _is_practice(self.waiting[0]):
            return sum(not _is_practice(question) for question in self.out.values())
        return len(self.out)


def _is_practice(question: Question) -> bool:
    return not question.match.tournament


def _still_open(questions: list[Question]) -> list[Question]:
    return [question for question in questions if question.open]
