"""Absent player: holds the seat of a bot that stayed away, and forfeits it before the first question.

So the match has a result, a record and ranks like any other: the others play on, and the absent bot ranks last.
"""

from __future__ import annotations

from dataclasses import dataclass

from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending, Termination
from referee.rules.game import Seat

WHY = "it has played in this tournament and stayed away from this match to the end"


@dataclass(frozen=True, slots=True)
class AbsentPlayer:
    """A `Player` that is not there."""

    name: str
    wants_legal: bool = False

    def started(self, match: Match, seat: Seat) -> None:
        match.forfeit(seat, Termination.DISCONNECT, WHY)

    def ask(self, question: Question) -> None: ...

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...
