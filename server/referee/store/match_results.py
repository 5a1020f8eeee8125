"""The hot path: claims and results, many at a time, in a handful of statements.

Each function is a `Batch` for the writer: it gets the neighbours in the queue as one list and answers each of them.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    String,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    update,
)

from referee.store import tables as t
from referee.store.bulk import BulkInsert, BulkUpdate
from referee.store.connections import Clock, plain
from referee.store.errors import Refused, Unknown
from referee.store.values import MatchResult, MatchState, TournamentState, fault_code

FAST = 1
"""zlib's level: records are a fifth larger than at the usual 6, and packed in about three quarters of the time."""

# Built once: putting a statement together costs more than running it. What is asked of many matches comes as one text,
# as each row that is read lets go of the interpreter and has to wait for it.
_THESE = t.matches.c.id.in_(bindparam("these", expanding=True))


def _told(*columns: ColumnElement[Any]) -> ColumnElement[str]:
    """The columns of all rows as one text, which `_tell` reads."""
    one: ColumnElement[str] = cast(columns[0], String)
    for column in columns[1:]:
        one = one.concat(":").concat(cast(column, String))
    return func.aggregate_strings(one, ",")


_STANDING = select(_told(t.matches.c.id, t.matches.c.state, t.matches.c.attempt, t.matches.c.players)).where(_THESE)
_CLAIMABLE = (
    select(_told(t.matches.c.id, t.matches.c.attempt))
    .select_from(t.matches.outerjoin(t.tournaments, t.tournaments.c.id == t.matches.c.tournament_id))
    .where(
        _THESE,
        t.matches.c.state == literal_column(f"'{MatchState.SCHEDULED}'"),
        # Practice has no tournament to wait for.
        func.coalesce(t.tournaments.c.state, literal_column(f"'{TournamentState.RUNNING}'"))
        == literal_column(f"'{TournamentState.RUNNING}'"),
    )
)
_CLAIM = (
    update(t.matches).where(_THESE).values(state=literal_column(f"'{MatchState.PLAYING}'"), started=bindparam("now"))
)
_FINISH = BulkUpdate(
    t.matches, ["id"], ["seed", "reason", "finished"], fixed={"state": literal_column(f"'{MatchState.FINISHED}'")}
)
_SETTLE = BulkUpdate(t.seats, ["match_id", "seat"], ["rank", "score", "fault", "strikes", "decisions", "time_ms"])
_RECORD = BulkInsert(t.records, ["match_id", "body", "sha256", "size"])


@dataclass(frozen=True, slots=True)
class PackedResult:
    """A result whose record is compressed: done when the match ends, so that many at once only have to be written."""

    result: MatchResult
    body: bytes
    sha256: str

    @classmethod
    def of(cls, result: MatchResult) -> PackedResult:
        return cls(result, zlib.compress(result.record, FAST), hashlib.sha256(result.record).hexdigest())


class Scorers:
    """Takes claims and results for one store."""

    def __init__(self, now: Clock) -> None:
        self._now = now

    def claim(self, connection: Connection, matches: Sequence[int]) -> list[int | None]:
        """Mark matches as being played: the attempt of each, or None if it cannot be started now."""
        found = _tell(connection, _CLAIMABLE, set(matches))
        attempts = {int(match): int(attempt) for match, attempt in found}
        if attempts:
            connection.execute(_CLAIM, {"these": list(attempts), "now": self._now()})
        # Of two claims to one match the first gets it.
        return [attempts.pop(match, None) for match in matches]

    def report(self, connection: Connection, results: Sequence[PackedResult]) -> list[bool]:
        """Store results, ranks and records: True for each that was new, False for one that came too late."""
        found = _tell(connection, _STANDING, {packed.result.match for packed in results})
        standing = {int(match): (state, int(attempt), int(players)) for match, state, attempt, players in found}
        answers: list[bool] = []
        fresh: dict[int, PackedResult] = {}
        for packed in results:
            result = packed.result
            match = result.match
            if match not in standing:
                raise Unknown(f"There is no match number {match}.")
            state, attempt, players = standing[match]
            _check_seats(result, players)
            new = state == MatchState.PLAYING and attempt == result.attempt and match not in fresh
            answers.append(new)
            if new:
                fresh[match] = packed
        _store(connection, list(fresh.values()), self._now())
        return answers


def _tell(connection: Connection, query: Select[Any], matches: Collection[int]) -> list[list[str]]:
    told = connection.execute(query, {"these": list(matches)}).scalar()
    return [one.split(":") for one in told.split(",")] if told else []


def _check_seats(result: MatchResult, players: int) -> None:
    given = [seat.seat for seat in result.seats]
    if sorted(given) != list(range(players)):
        raise Refused(f"The result of match {result.match} names seats {given}, not each of its {players} once.")
    for seat in result.seats:
        try:
            fault_code(seat.fault)
        except ValueError as error:
            raise Refused(f"The result of match {result.match} cannot be kept: {error}.") from None


def _store(connection: Connection, fresh: Sequence[PackedResult], now: int) -> None:
    results = [packed.result for packed in fresh]
    _FINISH.run(connection, [(each.match, each.seed, plain(each.reason), now) for each in results])
    _SETTLE.run(
        connection,
        [
            (each.match, s.seat, s.rank, s.score, s.fault, s.strikes, s.decisions, s.time_ms)
            for each in results
            for s in each.seats
        ],
    )
    _RECORD.run(
        connection, [(packed.result.match, packed.body, packed.sha256, len(packed.result.record)) for packed in fresh]
    )
