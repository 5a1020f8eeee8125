"""Reading matches back: rows become values, page by page, so that memory does not grow with their number."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, func, select

from referee.store import tables as t
from referee.store.errors import NotADatabase
from referee.store.values import Match, MatchState, Seat, fault_code

PAGE = 500
"""Matches in memory at a time; each page is a read of its own, so a slow reader holds up nobody."""

_MATCHES = select(t.matches)
# The columns in the order of the fields of Seat, so that a row becomes one without looking up names.
_SEATS = (
    select(
        t.seats.c.match_id,
        t.seats.c.seat,
        t.seats.c.bot_id,
        func.coalesce(t.entrants.c.name, t.seats.c.name),
        t.entrants.c.position,
        t.seats.c.rank,
        t.seats.c.score,
        t.seats.c.fault,
        t.seats.c.strikes,
        t.seats.c.decisions,
        t.seats.c.time_ms,
    )
    .select_from(t.seats.outerjoin(t.entrants, t.entrants.c.id == t.seats.c.entrant_id))
    .order_by(t.seats.c.match_id, t.seats.c.seat)
)


def read_match(connection: Connection, match: int) -> Match | None:
    """One match with its seats."""
    found = read_matches(connection, _MATCHES.where(t.matches.c.id == match))
    return found[0] if found else None


def read_matches(connection: Connection, query: Select[Any]) -> list[Match]:
    """The matches of a query over `matches`, in its order, with their seats."""
    rows = connection.execute(query).all()
    seats: dict[int, list[Seat]] = {row.id: [] for row in rows}
    of_these = _SEATS.where(t.seats.c.match_id.in_(list(seats)))
    for match, seat, bot, name, position, rank, score, fault, *spent in connection.execute(of_these):
        how = None if fault is None else fault_code(fault)
        seats[match].append(Seat(seat, bot, name, position, rank, score, how, *spent))
    return [_match(row, seats[row.id]) for row in rows]


def pages(
    readers: Engine, tournament: int | None, states: Sequence[MatchState], after: int = -1
) -> Iterator[list[Match]]:
    """Matches in schedule order (practice: in order of creation), those in the given states, a page at a time."""
    c = t.matches.c
    place = c.id if tournament is None else c.ordinal
    within: ColumnElement[bool] = c.tournament_id == tournament
    query = _MATCHES.where(within, c.state.in_(list(states))).order_by(place).limit(PAGE)
    while True:
        with readers.connect() as connection:
            found = read_matches(connection, query.where(place > after))
        if found:
            yield found
        if len(found) < PAGE:
            return
        last = found[-1]
        after = last.id if last.ordinal is None else last.ordinal


def read_records(connection: Connection, matches: Sequence[int]) -> dict[int, bytes]:
    """The records of those of the matches that have one; a damaged one is an error, never handed out."""
    query = select(t.records).where(t.records.c.match_id.in_(matches))
    return {row.match_id: _unpacked(row) for row in connection.execute(query)}


def _unpacked(row: Row[Any]) -> bytes:
    try:
        # Bounded by the noted size, so that a damaged row cannot fill the memory.
        record = zlib.decompressobj().decompress(bytes(row.body), row.size + 1)
    except zlib.error:
        record = b""
    if len(record) != row.size or hashlib.sha256(record).hexdigest() != row.sha256:
        raise NotADatabase(f"The record of match {row.match_id} is damaged: restore the database from a copy.")
    return record


def _match(row: Row[Any], seats: list[Seat]) -> Match:
    return Match(
        id=row.id,
        tournament=row.tournament_id,
        round=row.round,
        table=row.table_number,
        ordinal=row.ordinal,
        game=row.game,
        game_version=row.game_version,
        settings=row.settings,
        state=MatchState(row.state),
        attempt=row.attempt,
        seed=row.seed,
        reason=row.reason,
        created=row.created,
        started=row.started,
        finished=row.finished,
        seats=tuple(seats),
    )
