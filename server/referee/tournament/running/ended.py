"""A played match on its way into the store: what is stored of it, and what the scoreboard counts."""

from __future__ import annotations

from dataclasses import dataclass

from referee.store import MatchResult, PackedResult, SeatResult, StoredLog, StoredMatch
from referee.tournament.running.played import Played
from referee.tournament.standings.score import Score


@dataclass(frozen=True, slots=True)
class Ended:
    """Packed when the match ends, so that storing many at once is quick."""

    row: StoredMatch
    id: str
    played: Played
    result: PackedResult

    @classmethod
    def of(cls, row: StoredMatch, attempt: int, id: str, seed: bytes, played: Played) -> Ended:
        return cls(row, id, played, PackedResult.of(result_of(row.id, attempt, seed, played)))

    def score(self, tournament: str) -> Score:
        """What the scoreboard counts of it."""
        row, ending = self.row, self.played.ending
        bots = tuple(seat.name for seat in row.seats)
        assert row.ordinal is not None
        result = (ending.ranks, ending.scores, ending.words, ending.reason)
        return Score.of(tournament, row.ordinal, row.round or 0, bots, *result, self.played.versions)


def result_of(match: int, attempt: int, seed: bytes, played: Played) -> MatchResult:
    """What the store keeps of a match, under the number `match`."""
    ending, words = played.ending, played.ending.words
    seats = tuple(
        SeatResult(
            seat,
            ending.ranks[seat],
            ending.scores[seat],
            words[seat],
            account.strikes,
            account.decisions,
            account.time_ms,
            played.versions[seat] if played.versions else None,
        )
        for seat, account in enumerate(played.seats)
    )
    logs = tuple(StoredLog(log.seat, log.body) for log in played.logs)
    return MatchResult(match, attempt, seats, seed.hex(), played.record, ending.reason, logs)
