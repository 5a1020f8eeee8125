"""Quick look at a SQLite file with the driver alone: SQLAlchemy takes longer to load than these answers take to read.

The verbs read what `Store` reads, and a test compares the two. Whatever is not as usual is None: no such file or
tournament, another schema, a row that is damaged. The caller then opens the `Store`, which says what is wrong.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from typing import Any, TypeVar

from referee import __version__
from referee.chain_head import ChainHead
from referee.store.migrate import REVISIONS, VERSION_TABLE
from referee.store.snapshot_form import NOTED, digest_of, value_in
from referee.store.sqlite_files import sqlite_to_read
from referee.store.values import (
    Counts,
    DrawnNonce,
    NonceDraw,
    SnapshotKind,
    Tournament,
    TournamentLook,
    TournamentState,
)

Seen = TypeVar("Seen")

TABLE_SETTINGS = f"4, referee {__version__}"
"""What a kept table depends on besides what is stored; the number is to be raised when the same results are shown in
another way.
"""
UNUSUAL = (sqlite3.Error, OSError, ValueError, TypeError, LookupError, RecursionError, zlib.error)
"""What goes wrong where something is not as usual."""
TIMEOUT = 10.0
"""Seconds for which a lock is waited for, as in `Store.open`."""


def tournament(db: str, name: str) -> TournamentLook | None:
    """What a list tells of a tournament, but for what its rulings are."""
    return _unless_unusual(_tournament, db, name)


def kept_table(db: str, name: str) -> dict[str, Any] | None:
    """The standings of a tournament that is over, as they were kept, if nothing was stored since.

    Without a name those of the newest tournament, unless one is running.
    """
    return _unless_unusual(_kept_table, db, name)


def _unless_unusual(look: Callable[[str, str], Seen | None], db: str, name: str) -> Seen | None:
    try:
        return look(db, name)
    except UNUSUAL:
        return None  # said by whoever opens it as a whole


def _tournament(db: str, name: str) -> TournamentLook | None:
    with reading(db) as connection:
        row = None if connection is None else named_row(connection, "SELECT * FROM tournaments WHERE name = ?", name)
        if connection is None or row is None:
            return None
        number = row["id"]
        states = "SELECT state, count(*) FROM matches WHERE tournament_id = ? GROUP BY state"
        again = "SELECT count(*) FROM matches WHERE tournament_id = ? AND attempt > 1"
        names = "SELECT name FROM entrants WHERE tournament_id = ? ORDER BY position"
        stage = "SELECT stage FROM rounds WHERE tournament_id = ? ORDER BY number DESC LIMIT 1"
        rulings = "SELECT count(*) FROM rulings WHERE tournament_id = ?"
        return TournamentLook(
            tournament_in(row),
            Counts(**dict(connection.execute(states, (number,)))),
            connection.execute(again, (number,)).fetchone()[0],
            tuple([_text(one) for (one,) in connection.execute(names, (number,))]),
            _draws(connection, number),
            _text((connection.execute(stage, (number,)).fetchone() or ("",))[0]),
            connection.execute(rulings, (number,)).fetchone()[0],
            head(connection, number),
        )


def named_row(connection: sqlite3.Connection, query: str, *words: object) -> sqlite3.Row | None:
    """The first row of a query, with the names of its columns."""
    cursor = connection.execute(query, words)
    cursor.row_factory = sqlite3.Row
    found: sqlite3.Row | None = cursor.fetchone()
    return found


def tournament_in(row: sqlite3.Row) -> Tournament:
    """What the public may see of a row, as the store gives it."""
    shown = _flag(row["revealed"])
    settings = json.loads(row["settings"])
    if not isinstance(settings, dict):
        raise TypeError("settings are an object")
    return Tournament(
        id=_number(row["id"]),
        name=_text(row["name"]),
        game=_text(row["game"]),
        game_version=_text(row["game_version"]),
        players=_number(row["players"]),
        settings=settings,
        state=TournamentState(row["state"]),
        commitment=_text(row["commitment"]),
        root=_bytes(row["root"]) if shown else None,
        repeatable=row["seed_text"] is not None and row["salt"] is None,
        seed_text=_text(row["seed_text"]) if shown and row["seed_text"] is not None else None,
        salt=_bytes(row["salt"]) if shown and row["salt"] is not None else None,
        created=_number(row["created"]),
        started=None if row["started"] is None else _number(row["started"]),
        finished=None if row["finished"] is None else _number(row["finished"]),
    )


def _draws(connection: sqlite3.Connection, number: int) -> tuple[NonceDraw, ...]:
    query = (
        "SELECT draw, first_ordinal, name, commitment, nonce FROM nonces JOIN entrants ON entrants.id = entrant_id "
        "WHERE nonces.tournament_id = ? ORDER BY draw, position"
    )
    return tuple(
        NonceDraw(_number(draw), _number(first), tuple(DrawnNonce(*map(_text, texts)) for _, _, *texts in group))
        for (draw, first), group in groupby(connection.execute(query, (number,)), key=lambda row: row[:2])
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _number(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError("not a number")
    return value


def _flag(value: object) -> bool:
    if value not in (0, 1):
        raise ValueError("neither yes nor no")
    return bool(value)


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError("not bytes")
    return value


def _kept_table(db: str, name: str) -> dict[str, Any] | None:
    with reading(db) as connection:
        number = None if connection is None else _meant(connection, name)
        if connection is None or number is None:
            return None
        columns = ", ".join(("tournament_id", "kind", *NOTED, "sha256", "body"))
        query = f"SELECT {columns} FROM snapshots WHERE tournament_id = ? AND kind = ? AND settings = ?"
        cursor = connection.execute(query, (number, SnapshotKind.TABLE.value, TABLE_SETTINGS))
        cursor.row_factory = sqlite3.Row
        for row in cursor:
            value = value_in(row["body"]) if digest_of(row, row["body"]) == row["sha256"] else None
            if isinstance(value, dict) and value["head"] == head(connection, number)._asdict():
                return value
    return None


@contextmanager
def reading(db: str) -> Iterator[sqlite3.Connection | None]:
    """One moment of a file that this program knows, or None."""
    if "://" in db or "\0" in db or not os.path.isfile(db):
        yield None
        return
    with closing(sqlite_to_read(os.path.abspath(db), TIMEOUT)) as connection:
        connection.execute("PRAGMA query_only = ON")
        connection.execute("BEGIN")
        there = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (VERSION_TABLE,)).fetchone()[0]
        known = there and connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone()
        yield connection if known and known[0] == REVISIONS[-1] else None


def _named(connection: sqlite3.Connection, name: str) -> tuple[int, str] | None:
    found: tuple[int, str] | None = connection.execute(
        "SELECT id, state FROM tournaments WHERE name = ?", (name,)
    ).fetchone()
    return found


def _meant(connection: sqlite3.Connection, name: str) -> int | None:
    """The number of the tournament of that name, or without one of the newest; None if it or any is being played."""
    over = (TournamentState.FINISHED.value, TournamentState.CANCELLED.value)
    if name:
        found = _named(connection, name)
        return found[0] if found is not None and found[1] in over else None
    every = connection.execute("SELECT id, state FROM tournaments ORDER BY id").fetchall()
    if not every or any(state == TournamentState.RUNNING.value for _, state in every):
        return None
    number, state = every[-1]
    return int(number) if state in over else None


def head(connection: sqlite3.Connection, chain: int) -> ChainHead:
    """Where a hash chain stands."""
    query = "SELECT number, hash FROM journal WHERE chain = ? ORDER BY number DESC LIMIT 1"
    return ChainHead.after(connection.execute(query, (chain,)).fetchone())
