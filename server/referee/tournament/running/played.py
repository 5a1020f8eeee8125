"""A match that was played to its end, here or by a worker: what a worker says of it, what is stored of it, and what the
scoreboard counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from referee.match.match import Match
from referee.match.result import Ending
from referee.store import Match as Row
from referee.store import MatchResult, PackedResult, SeatResult
from referee.tournament.standings.scoreboard import Score


@dataclass(frozen=True, slots=True)
class SeatAccount:
    """What one seat did in a match."""

    decisions: int
    strikes: int
    time_ms: int


@dataclass(frozen=True, slots=True)
class Played:
    """A match that has ended; `announce` tells the bots, once the result is stored."""

    ending: Ending
    record: bytes = field(repr=False)
    seats: tuple[SeatAccount, ...] = ()
    announce: Callable[[], object] = lambda: None

    @classmethod
    def of(cls, match: Match, ending: Ending) -> Played:
        """From a match that has ended in this process."""
        accounts = tuple(
            SeatAccount(seat.decisions, seat.strikes, round(seat.seconds * 1000)) for seat in match.transcript.seats
        )
        return cls(ending, match.record(), accounts, match.announce)

    def to_value(self) -> dict[str, Any]:
        """As a worker says it to its parent: a JSON object; the record travels beside it as it is."""
        seats = [[seat.decisions, seat.strikes, seat.time_ms] for seat in self.seats]
        return {"ending": self.ending.to_value(), "seats": seats}

    @classmethod
    def from_value(cls, value: dict[str, Any], record: bytes, announce: Callable[[], object]) -> Played:
        """Read what `to_value` wrote."""
        seats = tuple(SeatAccount(*seat) for seat in value["seats"])
        return cls(Ending.from_value(value["ending"]), record, seats, announce)

    def result(self, match: int, attempt: int, seed: bytes) -> MatchResult:
        """What the store keeps of it, under the number `match`."""
        ending, codes = self.ending, self.ending.codes
        seats = tuple(
            SeatResult(
                seat,
                ending.ranks[seat],
                ending.scores[seat],
                codes[seat],
                account.strikes,
                account.decisions,
                account.time_ms,
            )
            for seat, account in enumerate(self.seats)
        )
        return MatchResult(match, attempt, seats, seed.hex(), self.record, ending.reason)

    def score(self, tournament: str, row: Row) -> Score:
        """What the scoreboard counts of it, as the match of that row of the schedule."""
        ending, bots = self.ending, tuple(seat.name for seat in row.seats)
        assert row.ordinal is not None
        return Score.of(
            tournament, row.ordinal, row.round or 0, bots, ending.ranks, ending.scores, ending.codes, ending.reason
        )


@dataclass(frozen=True, slots=True)
class Ended:
    """A played match on its way into the store; packed when it ends, so that storing many at once holds up nobody."""

    row: Row
    id: str
    played: Played
    result: PackedResult

    @classmethod
    def of(cls, row: Row, attempt: int, id: str, seed: bytes, played: Played) -> Ended:
        return cls(row, id, played, PackedResult.of(played.result(row.id, attempt, seed)))
