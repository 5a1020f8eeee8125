"""Bulk inserts and updates: many rows in one SQL statement.

SQLAlchemy builds the parameters of each row anew, and drivers run a statement once per row: with SQLite, each row lets
go of the interpreter and waits for it again while the event loop wants it too. Here the text is put together once for
each number of rows, and its rows go to the driver at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, column, table, update

MOST_ROWS = 64
"""Rows in one statement, so that a handful of texts serves any number of them."""


class BulkInsert:
    """Inserts rows: tuples in the order of `names`."""

    def __init__(self, into: Table, names: Sequence[str]) -> None:
        columns = ", ".join(into.c[name].name for name in names)
        self._head = f"INSERT INTO {into.name} ({columns}) VALUES "
        self._width = len(names)

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        _run(connection, self._head, "", self._width, rows)


class BulkUpdate:
    """Updates rows that are found by `keys`; a row given is a tuple of the keys and then of `values`.

    `fixed` are columns that get the same in every row.
    """

    def __init__(
        self,
        what: Table,
        keys: Sequence[str],
        values: Sequence[str],
        fixed: Mapping[str, ColumnElement[Any]] | None = None,
    ) -> None:
        given = table("given", *(column(name) for name in (*keys, *values)))
        statement = (
            update(what)
            .where(*(what.c[name] == given.c[name] for name in keys))
            .values({name: given.c[name] for name in values} | dict(fixed or {}))
        )
        self._head = f"WITH given ({', '.join((*keys, *values))}) AS (VALUES "
        self._tail = f") {statement}"
        self._width = len(keys) + len(values)

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        _run(connection, self._head, self._tail, self._width, rows)


def _run(connection: Connection, head: str, tail: str, width: int, rows: Sequence[tuple[Any, ...]]) -> None:
    mark = "?" if connection.dialect.paramstyle == "qmark" else "%s"
    one = f"({', '.join([mark] * width)})"
    for chosen in _pieces(rows):
        sql = f"{head}{', '.join([one] * len(chosen))}{tail}"
        connection.exec_driver_sql(sql, tuple(chain.from_iterable(chosen)))


def _pieces(rows: Sequence[tuple[Any, ...]]) -> list[Sequence[tuple[Any, ...]]]:
    """The rows in pieces of `MOST_ROWS`, the rest in powers of two: few lengths, so few texts to prepare."""
    pieces = []
    start = 0
    while (left := len(rows) - start) > 0:
        length = min(MOST_ROWS, 1 << (left.bit_length() - 1))
        pieces.append(rows[start : start + length])
        start += length
    return pieces
