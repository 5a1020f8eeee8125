"""Damaged rows: every row that is read is compared with its table, and a wrong one is named in a sentence.

SQLite keeps whatever is written into a column: a text where a number belongs, nothing where something must be. Such a
row comes from a failing disk or from a hand in the file. Unseen, it would surface elsewhere as an error about types.
"""

from __future__ import annotations

import json
from functools import cache
from reprlib import Repr
from typing import Any

from sqlalchemy import JSON, Boolean, Integer, LargeBinary, Table

from referee.store.errors import DamagedRow

_SHOWN = Repr()
_SHOWN.maxstring = _SHOWN.maxother = _SHOWN.maxlong = 60
Kinds = tuple[tuple[str, tuple[type, ...], bool], ...]


class UnreadableColumn:
    """What stands in a column of JSON and is none."""

    def __init__(self, text: Any) -> None:
        self._text = text

    def __repr__(self) -> str:
        return _SHOWN.repr(self._text)


def read_json(text: Any) -> Any:
    """The value of a column of JSON, or an `UnreadableColumn`, which no row may hold."""
    try:
        return json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return UnreadableColumn(text)


def sound(table: Table, row: Any) -> Any:
    """The same row, if it can be one of this table; DamagedRow says which row and column is wrong."""
    values = row._mapping
    for name, kinds, may_be_missing in _kinds(table):
        value = values.get(name)
        if value is None:
            if may_be_missing or name not in values:
                continue
        elif isinstance(value, kinds) and (value.__class__ is not bool or bool in kinds):
            continue
        raise damaged(table, row, name, value)
    return row


def damaged(table: Table, row: Any, column: str, value: Any) -> DamagedRow:
    """The error about a row whose column holds this value."""
    key = ", ".join(f"{one.name} {_SHOWN.repr(row._mapping.get(one.name))}" for one in table.primary_key)
    return DamagedRow(
        f"the database is damaged: in the table {table.name}, the row with {key} has {column} "
        f"{_SHOWN.repr(value)}; restore it from a copy"
    )


@cache
def _kinds(table: Table) -> Kinds:
    return tuple((column.name, _kind(column.type), bool(column.nullable)) for column in table.columns)


def _kind(declared: Any) -> tuple[type, ...]:
    if isinstance(declared, JSON):
        return (dict,)
    if isinstance(declared, LargeBinary):
        return (bytes, memoryview)
    if isinstance(declared, Boolean):
        return (bool,)
    return (int,) if isinstance(declared, Integer) else (str,)
