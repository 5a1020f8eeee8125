"""Fresh databases in the process of the tests: the first is migrated, the others repeat what the migrations said to it.

To go through all migrations takes most of the time that a small test with a database takes. A process of its own, such
as a server that a test starts, migrates as always, and so does `store/test_migrations.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, event, inspect

from referee.store import migrate

Statements = list[tuple[str, Any]]
READING = ("SELECT", "PRAGMA")


def repeating(upgrade: Callable[..., None]) -> Callable[..., None]:
    """The same as `upgrade`, quicker: per kind of database, it runs the migrations once from nothing to the newest."""
    said: dict[str, Statements] = {}

    def upgraded(connection: Connection, revision: str = "head") -> None:
        if revision != "head" or inspect(connection).get_table_names():
            upgrade(connection, revision)
            return
        kind = connection.dialect.name
        if kind not in said:
            said[kind] = recorded(connection, lambda: upgrade(connection))
            return
        for statement, parameters in said[kind]:
            connection.exec_driver_sql(statement, parameters or None)

    return upgraded


def recorded(connection: Connection, work: Callable[[], None]) -> Statements:
    """What a piece of work says to the database, questions left out."""
    heard: Statements = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if not statement.lstrip().upper().startswith(READING):
            heard.append((statement, parameters))

    event.listen(connection, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(connection, "before_cursor_execute", note)
    return heard


@pytest.fixture(scope="session", autouse=True)
def fresh_databases() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrate, "upgrade", repeating(migrate.upgrade))
        yield
