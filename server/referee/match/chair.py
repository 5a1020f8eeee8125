"""One seat of a match: its player, the question it is asked, its thinking time (clock and bank) and its grace.

All times are seconds on one monotonic clock that is handed in; nothing here reads a clock.
"""

from __future__ import annotations

from math import inf

from referee.match.clock import Deadline, Lag, TimeControl
from referee.match.player import Player, Question
from referee.match.result import Forfeit

MOST_QUEUED = 10.0
"""Seconds in all of a match that a bot may have waited to be let in without using up its grace: a bot that makes others
queue does not gain more than that by it."""


class Chair:
    """A seat with its player, its clock and the question before it."""

    __slots__ = (
        "answered",
        "away_since",
        "bank",
        "control",
        "deadline",
        "forfeit",
        "grace",
        "lag",
        "left",
        "player",
        "put",
        "question",
        "queued_left",
        "sent_at",
        "slack",
        "strikes",
        "used",
        "voids",
        "withdrawn",
    )

    def __init__(self, player: Player, control: TimeControl, lag: Lag, deadline: Deadline) -> None:
        """`deadline` is that of the whole match: a clock that starts may bring it forward."""
        self.player = player
        self.control = control
        self.lag = lag
        self.deadline = deadline
        self.bank = control.bank
        self.grace = control.grace
        self.left = control.total or inf
        """Seconds that this seat may still hold the match up, thinking or away."""
        self.slack = control.slack
        """Of these, the seconds beyond the limit of each question: bank and grace cannot both be used up."""
        self.queued_left = MOST_QUEUED
        self.strikes = 0
        self.forfeit: Forfeit | None = None
        self.away_since: float | None = None
        self.answered: set[int] = set()
        self.withdrawn: set[int] = set()
        # Of the present question:
        self.question: Question | None = None
        self.put = False  # it has been on its way, now or on a stream that broke
        self.sent_at: float | None = None
        self.used = 0.0  # before its last sending
        self.voids = 0

    def close_question(self) -> None:
        """The present question needs no answer any more."""
        if self.question is not None:
            self.question.open = False
            self.question = None
        self.sent_at = None

    def question_left(self, now: float, due: float) -> None:
        """The present question is on its way to the bot: its clock starts, if it does not run already.

        `due` is when its time is up.
        """
        if self.away_since is None and self.sent_at is None:
            self.put = True
            self.sent_at = now
            deadline = self.deadline
            if deadline.moment is None or due < deadline.moment:
                deadline.moment = due

    @property
    def allowed(self) -> float:
        """Seconds that the present question may take, used ones included."""
        allowed = self.control.limit + (self.bank if self.bank <= self.slack else self.slack)
        return allowed if allowed <= self.left else self.left

    def remaining(self, used: float) -> tuple[float, float]:
        """What is left of the free time for the present question, and of the bank beyond it, after so much thought."""
        limit = self.control.limit
        whole = max(0.0, min(self.bank, self.slack))
        budget, bank = max(0.0, limit - used), max(0.0, min(whole, whole + limit - used))
        if self.left != inf:
            room = max(0.0, self.left - used)
            budget = min(budget, room)
            bank = min(bank, room - budget)
        return budget, bank

    def thought(self, now: float) -> tuple[float, float]:
        """Seconds of thought on the present question without the referee's own lag, and that lag."""
        if self.sent_at is None:
            return self.used, 0.0
        lag = self.lag.between(self.sent_at, now)
        return self.used + now - self.sent_at - lag, lag

    def queued(self, now: float) -> float:
        """How much of its absence the bot may have waited in the server's own queue."""
        assert self.away_since is not None
        return min(self.lag.admission, self.queued_left, now - self.away_since)

    def due(self) -> float | None:
        """The moment at which the time of this seat could be up."""
        if self.forfeit is not None:
            return None
        if self.away_since is not None:
            return self.away_since + self.patience
        if self.sent_at is not None:
            return self.sent_at + self.allowed - self.used
        return None

    @property
    def patience(self) -> float:
        """How much longer the match waits for the bot while it is away."""
        used = 0.0 if self.question is None else self.used
        return min(self.grace, self.slack - max(0.0, used - self.control.limit), self.left - used)

    def spend(self, used: float) -> None:
        """The present question is answered after so much thought."""
        beyond = used - self.control.limit
        if beyond > 0.0:
            self.bank = max(0.0, self.bank - beyond)
            self.slack -= beyond
        self.left -= used

    def leave(self, now: float) -> None:
        """The bot's connection is lost: its clock stops, its grace runs."""
        self.away_since = now
        if self.question is not None and self.sent_at is not None:
            used, lag = self.thought(now)
            self.used = used if lag <= Lag.VOID_AFTER else min(used, self.control.limit)
            self.sent_at = None
        until, deadline = now + self.patience, self.deadline
        deadline.moment = until if deadline.moment is None else min(deadline.moment, until)

    def come_back(self, now: float, waited: float) -> None:
        """The bot is connected again: its absence is taken from its grace, without what it waited for the server."""
        assert self.away_since is not None
        queued = self.queued(now)
        self.queued_left -= queued
        ours = max(waited + queued, self.lag.between(self.away_since, now))
        away = max(0.0, now - self.away_since - ours)
        self.grace -= away
        self.slack -= away
        self.left -= away
        self.away_since = None
