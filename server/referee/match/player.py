"""Who sits at the table, as the match sees it: a port with four verbs, whatever is behind it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from referee.match.result import Ending
from referee.rules.game import Seat

if TYPE_CHECKING:
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
    strikes_left: int


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


class Player(Protocol):
    """A bot, wherever it runs.

    Everything here returns at once. A question is answered later by `match.answer(...)`, never from inside `ask`;
    once the question is really on its way, `match.sent(...)` starts the clock.
    """

    @property
    def name(self) -> str: ...

    @property
    def wants_legal(self) -> bool: ...

    def started(self, match: Match, seat: Seat) -> None: ...

    def ask(self, question: Question) -> None: ...

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...


def shorten(text: str, length: int = 80) -> str:
    """A text of a bot's, safe and short enough to be kept, and repeated to anybody."""
    if len(text) > length:
        text = text[: length - 1] + "…"
    if text.isprintable():
        return text
    return "".join([letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text])
