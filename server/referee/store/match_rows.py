"""Reading matches back: rows become values, page by page, so that memory does not grow with their number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, Select, func, select

from referee.store import tables as t
from referee.store.connections import binary
from referee.store.damage import damaged, sound
from referee.store.record_form import unpacked_record
from referee.store.values import FaultySeat, MatchState, StoredMatch, StoredSeat, fault_word

FINISHED = "finished"
"""The word for a seat that came to the end of its match."""
STATES = frozenset(state.value for state in MatchState)
PAGE = 500
"""Matches in memory at a time; each page is a read of its own, so a slow reader holds up no other."""

_MATCHES = select(t.matches)
# The columns in the order of the fields of StoredSeat, so that a row becomes one without looking up names.
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
        t.seats.c.version,
    )
    .select_from(t.seats.outerjoin(t.entrants, t.entrants.c.id == t.seats.c.entrant_id))
    .order_by(t.seats.c.match_id, t.seats.c.seat)
)


def read_match(connection: Connection, match: int) -> StoredMatch | None:
    """One match with its seats."""
    found = read_matches(connection, _MATCHES.where(t.matches.c.id == match))
    return found[0] if found else None


def read_matches(connection: Connection, query: Select[Any]) -> list[StoredMatch]:
    """The matches of a query over `matches`, in its order, with their seats."""
    rows = connection.execute(query).all()
    seats: dict[int, list[StoredSeat]] = {row.id: [] for row in rows}
    of_these = _SEATS.where(t.seats.c.match_id.in_(list(seats)))
    for row in connection.execute(of_these):
        match, seat, bot, name, position, rank, score, fault, *spent = sound(t.seats, row)
        how = None if fault is None else fault_word(fault)
        seats[match].append(StoredSeat(seat, bot, name, position, rank, score, how, *spent))
    return [_match(row, seats[row.id]) for row in rows]


def read_faulty_seats(connection: Connection, tournament: int) -> list[FaultySeat]:
    """The seats of a tournament's finished matches that did not finish, in schedule order."""
    query = (
        select(t.matches.c.id, t.matches.c.ordinal, t.seats.c.seat, t.entrants.c.name, t.seats.c.fault)
        .join(t.seats, t.seats.c.match_id == t.matches.c.id)
        .join(t.entrants, t.entrants.c.id == t.seats.c.entrant_id)
        .where(
            t.matches.c.tournament_id == tournament,
            t.matches.c.state == MatchState.FINISHED.value,
            func.lower(t.seats.c.fault) != FINISHED,
        )
        .order_by(t.matches.c.ordinal, t.seats.c.seat)
    )
    return [
        FaultySeat(match, ordinal, seat, name, fault_word(fault))
        for match, ordinal, seat, name, fault in connection.execute(query)
    ]


def read_ranks(
    connection: Connection, tournament: int, before: int
) -> dict[int, tuple[tuple[str, ...], tuple[int, ...]]]:
    """The names and the ranks, by seat, of the finished matches before an ordinal: all that strengths need."""
    e, m, s = t.entrants.c, t.matches.c, t.seats.c
    names = {row.id: row.name for row in connection.execute(select(e.id, e.name).where(e.tournament_id == tournament))}
    query = (
        select(m.ordinal, s.match_id, s.seat, s.entrant_id, s.rank)
        .join(t.seats, s.match_id == m.id)
        .where(m.tournament_id == tournament, m.state == MatchState.FINISHED.value, m.ordinal < before)
        .order_by(m.ordinal, s.seat)
    )
    seated: dict[int, tuple[list[str], list[int]]] = {}
    for row in connection.execute(query):
        ordinal, _, _, entrant, rank = row
        if entrant not in names or rank.__class__ is not int:
            raise damaged(t.seats, row, "rank", rank)
        bots, ranks = seated.setdefault(ordinal, ([], []))
        bots.append(names[entrant])
        ranks.append(rank)
    return {ordinal: (tuple(bots), tuple(ranks)) for ordinal, (bots, ranks) in seated.items()}


def pages(
    readers: Engine, tournament: int | None, states: Sequence[MatchState], after: int = -1
) -> Iterator[list[StoredMatch]]:
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
    sound(t.records, row)
    return unpacked_record(row.match_id, binary(row.body), row.sha256, row.size, row.packed_crc)


def _match(row: Row[Any], seats: list[StoredSeat]) -> StoredMatch:
    if sound(t.matches, row).state not in STATES:
        raise damaged(t.matches, row, "state", row.state)
    if len(seats) != row.players:
        raise damaged(t.matches, row, "players", row.players)
    return StoredMatch(
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
