"""The lock of a database: one server owns it at a time. The operating system holds the lock, so a crash releases it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from pathlib import Path
from typing import ClassVar

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from referee.store.address import Address
from referee.store.engines import translate_errors
from referee.store.errors import AlreadyOwned, StoreError, fault_of_file
from referee.store.file_rights import PRIVATE

OWNER_LOCK = "1919247974, hashtext(current_schema())"
"""The key of the advisory lock that the server holds in PostgreSQL: one per schema."""

RELEASE_SECONDS = 4.0
"""How long a held lock is waited for: PostgreSQL notices a killed owner only when it looks at its connection."""

RETRY_SECONDS = 0.1


class Ownership:
    """The right to run a server on one database; refused while another process has it."""

    def __init__(self, address: Address, owner: str) -> None:
        self._file: _LockFile | None = None
        self._connection: Connection | None = None
        self._engine: Engine | None = None
        if address.path is not None:
            self._file = _LockFile(address.path, owner)
        else:
            self._lock_server(address)

    def release(self) -> None:
        if self._file is not None:
            self._file.release()
        if self._connection is not None and self._engine is not None:
            # Said before the connection is closed: the database server notices a closed connection a little later.
            with contextlib.suppress(SQLAlchemyError, StoreError):
                self._connection.exec_driver_sql(f"SELECT pg_advisory_unlock({OWNER_LOCK})")
            self._connection.close()
            self._engine.dispose()

    def renew(self, address: Address) -> None:
        """See that the lock is still held: PostgreSQL forgets it with the connection, when it is started again.

        AlreadyOwned if another server has taken it meanwhile.
        """
        if self._file is not None:
            return
        connection, engine = self._connection, self._engine
        if connection is not None and engine is not None:
            try:
                connection.exec_driver_sql("SELECT 1")
                return
            except (SQLAlchemyError, StoreError):
                # Let go of first: if there is no other to be had yet, this is asked again later.
                self._connection = self._engine = None
                with contextlib.suppress(SQLAlchemyError, StoreError):
                    connection.invalidate()
                    connection.close()
                engine.dispose()
        self._lock_server(address)

    def _lock_server(self, address: Address) -> None:
        assert address.url is not None
        # A connection of its own: the lock lives as long as the connection does.
        engine = create_engine(
            address.url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 10}
        )

        translate_errors(engine, address)
        connection = engine.connect()
        give_up = time.monotonic() + RELEASE_SECONDS
        while not connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({OWNER_LOCK})").scalar_one():
            if time.monotonic() >= give_up:
                connection.close()
                engine.dispose()
                raise AlreadyOwned(_already(str(address), ""))
            time.sleep(RETRY_SECONDS)
        self._engine, self._connection = engine, connection


class _LockFile:
    """A lock on `<database>-owner`; a record lock, because a forked child must not keep it alive."""

    _held: ClassVar[set[str]] = set()
    _guard = threading.Lock()

    def __init__(self, database: Path, owner: str) -> None:
        # Record locks do not exclude within one process, and closing any descriptor drops them: count them here.
        self._key = os.path.realpath(database)
        self._path = f"{self._key}-owner"
        with self._guard:
            if self._key in self._held:
                raise AlreadyOwned(_already(str(database), f"{owner} of this process"))
            self._descriptor = self._acquire(database)
            self._held.add(self._key)
        with contextlib.suppress(OSError):  # a umask may have taken the owner's rights too; a stranger's file stays
            os.fchmod(self._descriptor, PRIVATE)
        try:
            os.truncate(self._descriptor, 0)
            os.write(self._descriptor, f"{owner}, process {os.getpid()}".encode())
        except OSError as error:  # a full disk: the database could not be written either
            self.release()
            raise fault_of_file(error, str(database)) from error

    def _acquire(self, database: Path) -> int:
        while True:
            try:
                descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
            except OSError as error:
                raise fault_of_file(error, str(database)) from error
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                holder = os.read(descriptor, 200).decode("utf-8", "replace")
                os.close(descriptor)
                raise AlreadyOwned(_already(str(database), holder)) from None
            try:
                # The last owner removes the file; a lock on a removed file protects nothing.
                if os.fstat(descriptor).st_ino == os.stat(self._path).st_ino:
                    return descriptor
            except FileNotFoundError:
                pass
            os.close(descriptor)

    def release(self) -> None:
        with self._guard:
            if self._key not in self._held:
                return
            self._held.discard(self._key)
            # Removed while still locked: a process that waits for it sees that its file is gone and makes a new one.
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            os.close(self._descriptor)


def _already(where: str, holder: str) -> str:
    by = f" ({holder})" if holder else ""
    return (
        f"a server is already running on {where}{by}: stop it first, ask it instead with --server HOST:PORT, "
        "or choose another database"
    )
