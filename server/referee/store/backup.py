"""Backup of a database file: a consistent copy while a server writes to it, checked before it has its name."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from referee.store.address import Address, check_address
from referee.store.errors import ForeignDatabase, NotADatabase, Refused, fault_of, fault_of_file
from referee.store.file_rights import create_private
from referee.store.sqlite_files import sqlite_to_read

TIMEOUT = 5.0
"""Seconds for which a lock is waited for."""
PAGES = 2048
"""Pages copied at a time; between two of these a server's writer has its turn."""

WRITING = (
    "SQLITE_FULL",
    "SQLITE_READONLY",
    "SQLITE_IOERR_WRITE",
    "SQLITE_IOERR_FSYNC",
    "SQLITE_IOERR_TRUNCATE",
    "SQLITE_IOERR_SHM",
)
"""Errors that the copy has and not the database, which is only read."""


def back_up(address: Address, target: Path) -> int:
    """Copy the database to a new file, for its owner only; returns its bytes. A copy that does not hold is removed."""
    if address.path is None:
        raise Refused(
            "PostgreSQL makes its own copies: pg_dump --format=custom --file FILE DATABASE, and pg_restore to bring "
            "one back"
        )
    check_address(address, create=False)
    if target.exists():
        raise Refused(f"{target} exists already: name a new file")
    unfinished = target.with_name(f"{target.name}.unfinished")
    if not create_private(unfinished):
        raise Refused(f"{unfinished} exists: another copy is being made, or one was broken off; remove it")
    try:
        _copy(address.path, unfinished)
        os.link(unfinished, target)  # unlike a rename, this never replaces a file
        return target.stat().st_size
    except sqlite3.Error as error:
        written = (error.sqlite_errorname or "").startswith(WRITING)
        raise fault_of(error, str(target if written else address.path)) or error from error
    except FileExistsError:
        raise Refused(f"{target} exists already: name a new file") from None
    except OSError as error:
        raise fault_of_file(error, str(target)) from error
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            with suppress(OSError):
                os.unlink(f"{unfinished}{suffix}")


def _copy(source: Path, target: Path) -> None:
    with (
        closing(sqlite_to_read(str(source.resolve()), TIMEOUT)) as reading,
        closing(sqlite3.connect(target)) as writing,
    ):
        if reading.execute("SELECT 1 FROM sqlite_master WHERE name = 'tournaments'").fetchone() is None:
            raise ForeignDatabase(f"{source} is not a database of Referee's: name the one to copy with --db FILE")
        reading.backup(writing, pages=PAGES, sleep=0.01)
        writing.execute("PRAGMA journal_mode = DELETE")  # one file, nothing beside it
        (found,) = writing.execute("PRAGMA integrity_check(1)").fetchone()
        if found != "ok":
            raise NotADatabase(f"{source} is damaged ({found}): restore it from an earlier copy")
    descriptor = os.open(target, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
