"""A Core statement compiled once and run for many rows.

SQLAlchemy builds the parameters of each row anew, a good part of what storing a result costs. Here the statement is
compiled once per dialect, and the rows go straight to the driver.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Insert, Update


class BulkStatement:
    """An insert or update whose values are all bind parameters; a row is a tuple in the order of `names`.

    Name the parameters in the order in which the statement has them: its values first, its conditions last.
    """

    def __init__(self, statement: Insert | Update, names: Sequence[str]) -> None:
        self._statement = statement
        self._names = tuple(names)
        self._compiled: dict[str, tuple[str, bool]] = {}

    def run(self, connection: Connection, rows: Sequence[tuple[Any, ...]]) -> None:
        if not rows:
            return
        kind = connection.dialect.name
        if kind not in self._compiled:
            self._compiled[kind] = self._compile(connection)
        sql, by_place = self._compiled[kind]
        if by_place:
            connection.exec_driver_sql(sql, list(rows))
        else:
            connection.exec_driver_sql(sql, [dict(zip(self._names, row, strict=True)) for row in rows])

    def _compile(self, connection: Connection) -> tuple[str, bool]:
        # Naming the columns makes an insert bind these alone; an update binds what its values name.
        columns = self._names if isinstance(self._statement, Insert) else None
        compiled = self._statement.compile(dialect=connection.dialect, column_keys=columns)
        order = getattr(compiled, "positiontup", None)
        if set(compiled.params) != set(self._names) or (order and tuple(order) != self._names):
            raise AssertionError(f"The statement binds {order or list(compiled.params)}, not {self._names}")
        return str(compiled), bool(order)
