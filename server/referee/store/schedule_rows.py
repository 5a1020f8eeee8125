"""Where a schedule is stored: entrants and matches, appended to what is there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from referee.store import journal
from referee.store import tables as t
from referee.store.bots import check_name
from referee.store.bulk import BulkInsert
from referee.store.errors import NameTaken, Outdated, Refused, Unknown
from referee.store.values import (
    MatchState,
    NewEntrant,
    Ruling,
    RulingKind,
    ScheduledTable,
    SeatedMatch,
    Settings,
    StoredRound,
    Tournament,
    out_after,
)

_COUNTING = (MatchState.SCHEDULED, MatchState.PLAYING, MatchState.FINISHED)

CHUNK = 1000
"""Matches written by one statement; a schedule of any length passes through memory in such pieces."""

_MATCH = BulkInsert(
    t.matches,
    [
        *("tournament_id", "ordinal", "round", "table_number", "game", "game_version", "players"),
        *("state", "attempt", "reason", "created"),
    ],
)
_SEAT = BulkInsert(t.seats, ["match_id", "seat", "entrant_id", "bot_id", "strikes", "decisions", "time_ms"])


Further = Callable[[Sequence[SeatedMatch], int, frozenset[int], frozenset[int]], Iterable[ScheduledTable]]
"""What is scheduled in place of lost matches: all matches, how many entrants, who is out, and which were lost now."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What further matches were worked out from: how many entrants, matches and rulings there were."""

    entrants: int
    matches: int
    rulings: int


def seen_now(connection: Connection, tournament: int) -> Seen:
    """How it stands, as this connection sees it."""
    counts = [
        connection.execute(select(func.count()).select_from(table).where(table.c.tournament_id == tournament))
        for table in (t.entrants, t.matches, t.rulings)
    ]
    return Seen(*(int(count.scalar_one()) for count in counts))


def check_seen(connection: Connection, tournament: Tournament, seen: Seen) -> None:
    """Outdated if another program has added or ruled something meanwhile: seats would be given to others."""
    if seen_now(connection, tournament.id) != seen:
        raise Outdated(f"{tournament.name} was changed at this very moment: try again")


def extend_schedule(
    connection: Connection,
    tournament: Tournament,
    entrants: Sequence[NewEntrant],
    schedule: Iterable[ScheduledTable],
    now: int,
) -> int:
    """Append entrants and matches to a tournament, inside the caller's transaction; returns where the matches begin."""
    known = by_position(connection, tournament.id)
    for entrant in entrants:
        check_name(entrant.name, "An entrant's name")
    if clash := _first_repeated([row.name for row in known] + [entrant.name for entrant in entrants]):
        raise NameTaken(f"two entrants of {tournament.name} are named {clash}: give one of them another name")
    check_bots(connection, entrants)
    if entrants:
        connection.execute(
            insert(t.entrants),
            [
                {
                    "tournament_id": tournament.id,
                    "position": len(known) + offset,
                    "bot_id": entrant.bot,
                    "name": entrant.name,
                    "joined": now,
                }
                for offset, entrant in enumerate(entrants)
            ],
        )
        known = by_position(connection, tournament.id)
        journal.append(connection, tournament.id, [_entered(connection, entrants, now)])
    last = select(func.max(t.matches.c.ordinal)).where(t.matches.c.tournament_id == tournament.id)
    highest = connection.execute(last).scalar()
    first = ordinal = 0 if highest is None else highest + 1
    names = [row.name for row in known]
    digest = hashlib.sha256()
    for pairings in _chunks(schedule):
        _schedule(connection, tournament, known, pairings, ordinal, now)
        for number, pairing in enumerate(pairings, ordinal):
            seated = [names[position] for position in pairing.seats]
            digest.update(journal.schedule_line(number, pairing.round, pairing.table, seated).encode())
        ordinal += len(pairings)
    told = journal.entry("scheduled", now, first=first, matches=ordinal - first, sha256=digest.hexdigest())
    journal.append(connection, tournament.id, [told])
    return first


def _entered(connection: Connection, entrants: Sequence[NewEntrant], now: int) -> dict[str, Any]:
    c = t.bots.c
    these = select(c.id, c.name, c.kind).where(c.id.in_({entrant.bot for entrant in entrants}))
    bots = {row.id: row for row in connection.execute(these)}
    told = [{"name": each.name, "bot": bots[each.bot].name, "kind": bots[each.bot].kind} for each in entrants]
    return journal.entry("entered", now, entrants=told)


def _schedule(
    connection: Connection,
    tournament: Tournament,
    entrants: Sequence[Row[Any]],
    pairings: Sequence[ScheduledTable],
    first: int,
    now: int,
) -> None:
    for pairing in pairings:
        _check_pairing(tournament, len(entrants), pairing)
    game, version, players = tournament.game, tournament.game_version, tournament.players
    _MATCH.run(
        connection,
        [
            (tournament.id, ordinal, pairing.round, pairing.table, game, version, players, "scheduled", 1, "", now)
            for ordinal, pairing in enumerate(pairings, first)
        ],
    )
    numbered = (
        select(t.matches.c.id)
        .where(t.matches.c.tournament_id == tournament.id, t.matches.c.ordinal >= first)
        .order_by(t.matches.c.ordinal)
    )
    seated = [(entrant.id, entrant.bot_id) for entrant in entrants]
    _SEAT.run(
        connection,
        [
            (match, seat, *seated[position], 0, 0, 0)
            for (match,), pairing in zip(connection.execute(numbered), pairings, strict=True)
            for seat, position in enumerate(pairing.seats)
        ],
    )


