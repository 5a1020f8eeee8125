"""The errors of the store, each as one sentence that says what to do.

`StoreError` and its kinds mean that the environment failed: a file, a disk, a server. `Refused` and its kinds
mean that the caller asked for something that cannot be: a name that is taken, a match that does not exist.
"""

from __future__ import annotations

import errno
import os

from referee.descriptors import are_exhausted


class StoreError(Exception):
    """The database cannot be used as it is; nothing in it was changed."""


class NewerSchema(StoreError):
    """The database was written by a newer Referee."""


class UnknownSchema(StoreError):
    """The database says it has a schema that neither this nor a newer Referee can have made."""


class Locked(StoreError):
    """Another program holds the database's write lock."""


class AlreadyOwned(StoreError):
    """A server is running on this database."""


class ReadOnly(StoreError):
    """The file, its folder or the PostgreSQL role does not allow writing."""


class NotADatabase(StoreError):
    """The file is corrupt or is something else."""


class DamagedRow(NotADatabase):
    """A row of the database holds what its table cannot hold."""


class ForeignDatabase(StoreError):
    """The database belongs to another program."""


class DiskFull(StoreError):
    """There is no room left to write."""


class MissingFolder(StoreError):
    """The folder of the database file does not exist."""


class NoDatabase(StoreError):
    """There is no database at this address."""


class MissingDriver(StoreError):
    """The Python package for PostgreSQL is not installed, or this Python's SQLite is too old."""


class Unreachable(StoreError):
    """The database cannot be opened or its server does not answer."""


class NoDescriptors(StoreError):
    """No further file or socket can be opened at the moment: worth waiting for."""


class FileGone(StoreError):
    """The file of the database was removed or replaced while it was in use."""


class StoreClosed(StoreError):
    """The store was closed."""


PASSWORD = "~/.pgpass or PGPASSWORD"
"""Where libpq looks for a password that stands on no command line."""
PASSING = (Locked, Unreachable)
"""Faults that may pass by themselves: another program lets go of its lock, a database server is started again."""


class Refused(ValueError):
    """The request cannot be granted; nothing was changed."""


class BadAddress(Refused):
    """The text is neither a file path nor a database URL this program knows."""


class NameTaken(Refused):
    """The name is already in use."""


class Unknown(Refused):
    """There is nothing by that name or number."""


def no_tournament(name: str) -> str:
    """The one sentence about a tournament that is not there."""
    return f"there is no tournament named {name}: 'referee tournament list' shows all"


class NotAllowed(Refused):
    """The present state does not allow it."""


class Outdated(NotAllowed):
    """What the request was worked out from has changed meanwhile: work it out again."""


def fault_of(error: BaseException, where: str) -> StoreError | None:
    """The environment's fault behind a driver's error, or None when the error is the statement's own."""
    driver = type(error).__module__.partition(".")[0]  # by name: whoever only knows these errors loads no driver
    if driver == "sqlite3":
        return _of_sqlite(error, where)
    if isinstance(error, OSError):
        return fault_of_file(error, where)
    if driver == "psycopg":
        return _of_postgres(error, where)
    return None


def fault_of_file(error: OSError, where: str) -> StoreError:
    """The fault behind a failed system call on a file beside the database."""
    if isinstance(error, FileNotFoundError):
        return MissingFolder(f"the folder of {where} does not exist: create it first, or choose another path")
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return _no_descriptors(where)
    if isinstance(error, PermissionError) or error.errno == errno.EROFS:
        return _read_only(where)
    if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return _full(where)
    return Unreachable(f"cannot open {where} ({os.strerror(error.errno or 0)}): check the path and try again")


def _of_sqlite(error: BaseException, where: str) -> StoreError | None:
    name = getattr(error, "sqlite_errorname", None) or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return Locked(f"{where} is locked by another program: wait until it is done, or stop it, and try again")
    if name.startswith("SQLITE_READONLY") or name.startswith("SQLITE_PERM"):
        return _read_only(where)
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_FORMAT")):
        return NotADatabase(
            f"{where} is not a Referee database, or is damaged: restore it from a copy, or choose another file"
        )
    if name == "SQLITE_FULL":
        return _full(where)
    # SQLite does not say why it could not open a file, or could not have its memory shared.
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_IOERR_SHM")) and are_exhausted():
        return _no_descriptors(where)
    if name.startswith("SQLITE_CANTOPEN"):
        return Unreachable(f"cannot open {where}: check that the file and its folder may be read and written")
    if name.startswith("SQLITE_IOERR"):
        if any(word in name for word in ("WRITE", "SHMSIZE", "TRUNCATE", "FSYNC")):
            return _failed_write(where, name)
        return _disk_failed(where, name)
    return None


def _failed_write(where: str, name: str) -> StoreError:
    """Why SQLite could not write, which it does not say: the file system is asked once more, beside the database.

    A file-size limit and a full tmpfs surface as a failed write, not as SQLITE_FULL; so does a file system that has
    become read-only under an open file, as ext4 does by itself when its disk fails.
    """
    from tempfile import TemporaryFile  # loaded when it is needed: commands start at once

    try:
        with TemporaryFile(dir=os.path.dirname(os.path.abspath(where))) as beside:
            beside.write(bytes(4096))
            beside.flush()
            os.fsync(beside.fileno())
    except OSError as error:
        if error.errno == errno.EROFS:
            return _read_only(where)
        if error.errno in (errno.EIO, errno.ENODEV, errno.ENXIO):
            return _disk_failed(where, name)
    return _full(where)


def _of_postgres(error: BaseException, where: str) -> StoreError | None:
    state = getattr(error, "sqlstate", None)
    if state is None:
        if "invalid connection option" in str(error):  # a word in the query of the address that libpq does not know
            return Unreachable(f"cannot use {where} ({str(error).strip()}): check what stands behind the question mark")
        if type(error).__name__ not in ("OperationalError", "InterfaceError", "ConnectionTimeout"):
            return None
        lines = str(error).strip().splitlines() or ["no answer"]
        if any("does not exist" in line and "database" in line for line in lines):
            return NoDatabase(f"there is no database at {where}: create it (createdb), or check the name")
        if are_exhausted():
            return _no_descriptors(where)
        why = lines[-1].strip()
        if any(words in why for words in ("no password supplied", "authentication failed")):
            advice = f"check the user, and give the password in {PASSWORD}"
            return Unreachable(f"{where} does not let you in ({why}): {advice}")
        return Unreachable(f"cannot reach {where} ({why}): check the address and that it runs")
    if state == "55P03":
        return Locked(f"{where} is locked by another program: wait until it is done, or stop it, and try again")
    if state in ("25006", "42501"):
        return _read_only(where)
    if state in ("53100", "53200"):
        return _full(where)
    if state == "3D000":
        return NoDatabase(f"there is no database at {where}: create it (createdb), or check the name")
    if state.startswith(("08", "28", "53", "57P", "58")):
        reason = (str(error).strip().splitlines() or [state])[0]
        return Unreachable(f"cannot use {where} ({reason}): check the address, the role and that the server runs")
    return None


def _no_descriptors(where: str) -> NoDescriptors:
    return NoDescriptors(f"too many files are open to open {where}: raise the limit ('ulimit -n'), or open fewer")


def _read_only(where: str) -> ReadOnly:
    return ReadOnly(f"{where} is read-only: make the file and its folder writable, or choose another one")


def _disk_failed(where: str, name: str) -> Unreachable:
    return Unreachable(f"the disk failed under {where} ({name}): check the disk, then try again")


def _full(where: str) -> DiskFull:
    return DiskFull(f"no room left to write {where}: free some disk space and start again; stored results are safe")
