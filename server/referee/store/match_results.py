"""Where a result is stored: matches are claimed and results written, many at a time, in a handful of statements.

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

from referee.chain_head import ChainHead
from referee.store import journal
from referee.store import tables as t
from referee.store.bot_logs import BotLogs
from referee.store.bulk import BulkInsert, BulkUpdate
from referee.store.connections import Clock, plain
from referee.store.errors import Refused, Unknown
from referee.store.values import MatchResult, MatchState, TournamentState, fault_word

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


_STANDING = select(
    _told(
        t.matches.c.id,
        t.matches.c.state,
        t.matches.c.attempt,
        t.matches.c.players,
        # Of practice, where the journal has it: the chain of no tournament, and the number of the row.
        func.coalesce(t.matches.c.tournament_id, literal_column(str(journal.INSTALLATION))),
        func.coalesce(t.matches.c.ordinal, t.matches.c.id),
        func.coalesce(t.matches.c.started, literal_column("-1")),
    )
).where(_THESE)
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
_VERSION = BulkUpdate(t.seats, ["match_id", "seat"], ["version"])
_RECORD = BulkInsert(t.records, ["match_id", "body", "sha256", "size", "packed_crc"])


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
        self._logs = BotLogs()

    def claim(self, connection: Connection, matches: Sequence[int]) -> list[int | None]:
        """Mark matches as being played: the attempt of each, or None if it cannot be started now."""
        found = _tell(connection, _CLAIMABLE, set(matches))
        attempts = {int(match): int(attempt) for match, attempt in found}
        if attempts:
            connection.execute(_CLAIM, {"these": list(attempts), "now": self._now()})
        # Of two claims to one match the first gets it.
        return [attempts.pop(match, None) for match in matches]

    def report(self, connection: Connection, results: Sequence[PackedResult]) -> list[ChainHead | None]:
        """Store results, ranks and records: for each that was new the head of the hash chain that holds it, None for
        one that came too late.
        """
        found = _tell(connection, _STANDING, {packed.result.match for packed in results})
        standing = {int(match): (state, [int(one) for one in rest]) for match, state, *rest in found}
        chains: list[int | None] = []
        fresh: dict[int, PackedResult] = {}
        for packed in results:
            result = packed.result
            match = result.match
            if match not in standing:
                raise Unknown(f"there is no match number {match}")
            state, (attempt, players, chain, *_) = standing[match]
            _check_seats(result, players)
            new = state == MatchState.PLAYING and attempt == result.attempt and match not in fresh
            chains.append(chain if new else None)
            if new:
                fresh[match] = packed
        now = self._now()
        _store(connection, list(fresh.values()), now)
        places = [(standing[match][1][2:], packed) for match, packed in fresh.items()]
        heads = journal.append_all(connection, [(place[0], _entry(place, packed, now)) for place, packed in places])
        self._logs.keep(connection, [packed.result for packed in fresh.values()])
        return [None if chain is None else heads[chain] for chain in chains]


def _tell(connection: Connection, query: Select[Any], matches: Collection[int]) -> list[list[str]]:
    told = connection.execute(query, {"these": list(matches)}).scalar()
    return [one.split(":") for one in told.split(",")] if told else []


def _check_seats(result: MatchResult, players: int) -> None:
    given = [seat.seat for seat in result.seats]
    if sorted(given) != list(range(players)):
        raise Refused(f"the result of match {result.match} names seats {given}, not each of its {players} once")
    for seat in result.seats:
        try:
            fault_word(seat.fault)
        except ValueError as error:
            raise Refused(f"the result of match {result.match} cannot be kept: {error}") from None


def _entry(place: Sequence[int], packed: PackedResult, now: int) -> dict[str, Any]:
    """A result as the journal tells it; `place` is its chain, its number there and when it was started."""
    _, number, started = place
    result = packed.result
    seats = sorted(result.seats, key=lambda seat: seat.seat)
    versions = [seat.version for seat in seats]
    return journal.entry(
        "result",
        now,
        # Told only where a submitted bot played: nothing changes for all others.
        **({"versions": versions} if any(one is not None for one in versions) else {}),
        match=number,
        attempt=result.attempt,
        started=None if started < 0 else started,
        seed=result.seed,
        reason=plain(result.reason),
        ranks=[seat.rank for seat in seats],
        scores=[seat.score for seat in seats],
        terminations=[fault_word(seat.fault) for seat in seats],
        strikes=[seat.strikes for seat in seats],
        decisions=[seat.decisions for seat in seats],
        time_ms=[seat.time_ms for seat in seats],
        record=packed.sha256,
        size=len(result.record),
    )


def _store(connection: Connection, fresh: Sequence[PackedResult], now: int) -> None:
    results = [packed.result for packed in fresh]
    _FINISH.run(connection, [(each.match, each.seed, plain(each.reason), now) for each in results])
    _SETTLE.run(
        connection,
        [
            (each.match, s.seat, s.rank, s.score, fault_word(s.fault), s.strikes, s.decisions, s.time_ms)
            for each in results
            for s in each.seats
        ],
    )
    hosted = [(each.match, s.seat, s.version) for each in results for s in each.seats if s.version is not None]
    if hosted:
        _VERSION.run(connection, hosted)
    _RECORD.run(
        connection,
        [
            (packed.result.match, packed.body, packed.sha256, len(packed.result.record), zlib.crc32(packed.body))
            for packed in fresh
        ],
    )