def _check_pairing(tournament: Tournament, entrants: int, pairing: ScheduledTable) -> None:
    where = f"Round {pairing.round}, table {pairing.table} of {tournament.name}"
    if len(pairing.seats) != tournament.players:
        raise Refused(f"{where} has {len(pairing.seats)} seats instead of {tournament.players}")
    if not all(0 <= position < entrants for position in pairing.seats):
        raise Refused(f"{where} seats an entrant that does not exist")
    if len(set(pairing.seats)) != len(pairing.seats):
        raise Refused(f"{where} seats an entrant twice")


def check_bots(connection: Connection, entrants: Sequence[NewEntrant]) -> None:
    """Refuse entrants whose bot does not exist."""
    wanted = {entrant.bot for entrant in entrants}
    known = {row.id for row in connection.execute(select(t.bots.c.id).where(t.bots.c.id.in_(wanted)))}
    if missing := sorted(wanted - known):
        raise Unknown(f"there is no bot number {missing[0]}: register it first")


def by_position(connection: Connection, tournament: int) -> Sequence[Row[Any]]:
    """The entrants of a tournament."""
    query = select(t.entrants).where(t.entrants.c.tournament_id == tournament).order_by(t.entrants.c.position)
    return connection.execute(query).all()


def _first_repeated(names: Sequence[str]) -> str | None:
    return next((name for place, name in enumerate(names) if name in names[:place]), None)


def _chunks(schedule: Iterable[ScheduledTable]) -> Iterator[Sequence[ScheduledTable]]:
    pairings = iter(schedule)
    while chunk := list(islice(pairings, CHUNK)):
        yield chunk


def settings_json(settings: Settings) -> dict[str, Any]:
    """Settings as JSON keeps them, so that what is read back equals what was given."""
    try:
        kept: dict[str, Any] = json.loads(json.dumps(dict(settings), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise Refused(f"the settings cannot be kept as JSON: {error}") from None
    return kept


def seated_matches(connection: Connection, tournament: int) -> list[SeatedMatch]:
    """The schedule in its order, as far as further matches depend on it."""
    query = (
        select(t.matches.c.ordinal, t.matches.c.round, t.matches.c.state, t.entrants.c.position)
        .join(t.seats, t.seats.c.match_id == t.matches.c.id)
        .join(t.entrants, t.entrants.c.id == t.seats.c.entrant_id)
        .where(t.matches.c.tournament_id == tournament)
        .order_by(t.matches.c.ordinal, t.seats.c.seat)
    )
    found = []
    for _, rows in groupby(connection.execute(query), key=lambda row: row.ordinal):
        seats = list(rows)
        counts = seats[0].state in _COUNTING
        found.append(SeatedMatch(seats[0].round, tuple(row.position for row in seats), counts))
    return found


def out_positions(connection: Connection, tournament: int) -> frozenset[int]:
    """Who is out, by position."""
    out = out_after(read_rulings(connection, tournament))
    c = t.entrants.c
    rows = connection.execute(select(c.name, c.position).where(c.tournament_id == tournament))
    return frozenset(row.position for row in rows if row.name in out)


def read_rulings(connection: Connection, tournament: int) -> list[Ruling]:
    """The rulings of a tournament in their order."""
    query = (
        select(t.rulings, t.entrants.c.name.label("bot"))
        .select_from(t.rulings.outerjoin(t.entrants, t.entrants.c.id == t.rulings.c.entrant_id))
        .where(t.rulings.c.tournament_id == tournament)
        .order_by(t.rulings.c.number)
    )
    return [
        Ruling(
            *(row.number, RulingKind(row.kind), row.bot or "", row.ordinal, row.reason),
            *(tuple(row.annulled), tuple(row.aside), row.created),
        )
        for row in connection.execute(query)
    ]


def round_row(tournament: int, drawn: StoredRound) -> dict[str, Any]:
    """The row of a round."""
    return {
        "tournament_id": tournament,
        "number": drawn.number,
        "first_ordinal": drawn.first,
        "stage": drawn.stage,
        "byes": list(drawn.byes),
        "active": list(drawn.active),
        "reasons": list(drawn.reasons),
        "deals": list(drawn.deals),
        "created": drawn.created,
    }


def ruling_row(tournament: int, ruling: Ruling, entrant: int | None) -> dict[str, Any]:
    """The row of a ruling."""
    return {
        "tournament_id": tournament,
        "number": ruling.number,
        "kind": ruling.kind.value,
        "entrant_id": entrant,
        "ordinal": ruling.match,
        "reason": ruling.reason,
        "annulled": list(ruling.annulled),
        "aside": list(ruling.aside),
        "created": ruling.created,
    }
