"""Facts about an installation, written as older releases did, with an entry in the journal."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert

from referee.store import Store, journal
from referee.store import tables as t


def set_fact(store: Store, key: str, value: str | None) -> None:
    """Note a fact in place of the former one; None forgets it."""
    connections = store._connections
    now = connections.now()

    def work(connection: Connection) -> None:
        connection.execute(delete(t.meta).where(t.meta.c.key == key))
        if value is not None:
            connection.execute(insert(t.meta).values(key=key, value=value))
        journal.append(connection, journal.INSTALLATION, [journal.entry("fact", now, key=key, value=value)])

    connections.write(work)
