"""Taking over a database of before the journal: its rows become the first entries of the chains.

Only the migration that makes the journal runs this, on the schema of its time: columns are named one by one, and later
ones are unknown here. The chains begin with `adopted`, so that everybody sees from when on they are worth something.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, text

from referee.store import journal
from referee.store.connections import binary, wall_clock

Entry = dict[str, Any]
OVER = ("finished", "cancelled")


def adopt(connection: Connection) -> None:
    """Make the rows fit the journal, and write it."""
    # Programs of before spelt it in capitals. One spelling, so that a changed letter is found.
    connection.execute(text("UPDATE seats SET fault = lower(fault) WHERE fault <> lower(fault)"))
    _add_checksums(connection)
    now = wall_clock()
    _write(connection, journal.INSTALLATION, now, _installation(connection))
    for row in connection.execute(text("SELECT * FROM tournaments ORDER BY id")).all():
        _write(connection, row.id, now, _tournament(connection, row))


def _add_checksums(connection: Connection) -> None:
    after = -1
    query = text("SELECT match_id, body FROM records WHERE match_id > :after ORDER BY match_id LIMIT 500")
    while rows := connection.execute(query, {"after": after}).all():
        after = rows[-1].match_id
        connection.execute(
            text("UPDATE records SET packed_crc = :crc WHERE match_id = :match"),
            [{"match": row.match_id, "crc": zlib.crc32(binary(row.body))} for row in rows],
        )


def _write(connection: Connection, chain: int, now: int, entries: Iterator[Entry]) -> None:
    first = next(entries, None)
    if first is None:
        return
    journal.append(connection, chain, [journal.entry("adopted", now), first])
    while piece := [entry for entry, _ in zip(entries, range(500), strict=False)]:
        journal.append(connection, chain, piece)


def _installation(connection: Connection) -> Iterator[Entry]:
    columns = "id, name, kind, note, token_hash, created, rotated, revoked"
    for bot in connection.execute(text(f"SELECT {columns} FROM bots ORDER BY id")).all():
        yield journal.entry("bot", bot.created, bot=dict(bot._mapping))
    for fact in connection.execute(text("SELECT key, value FROM meta ORDER BY key")).all():
        yield journal.entry("fact", 0, key=fact.key, value=fact.value)
    for match, seats, record in _matches(connection, "tournament_id IS NULL", {}):
        yield journal.entry(
            "practice",
            match.created,
            match=match.id,
            game=match.game,
            game_version=match.game_version,
            settings=_value(match.settings),
            seats=[[seat.bot_id, seat.name] for seat in seats],
        )
        yield from _outcome(match, match.id, seats, record)


def _tournament(connection: Connection, row: Row[Any]) -> Iterator[Entry]:
    salt = None if row.salt is None else binary(row.salt)
    yield journal.entry(
        "created",
        row.created,
        name=row.name,
        game=row.game,
        game_version=row.game_version,
        players=row.players,
        settings=_value(row.settings),
        commitment=row.commitment,
        dealt="secret" if row.seed_text is None else "repeatable" if salt is None else "salted",
    )
    entrants = connection.execute(
        text(
            "SELECT entrants.name AS name, bots.name AS bot, bots.kind AS kind, joined FROM entrants "
            "JOIN bots ON bots.id = bot_id WHERE tournament_id = :id ORDER BY position"
        ),
        {"id": row.id},
    ).all()
    scheduled = {entry["at"]: entry for entry in _scheduled(connection, row.id, row.created)}
    for joined, group in groupby(entrants, lambda entrant: entrant.joined):
        told = [{"name": each.name, "bot": each.bot, "kind": each.kind} for each in group]
        yield journal.entry("entered", joined, entrants=told)
        if joined in scheduled:
            yield scheduled.pop(joined)
    yield from scheduled.values()
    if row.started is not None:
        yield journal.entry("state", row.started, state="running")
    for match, seats, record in _matches(connection, "tournament_id = :id", {"id": row.id}):
        yield from _outcome(match, match.ordinal, seats, record)
    if row.state == "paused":
        yield journal.entry("state", row.started or row.created, state="paused")
    if row.state in OVER:
        end = journal.entry("state", row.finished, state=row.state)
        if row.revealed:
            end |= {"root": binary(row.root).hex(), "seed_text": row.seed_text, "salt": salt.hex() if salt else ""}
        yield end


def _scheduled(connection: Connection, tournament: int, created: int) -> Iterator[Entry]:
    """The schedule in the pieces in which it was stored."""
    query = text(
        "SELECT ordinal, round, table_number, created, entrants.name AS name FROM matches "
        "JOIN seats ON match_id = matches.id JOIN entrants ON entrants.id = entrant_id "
        "WHERE matches.tournament_id = :id ORDER BY ordinal, seat"
    )
    rows = connection.execute(query, {"id": tournament})
    some = False
    for at, piece in groupby(rows, lambda row: row.created):
        digest, first, count = hashlib.sha256(), -1, 0
        for place, seats in groupby(piece, lambda row: (row.ordinal, row.round, row.table_number)):
            digest.update(journal.schedule_line(*place, [seat.name for seat in seats]).encode())
            first, count = (place[0] if first < 0 else first), count + 1
        some = True
        yield journal.entry("scheduled", at, first=first, matches=count, sha256=digest.hexdigest())
    if not some:
        yield journal.entry("scheduled", created, first=0, matches=0, sha256=hashlib.sha256().hexdigest())


def _matches(
    connection: Connection, which: str, values: dict[str, int]
) -> Iterator[tuple[Row[Any], list[Row[Any]], Row[Any] | None]]:
    """Matches with their seats and what is noted of their record, by number."""
    query = text(f"SELECT * FROM matches WHERE {which} AND id > :after ORDER BY id LIMIT 500")
    after = -1
    while found := connection.execute(query, values | {"after": after}).all():
        first, after = found[0].id, found[-1].id
        bounds = {"first": first, "last": after}
        seats: dict[int, list[Row[Any]]] = {}
        chosen = text("SELECT * FROM seats WHERE match_id BETWEEN :first AND :last ORDER BY match_id, seat")
        for seat in connection.execute(chosen, bounds):
            seats.setdefault(seat.match_id, []).append(seat)
        noted = text("SELECT match_id, sha256, size FROM records WHERE match_id BETWEEN :first AND :last")
        records = {row.match_id: row for row in connection.execute(noted, bounds)}
        for match in found:
            yield match, seats.get(match.id, []), records.get(match.id)


def _outcome(match: Row[Any], number: int, seats: list[Row[Any]], record: Row[Any] | None) -> Iterator[Entry]:
    if match.attempt > 1 and match.state != "finished":
        yield journal.entry("again", match.created, match=number, attempt=match.attempt)
    if match.state == "finished":
        yield journal.entry(
            "result",
            match.finished,
            match=number,
            attempt=match.attempt,
            started=match.started,
            seed=match.seed,
            reason=match.reason,
            ranks=[seat.rank for seat in seats],
            scores=[seat.score for seat in seats],
            terminations=[seat.fault for seat in seats],
            strikes=[seat.strikes for seat in seats],
            decisions=[seat.decisions for seat in seats],
            time_ms=[seat.time_ms for seat in seats],
            record=record.sha256 if record else "",
            size=record.size if record else 0,
        )
    elif match.state in ("absent", "void"):
        aside = {"state": match.state, "reason": match.reason, "started": match.started}
        yield journal.entry("aside", match.finished, match=number, **aside)


def _value(settings: Any) -> Any:
    """JSON as it was stored: SQLite keeps a text, PostgreSQL reads it."""
    return json.loads(settings) if isinstance(settings, str) else settings
