"""A match that was played to its end: what is stored of it, and what the scoreboard counts."""

from __future__ import annotations

from dataclasses import dataclass

from referee.match.result import Termination
from referee.store import Fault, Match, MatchResult, PackedResult, SeatResult
from referee.tournament.running.venue import Fixture, Played
from referee.tournament.standings.scoreboard import Score


@dataclass(frozen=True, slots=True)
class Ended:
    """Packed when the match ends, so that storing many at once holds up nobody."""

    match: Match
    fixture: Fixture
    played: Played
    result: PackedResult

    @classmethod
    def of(cls, match: Match, attempt: int, fixture: Fixture, played: Played) -> Ended:
        result = result_of(match.id, attempt, fixture.seed, played)
        return cls(match, fixture, played, PackedResult.of(result))

    def score(self) -> Score:
        """What the scoreboard counts of it."""
        ending, fixture = self.played.ending, self.fixture
        assert self.match.ordinal is not None
        return Score(
            self.match.ordinal,
            fixture.id,
            fixture.round,
            fixture.bots,
            ending.ranks,
            ending.scores,
            tuple("" if how is Termination.FINISHED else how.name for how in ending.terminations),
            ending.reason,
        )


def result_of(match: int, attempt: int, seed: bytes, played: Played) -> MatchResult:
    """What the store keeps of a match."""
    ending = played.ending
    seats = tuple(
        SeatResult(
            seat,
            ending.ranks[seat],
            ending.scores[seat],
            Fault(ending.terminations[seat].name),
            account.strikes,
            account.decisions,
            account.time_ms,
        )
        for seat, account in enumerate(played.seats)
    )
    return MatchResult(match, attempt, seats, seed.hex(), played.record, ending.reason)
