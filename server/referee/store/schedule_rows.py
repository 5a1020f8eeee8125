"""Writing a schedule: entrants and matches, appended to what is there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from referee.store import tables as t
from referee.store.bots import check_name
from referee.store.bulk import BulkInsert
from referee.store.errors import NameTaken, Refused, Unknown
from referee.store.values import NewEntrant, Pairing, Settings, Tournament

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


def extend_schedule(
    connection: Connection,
    tournament: Tournament,
    entrants: Sequence[NewEntrant],
    schedule: Iterable[Pairing],
    now: int,
) -> None:
    """Append entrants and matches to a tournament, inside the caller's transaction."""
    known = _by_position(connection, tournament.id)
    for entrant in entrants:
        check_name(entrant.name, "An entrant's name")
    if clash := _first_repeated([row.name for row in known] + [entrant.name for entrant in entrants]):
        raise NameTaken(f"Two entrants of {tournament.name} are named {clash}: give one of them another name.")
    check_bots(connection, entrants)
    if entrants:
        connection.execute(
            insert(t.entrants),
            [
                {
                    "tournament_id": tournament.id,
                    "position": len(known) + offset,
                    "bot_id": entrant.bot,
                    "version_id": entrant.version,
                    "name": entrant.name,
                    "joined": now,
                }
                for offset, entrant in enumerate(entrants)
            ],
        )
        known = _by_position(connection, tournament.id)
    last = select(func.max(t.matches.c.ordinal)).where(t.matches.c.tournament_id == tournament.id)
    highest = connection.execute(last).scalar()
    ordinal = 0 if highest is None else highest + 1
    for pairings in _chunks(schedule):
        _schedule(connection, tournament, known, pairings, ordinal, now)
        ordinal += len(pairings)


def _schedule(
    connection: Connection,
    tournament: Tournament,
    entrants: Sequence[Row[Any]],
    pairings: Sequence[Pairing],
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


def _check_pairing(tournament: Tournament, entrants: int, pairing: Pairing) -> None:
    where = f"Round {pairing.round}, table {pairing.table} of {tournament.name}"
    if len(pairing.seats) != tournament.players:
        raise Refused(f"{where} has {len(pairing.seats)} seats instead of {tournament.players}.")
    if not all(0 <= position < entrants for position in pairing.seats):
        raise Refused(f"{where} seats an entrant that does not exist.")
    if len(set(pairing.seats)) != len(pairing.seats):
        raise Refused(f"{where} seats an entrant twice.")


def check_bots(connection: Connection, entrants: Sequence[NewEntrant]) -> None:
    """Refuse entrants whose bot or version does not exist."""
    wanted = {entrant.bot for entrant in entrants}
    known = {row.id for row in connection.execute(select(t.bots.c.id).where(t.bots.c.id.in_(wanted)))}
    if missing := sorted(wanted - known):
        raise Unknown(f"There is no bot number {missing[0]}: register it first.")
    for entrant in entrants:
        if entrant.version is not None:
            versions = t.bot_versions.c
            query = select(versions.id).where(versions.id == entrant.version, versions.bot_id == entrant.bot)
            if connection.execute(query).first() is None:
                raise Unknown(f"{entrant.name} has no version number {entrant.version}: note the version first.")


def _by_position(connection: Connection, tournament: int) -> Sequence[Row[Any]]:
    query = select(t.entrants).where(t.entrants.c.tournament_id == tournament).order_by(t.entrants.c.position)
    return connection.execute(query).all()


def _first_repeated(names: Sequence[str]) -> str | None:
    return next((name for place, name in enumerate(names) if name in names[:place]), None)


def _chunks(schedule: Iterable[Pairing]) -> Iterator[Sequence[Pairing]]:
    pairings = iter(schedule)
    while chunk := list(islice(pairings, CHUNK)):
        yield chunk


def settings_json(settings: Settings) -> dict[str, Any]:
    """Settings as JSON keeps them, so that what is read back equals what was given."""
    try:
        kept: dict[str, Any] = json.loads(json.dumps(dict(settings), allow_nan=False))
    except (TypeError, ValueError) as error:
        raise Refused(f"The settings cannot be kept as JSON: {error}.") from None
    return kept
