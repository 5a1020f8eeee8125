"""Connections to SQLite files, with the driver alone: nothing here needs SQLAlchemy."""

from __future__ import annotations

import os
import sqlite3
from urllib.parse import quote

from referee.descriptors import are_exhausted


def connected(uri: str, timeout: float) -> sqlite3.Connection:
    """A connection to the file that a URI names."""
    # isolation_level=None keeps the driver from opening transactions of its own, which lose updates.
    return sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)


def sqlite_to_read(path: str, timeout: float) -> sqlite3.Connection:
    """A connection that reads a file, also one that nobody can write to: a read-only medium, folder or file.

    SQLite wants to make files beside the database even to read it. Where it may not, and no log with further changes
    lies there, the file is all there is, and it is read as one that does not change.
    """
    uri = f"file:{quote(path)}?mode=ro"
    connection = connected(uri, timeout)
    try:
        open_all(connection)
    except sqlite3.OperationalError as error:
        connection.close()
        name = error.sqlite_errorname or ""
        unwritable = name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")) and not are_exhausted()
        if not unwritable or not os.access(path, os.R_OK) or _has_log(path):
            raise
        connection = connected(f"{uri}&immutable=1", timeout)
        open_all(connection)
    return connection


def _has_log(path: str) -> bool:
    try:
        return os.path.getsize(f"{path}-wal") > 0
    except OSError:
        return False


def open_all(connection: sqlite3.Connection) -> None:
    """Open the log beside the database now, and never a file for what is only passing."""
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
