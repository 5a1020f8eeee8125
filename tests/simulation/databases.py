"""Databases for thousands of simulated tournaments: the real tables and transactions, made once and opened quickly.

A new database is a copy of an empty one with all its tables. Engines are kept between processes of one tournament and
between tournaments, because SQLAlchemy compiles every statement anew for each. A commit does not wait for the disk: who
dies here is the program, never the machine.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

from sqlalchemy import Engine, event

from referee.store import Store, engines
from referee.store import store as store_module
from referee.store.address import Address


def new_database(path: Path) -> None:
    """An empty database at this place, in place of the one before."""
    for end in ("-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    path.write_bytes(_empty())
    path.chmod(0o600)


@contextmanager
def quick_databases() -> Iterator[None]:
    """Whoever opens a database meanwhile gets the engine that was made for its address before."""
    with (
        patch.object(store_module, "reader_engine", _reader_engine),
        patch.object(store_module, "writer_engine", _writer_engine),
    ):
        yield


@cache
def _empty() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        Store.open(path).close()
        return path.read_bytes()


@cache
def _reader_engine(address: Address, timeout: float) -> Engine:
    return _hasty(engines.reader_engine, address, timeout)


@cache
def _writer_engine(address: Address, timeout: float) -> Engine:
    return _hasty(engines.writer_engine, address, timeout)


def _hasty(make: Callable[[Address, float], Engine], address: Address, timeout: float) -> Engine:
    engine = make(address, timeout)

    @event.listens_for(engine, "connect")
    def connected(connection: sqlite3.Connection, record: object) -> None:
        connection.execute("PRAGMA synchronous = OFF")

    return engine
