"""The journal: a hash chain (tamper-evident log) over everything that is stored, in the order in which it is stored.

Every tournament has a chain of its own, under its number; chain 0 holds what belongs to none: bots, practice, facts. An
entry is appended in the transaction that stores what it tells, so the one is never there without the other.
`server/EXPORT.md` lists the kinds of entries, `journal_entry.py` has their text and hash. `referee verify` tells the
whole story again and compares every column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, select

from referee.chain_head import BEGINNING, ChainHead
from referee.store import tables as t
from referee.store.bulk import BulkInsert
from referee.store.journal_entry import INSTALLATION, JournalEntry, canonical, entry, link, schedule_line

__all__ = [
    "INSTALLATION",
    "Journal",
    "JournalEntry",
    "append",
    "append_all",
    "canonical",
    "entry",
    "link",
    "schedule_line",
]

PAGE = 2000
"""Entries read at a time."""
_LOCK = 0x7265
"""The first half of the key under which PostgreSQL lets one program at a time append to a chain."""

_LAST = (
    select(t.journal.c.number, t.journal.c.hash)
    .where(t.journal.c.chain == bindparam("chain"))
    .order_by(t.journal.c.number.desc())
    .limit(1)
)
_APPEND = BulkInsert(t.journal, ["chain", "number", "entry", "hash"])


def append(connection: Connection, chain: int, entries: Iterable[dict[str, Any]]) -> ChainHead | None:
    """Append entries to a chain, inside the caller's transaction; its head then, None if nothing was appended."""
    fresh = list(entries)
    if not fresh:
        return None
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%s, %s)", (_LOCK, chain))
    last = connection.execute(_LAST, {"chain": chain}).first()
    number, before = (-1, BEGINNING) if last is None else (last[0], last[1])
    rows = []
    for told in fresh:
        number += 1
        text = canonical({**told, "number": number})
        before = link(before, text)
        rows.append((chain, number, text, before))
    _APPEND.run(connection, rows)
    return ChainHead(number + 1, before)


def append_all(connection: Connection, entries: Iterable[tuple[int, dict[str, Any]]]) -> dict[int, ChainHead | None]:
    """Append entries of several chains, in each chain in the order given; the heads of these chains then."""
    by_chain: dict[int, list[dict[str, Any]]] = {}
    for chain, told in entries:
        by_chain.setdefault(chain, []).append(told)
    return {chain: append(connection, chain, several) for chain, several in by_chain.items()}


class Journal:
    """The chains of a store, to read."""

    def __init__(self, readers: Engine) -> None:
        self._readers = readers

    def head(self, chain: int) -> ChainHead:
        """How many entries a chain has, and the hash of the last one."""
        with self._readers.connect() as connection:
            last = connection.execute(_LAST, {"chain": chain}).first()
        return ChainHead.after(last)

    def read(self, chain: int, first: int = 0, limit: int | None = None) -> Iterator[JournalEntry]:
        """The entries of a chain in order, from a number on, at most so many. Their hashes are not checked here."""
        c = t.journal.c
        query = select(c.number, c.entry, c.hash).where(c.chain == chain).order_by(c.number)
        left = limit
        while left is None or left > 0:
            page = PAGE if left is None else min(PAGE, left)
            with self._readers.connect() as connection:
                rows = connection.execute(query.where(c.number >= first).limit(page)).all()
            for row in rows:
                yield JournalEntry(row.number, row.entry, row.hash)
            if len(rows) < page:
                return
            first = rows[-1].number + 1
            left = None if left is None else left - len(rows)

    def chains(self) -> set[int]:
        """The chains that have entries."""
        with self._readers.connect() as connection:
            return {row[0] for row in connection.execute(select(t.journal.c.chain).distinct())}
