"""A tournament that was played elsewhere, stored as it was: rows, times and journal, for `referee import`."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from sqlalchemy import Connection, insert, select

from referee.store import journal
from referee.store import tables as t
from referee.store.bulk import BulkInsert
from referee.store.match_results import FAST
from referee.store.schedule_rows import round_row, ruling_row
from referee.store.values import NonceDraw, Ruling, StoredRound

CHUNK = 500

_MATCH = BulkInsert(
    t.matches,
    [
        *("tournament_id", "ordinal", "round", "table_number", "game", "game_version", "players", "state", "attempt"),
        *("seed", "reason", "created", "started", "finished"),
    ],
)
_SEAT = BulkInsert(
    t.seats,
    [
        *("match_id", "seat", "entrant_id", "bot_id", "rank", "score", "fault"),
        *("strikes", "decisions", "time_ms", "version"),
    ],
)
_RECORD = BulkInsert(t.records, ["match_id", "body", "sha256", "size", "packed_crc"])
_ENTRY = BulkInsert(t.journal, ["chain", "number", "entry", "hash"])


@dataclass(frozen=True, slots=True)
class TakenOver:
    """A tournament that is over, with its secrets and its journal."""

    name: str
    game: str
    game_version: str
    players: int
    settings: dict[str, Any]
    commitment: str
    state: str
    root: bytes = field(repr=False)
    seed_text: str | None
    salt: bytes | None
    created: int
    started: int | None
    finished: int | None
    entrants: tuple[tuple[str, str, str, int], ...]
    """By position: name, the bot's name and kind, and when it joined."""
    draws: tuple[NonceDraw, ...]
    entries: tuple[journal.JournalEntry, ...]
    rounds: tuple[StoredRound, ...] = ()
    rulings: tuple[Ruling, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenMatch:
    """A match of it; results by seat, empty without one."""

    ordinal: int
    round: int
    table: int
    names: tuple[str, ...]
    created: int
    state: str
    attempt: int
    seed: str
    reason: str
    started: int | None
    finished: int | None
    results: tuple[tuple[int, int, str, int, int, int, int | None], ...]
    """Rank, score, how it ended, strikes, decisions, milliseconds, version."""
    record: bytes | None = field(repr=False)


def take_over(connection: Connection, taken: TakenOver, matches: Iterable[TakenMatch], now: int) -> None:
    """Store it, inside the caller's transaction; its bots are registered without tokens."""
    bots = _register(connection, taken, now)
    row = {
        name: getattr(taken, name)
        for name in (
            *("name", "game", "game_version", "players", "settings", "commitment", "state"),
            *("root", "seed_text", "salt", "created", "started", "finished"),
        )
    }
    connection.execute(insert(t.tournaments).values(row | {"revealed": True}))
    number = connection.execute(select(t.tournaments.c.id).where(t.tournaments.c.name == taken.name)).scalar_one()
    connection.execute(
        insert(t.entrants),
        [
            {"tournament_id": number, "position": position, "bot_id": bots[bot], "name": name, "joined": joined}
            for position, (name, bot, _, joined) in enumerate(taken.entrants)
        ],
    )
    c = t.entrants.c
    seated = {
        row.name: (row.id, row.bot_id)
        for row in connection.execute(select(c.id, c.name, c.bot_id).where(c.tournament_id == number))
    }
    drawn = [
        {
            **{"tournament_id": number, "draw": draw.draw, "first_ordinal": draw.first},
            **{"entrant_id": seated[one.name][0], "commitment": one.commitment, "nonce": one.nonce},
        }
        for draw in taken.draws
        for one in draw.entrants
    ]
    if drawn:
        connection.execute(insert(t.nonces), drawn)
    for drawn_round in taken.rounds:
        connection.execute(insert(t.rounds).values(round_row(number, drawn_round)))
    for ruling in taken.rulings:
        entrant = seated[ruling.bot][0] if ruling.bot else None
        connection.execute(insert(t.rulings).values(ruling_row(number, ruling, entrant)))
    for chunk in _chunks(matches):
        _store(connection, taken, number, seated, chunk)
    lines = [(number, place, line.entry, line.hash) for place, line in enumerate(taken.entries)]
    _ENTRY.run(connection, lines)


def _register(connection: Connection, taken: TakenOver, now: int) -> dict[str, int]:
    kinds = {bot: kind for _, bot, kind, _ in taken.entrants}
    rows = [{"name": bot, "kind": kind, "note": "", "created": now} for bot, kind in kinds.items()]
    connection.execute(insert(t.bots), rows)
    stored = connection.execute(select(t.bots).order_by(t.bots.c.id)).all()
    journal.append(
        connection, journal.INSTALLATION, [journal.entry("bot", now, bot=dict(bot._mapping)) for bot in stored]
    )
    return {bot.name: bot.id for bot in stored}


def _store(
    connection: Connection,
    taken: TakenOver,
    tournament: int,
    seated: dict[str, tuple[int, int]],
    matches: Sequence[TakenMatch],
) -> None:
    _MATCH.run(
        connection,
        [
            (
                *(tournament, each.ordinal, each.round, each.table, taken.game, taken.game_version, taken.players),
                *(each.state, each.attempt, each.seed if each.results else None, each.reason),
                *(each.created, each.started, each.finished),
            )
            for each in matches
        ],
    )
    c = t.matches.c
    within = c.ordinal.between(matches[0].ordinal, matches[-1].ordinal)
    found = connection.execute(select(c.ordinal, c.id).where(c.tournament_id == tournament, within)).all()
    numbers = {row.ordinal: row.id for row in found}
    nothing = (None, None, None, 0, 0, 0, None)
    _SEAT.run(
        connection,
        [
            (numbers[each.ordinal], seat, *seated[name], *(each.results[seat] if each.results else nothing))
            for each in matches
            for seat, name in enumerate(each.names)
        ],
    )
    packed = [
        (numbers[each.ordinal], zlib.compress(each.record, FAST), each.record)
        for each in matches
        if each.record is not None
    ]
    _RECORD.run(
        connection,
        [
            (match, body, hashlib.sha256(record).hexdigest(), len(record), zlib.crc32(body))
            for match, body, record in packed
        ],
    )


def _chunks(matches: Iterable[TakenMatch]) -> Iterator[list[TakenMatch]]:
    source = iter(matches)
    while chunk := list(islice(source, CHUNK)):
        yield chunk
