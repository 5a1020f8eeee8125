"""Player: the interface (port) between a match and a bot, with four verbs, and what travels through it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from referee.match.result import Ending
from referee.rules.game import Seat

if TYPE_CHECKING:
    from referee.match.chair import Chair
    from referee.match.match import Match


class RejectionKind(Enum):
    """What was wrong with an answer, as far as the referee is concerned."""

    UNREADABLE = "unreadable"
    ILLEGAL = "illegal"
    OUT_OF_TURN = "out_of_turn"
    DUPLICATE = "duplicate"
    STALE = "stale"
    LATE = "late"
    NOT_YOUR_MATCH = "not_your_match"


@dataclass(frozen=True, slots=True)
class Rejected:
    """An answer that was not accepted; nothing has changed and the clock runs on."""

    number: int
    kind: RejectionKind
    code: str
    message: str
    move: str
    """What was sent, shortened."""
    strikes_left: int | None
    """None where there is no match in which they would count."""
    question: Question | None = None
    """While it is still open: the question again, with the time that is left."""
    strays_left: int | None = None
    """With NOT_YOUR_MATCH: how many more of these before the bot is sent away."""

    @property
    def open(self) -> bool:
        """Whether the question is to be answered again."""
        return self.question is not None


@dataclass(slots=True)
class Question:
    """What one seat is asked."""

    match: Match
    seat: Seat
    number: int
    view: bytes
    legal: list[str]
    complete: bool
    budget: float
    bank: float
    again: bool = False
    """Asked again: after a reconnect, or because the referee was late and the clock starts anew."""
    running: bool = False
    """Its clock runs already, since the bot has seen it before a reconnect: it has to leave at once."""
    open: bool = True
    """Whether the match still waits for its answer."""
    chair: Chair | None = None
    """Where its clock is."""

    def left(self, now: float) -> None:
        """It is really on its way to the bot: its clock starts."""
        chair = self.chair
        if self.open and chair is not None:
            chair.question_left(now, now + self.budget + self.bank)


class Player(Protocol):
    """A bot, wherever it runs.

    Everything here returns at once. A question is answered later by `match.answer(...)`, never from inside `ask`;
    once the question is really on its way, `question.left(...)` starts the clock.
    """

    @property
    def name(self) -> str: ...

    @property
    def wants_legal(self) -> bool: ...

    def started(self, match: Match, seat: Seat) -> None: ...

    def ask(self, question: Question) -> None: ...

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...
