"""The hot path: claims and results, many at a time, in a handful of statements.

Each function is a `Batch` for the writer: it gets the neighbours in the queue as one list and answers each of them.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, literal_column, select, update

from referee.store import tables as t
from referee.store.bulk import BulkInsert, BulkUpdate
from referee.store.desk import Clock, plain
from referee.store.faults import Refused, Unknown
from referee.store.values import Fault, MatchResult, MatchState, TournamentState

FAST = 1
"""zlib's level: records are a fifth larger than at the usual 6, and packed in about three quarters of the time."""

# Built once: putting a statement together costs more than running it.
_THESE = t.matches.c.id.in_(bindparam("these", expanding=True))
_STANDING = select(t.matches.c.id, t.matches.c.state, t.matches.c.attempt, t.matches.c.players).where(_THESE)
_WORD = {fault: fault.value for fault in Fault}
_CLAIMABLE = (
    select(t.matches.c.id, t.matches.c.state, t.matches.c.attempt, t.tournaments.c.state.label("tournament_state"))
    .select_from(t.matches.outerjoin(t.tournaments, t.tournaments.c.id == t.matches.c.tournament_id))
    .where(_THESE)
)
_SCORED = ("rank", "score", "fault", "strikes", "decisions", "time_ms")
_CLAIM = update(t.matches).where(_THESE).values(state=literal_column("'playing'"), started=bindparam("now"))
_FINISH = BulkUpdate(t.matches, ["id"], ["seed", "reason", "finished"], fixed={"state": literal_column("'finished'")})
_SETTLE = BulkUpdate(t.seats, ["match_id", "seat"], _SCORED)
_RECORD = BulkInsert(t.records, ["match_id", "body", "sha256", "size"])


class Scorers:
    """Takes claims and results for one store."""

    def __init__(self, now: Clock) -> None:
        self._now = now

    def claim(self, connection: Connection, matches: Sequence[int]) -> list[int | None]:
        """Mark matches as being played: the attempt of each, or None if it cannot be started now."""
        standing = {row.id: row for row in connection.execute(_CLAIMABLE, {"these": list(set(matches))})}
        answers: list[int | None] = []
        taken: list[int] = []
        for match in matches:
            row = standing.pop(match, None)
            if row is None or not _may_start(row.state, row.tournament_state):
                answers.append(None)
                continue
            answers.append(row.attempt)
            taken.append(match)
        if taken:
            connection.execute(_CLAIM, {"these": taken, "now": self._now()})
        return answers

    def report(self, connection: Connection, results: Sequence[MatchResult]) -> list[bool]:
        """Store results, ranks and records: True for each that was new, False for one that came too late."""
        these = list({result.match for result in results})
        found = connection.execute(_STANDING, {"these": these})
        standing = {match: (state, attempt, players) for match, state, attempt, players in found}
        answers: list[bool] = []
        fresh: dict[int, MatchResult] = {}
        for result in results:
            match = result.match
            if match not in standing:
                raise Unknown(f"There is no match number {match}.")
            state, attempt, players = standing[match]
            _check_seats(result, players)
            new = state == "playing" and attempt == result.attempt and match not in fresh
            answers.append(new)
            if new:
                fresh[match] = result
        _store(connection, list(fresh.values()), self._now())
        return answers


def _may_start(state: str, tournament: str | None) -> bool:
    """Only a scheduled match of a running tournament; practice has no tournament to wait for."""
    return state == MatchState.SCHEDULED and tournament in (None, TournamentState.RUNNING)


def _check_seats(result: MatchResult, players: int) -> None:
    given = [seat.seat for seat in result.seats]
    if sorted(given) != list(range(players)):
        raise Refused(f"The result of match {result.match} names seats {given}, not each of its {players} once.")


def _store(connection: Connection, results: Sequence[MatchResult], now: int) -> None:
    _FINISH.run(connection, [(each.match, each.seed, plain(each.reason), now) for each in results])
    _SETTLE.run(
        connection,
        [
            (each.match, s.seat, s.rank, s.score, _WORD[s.fault], s.strikes, s.decisions, s.time_ms)
            for each in results
            for s in each.seats
        ],
    )
    _RECORD.run(
        connection,
        [
            (each.match, zlib.compress(each.record, FAST), hashlib.sha256(each.record).hexdigest(), len(each.record))
            for each in results
        ],
    )
