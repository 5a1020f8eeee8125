"""Every column of every table, as the database holds it: for `referee verify`, which compares all of them.

Rows come as plain mappings, without the types of the models: a value that no program wrote must not be made to fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Engine, text

RawRow = Mapping[str, Any]
PAGE = 500


class EveryColumn:
    """The raw rows of a store."""

    def __init__(self, readers: Engine) -> None:
        self._readers = readers

    def rows(self, table: str, order: str) -> list[RawRow]:
        """All rows of a small table."""
        return self._select(f"SELECT * FROM {table} ORDER BY {order}", {})

    def tournament(self, number: int) -> RawRow | None:
        found = self._select("SELECT * FROM tournaments WHERE id = :number", {"number": number})
        return found[0] if found else None

    def entrants(self, tournament: int) -> list[RawRow]:
        """By position, with `bot_name` and `bot_kind` beside the columns."""
        return self._select(
            "SELECT entrants.*, bots.name AS bot_name, bots.kind AS bot_kind FROM entrants "
            "LEFT JOIN bots ON bots.id = entrants.bot_id WHERE tournament_id = :number ORDER BY position, entrants.id",
            {"number": tournament},
        )

    def nonces(self, tournament: int) -> list[RawRow]:
        return self._select("SELECT * FROM nonces WHERE tournament_id = :number ORDER BY id", {"number": tournament})

    def rounds(self, tournament: int) -> list[RawRow]:
        return self._select(
            "SELECT * FROM rounds WHERE tournament_id = :number ORDER BY number", {"number": tournament}
        )

    def rulings(self, tournament: int) -> list[RawRow]:
        return self._select(
            "SELECT * FROM rulings WHERE tournament_id = :number ORDER BY number", {"number": tournament}
        )

    def matches(self, tournament: int | None) -> Iterator[tuple[RawRow, list[RawRow], list[RawRow]]]:
        """Each match of a tournament, or of practice, with its seats and its record but for the body, by number."""
        which = "tournament_id IS NULL" if tournament is None else "tournament_id = :tournament"
        query = f"SELECT * FROM matches WHERE {which} AND id > :after ORDER BY id LIMIT {PAGE}"
        after = -(1 << 62)
        values = {} if tournament is None else {"tournament": tournament}
        while page := self._page(query, values | {"after": after}):
            after = page[-1][0]["id"]
            yield from page

    def _page(self, query: str, values: dict[str, Any]) -> list[tuple[RawRow, list[RawRow], list[RawRow]]]:
        """Matches with seats and records as they were at one moment: a match may end while they are read."""
        between = "WHERE match_id BETWEEN :first AND :last ORDER BY match_id"
        with self._readers.connect() as connection:
            found = _rows(connection, query, values)
            if not found:
                return []
            bounds = {"first": found[0]["id"], "last": found[-1]["id"]}
            seats: dict[int, list[RawRow]] = {}
            for seat in _rows(connection, f"SELECT * FROM seats {between}, seat", bounds):
                seats.setdefault(seat["match_id"], []).append(seat)
            records: dict[int, list[RawRow]] = {}
            columns = "match_id, sha256, size, packed_crc"
            for record in _rows(connection, f"SELECT {columns} FROM records {between}", bounds):
                records.setdefault(record["match_id"], []).append(record)
        return [(match, seats.get(match["id"], []), records.get(match["id"], [])) for match in found]

    def strays(self) -> list[str]:
        """Rows that belong to nothing: what a verification of tournaments one by one would pass over."""
        found = []
        for table, column, of in (
            ("entrants", "tournament_id", "tournaments"),
            ("nonces", "tournament_id", "tournaments"),
            ("rounds", "tournament_id", "tournaments"),
            ("rulings", "tournament_id", "tournaments"),
            ("snapshots", "tournament_id", "tournaments"),
            ("matches", "tournament_id", "tournaments"),
            ("seats", "match_id", "matches"),
            ("records", "match_id", "matches"),
            ("bot_logs", "match_id", "matches"),
        ):
            query = (
                f"SELECT DISTINCT {column} AS number FROM {table} WHERE {column} IS NOT NULL AND NOT EXISTS "
                f"(SELECT 1 FROM {of} WHERE {of}.id = {table}.{column}) LIMIT 1"
            )
            found += [
                f"{table} has a row of {column} {row['number']}, which is not there" for row in self._select(query, {})
            ]
        return found

    def damage(self) -> str | None:
        """What SQLite finds wrong with the file itself: pages, indexes, constraints. None if nothing, or elsewhere."""
        if self._readers.dialect.name != "sqlite":
            return None
        with self._readers.connect() as connection:
            for check in ("integrity_check", "foreign_key_check"):
                rows = connection.exec_driver_sql(f"PRAGMA {check}").all()
                if rows and rows[0][0] != "ok":
                    return f"{check}: {rows[0][0]}"
        return None

    def _select(self, query: str, values: dict[str, Any]) -> list[RawRow]:
        with self._readers.connect() as connection:
            return _rows(connection, query, values)


def _rows(connection: Connection, query: str, values: dict[str, Any]) -> list[RawRow]:
    return [dict(row._mapping) for row in connection.execute(text(query), values)]
