"""Database engines: one connection that writes, a few that can only read.

A connection opens all files it needs when it is made, so that no descriptor is needed in the middle of its
work; a server makes all of them at its start (`fill`). Where no descriptor is left to make one, it waits.

Every write transaction excludes every other from its first statement on: `BEGIN IMMEDIATE` in SQLite, an advisory
lock in PostgreSQL. So a unit of work may look first and write afterwards without losing an update.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.pool import QueuePool

from referee.store.address import Address
from referee.store.damage import read_json
from referee.store.errors import NoDescriptors, fault_of
from referee.store.gone_file import OpenedFile
from referee.store.sqlite_files import connected, open_all, sqlite_to_read

T = TypeVar("T")
WRITE_LOCK = "1919247973, hashtext(current_schema())"
"""The key of the advisory lock that every write transaction in PostgreSQL takes: one per schema."""

READERS = 8
"""Connections that read: as many threads may read at a time, the others wait for one of them."""
PATIENCE = 60.0
LOOK_AGAIN = 0.1
"""How long a new connection waits for a descriptor, and how often it tries."""


def writer_engine(address: Address, timeout: float) -> Engine:
    """The engine with the single connection that may write; `timeout` bounds the wait for other programs."""
    if address.path is not None:
        path = os.fspath(address.path)
        file = OpenedFile(path)

        def connect() -> sqlite3.Connection:
            connection = connected(f"file:{quote(path)}?mode=rwc", timeout)
            connection.execute("PRAGMA journal_mode = WAL")
            open_all(connection)
            # A result that was acknowledged survives a power cut, not only a crash of the program.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            file.opened()
            return connection

        engine = _sqlite_engine(_patient(connect, address), connections=1)
        event.listen(engine, "begin", lambda connection: file.check(connection.connection.driver_connection))
        _begin_with(engine, "BEGIN IMMEDIATE")
    else:
        engine = _postgres(address, f"-c lock_timeout={int(timeout * 1000)}", pool_size=1)
        _begin_with(engine, f"SELECT pg_advisory_xact_lock({WRITE_LOCK})")
    translate_errors(engine, address)
    return engine


def reader_engine(address: Address, timeout: float) -> Engine:
    """The engine whose connections cannot write; each of its transactions sees one moment."""
    if address.path is not None:
        path = os.fspath(address.path)

        def connect() -> sqlite3.Connection:
            connection = sqlite_to_read(path, timeout)
            connection.execute("PRAGMA query_only = ON")
            return connection

        engine = _sqlite_engine(_patient(connect, address), connections=READERS)
        _begin_with(engine, "BEGIN")
    else:
        engine = _postgres(address, "-c default_transaction_read_only=on", pool_size=READERS).execution_options(
            isolation_level="REPEATABLE READ"
        )
    translate_errors(engine, address)
    return engine


def fill(engine: Engine, count: int) -> None:
    """Make so many connections now, to be kept."""
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(engine.connect())


def translate_errors(engine: Engine, address: Address) -> None:
    """Let the engine raise the environment's faults as `StoreError`; other errors stay the driver's."""
    where = str(address)

    @event.listens_for(engine, "handle_error")
    def handle(context: ExceptionContext) -> None:
        fault = fault_of(context.original_exception, where)
        if fault is not None:
            raise fault from context.original_exception


def _sqlite_engine(creator: Callable[[], sqlite3.Connection], connections: int) -> Engine:
    return create_engine(
        "sqlite://",
        creator=creator,
        poolclass=QueuePool,
        pool_size=connections,
        max_overflow=0,
        json_deserializer=read_json,
    )


def _patient(connect: Callable[[], T], address: Address) -> Callable[[], T]:
    """Make a connection; as long as no descriptor is left for it, wait and try again."""
    where = str(address)

    def patiently() -> T:
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return connect()
            except Exception as error:
                if not isinstance(fault_of(error, where), NoDescriptors) or time.monotonic() > until:
                    raise
            time.sleep(LOOK_AGAIN)

    return patiently


def _postgres(address: Address, options: str, pool_size: int) -> Engine:
    assert address.url is not None
    given = address.url.query.get("options")
    if isinstance(given, str):
        options = f"{given} {options}"
    engine = create_engine(
        address.url.difference_update_query(["options"]),
        connect_args={"options": options, "connect_timeout": 10},
        pool_size=pool_size,
        max_overflow=0,
        pool_pre_ping=True,
    )

    @event.listens_for(engine, "do_connect")
    def connect(dialect: Any, record: Any, arguments: Any, options: Any) -> Any:
        return _patient(lambda: dialect.connect(*arguments, **options), address)()

    return engine


def _begin_with(engine: Engine, statement: str) -> None:
    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(statement)
