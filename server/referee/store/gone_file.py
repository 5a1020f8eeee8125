"""A database file that is removed or replaced while it is in use: noticed before the next write, and rescued.

SQLite goes on writing to a file that has lost its name, and all of it is gone when the program ends. So every write
transaction looks first whether the path still leads to the file that was opened. If it does not, what was stored is
copied to a file beside it, and nothing more is written.
"""

from __future__ import annotations

import os
import sqlite3
from itertools import count

from referee.store.errors import FileGone
from referee.store.file_rights import PRIVATE


class OpenedFile:
    """The file that a writing connection has opened."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._opened: tuple[int, int] | None = None
        self._told: FileGone | None = None

    def opened(self) -> None:
        """A connection was made: from now on this is the file."""
        self._opened = _identity(self._path)

    def check(self, connection: sqlite3.Connection) -> None:
        """FileGone, with the place where everything was rescued to, if the path leads to another file, or to none."""
        if self._opened is None or _identity(self._path) == self._opened:
            return
        if self._told is None:
            what = f"{self._path} was removed or replaced by another file while it was in use"
            self._told = FileGone(f"{what}: {_rescued(connection, self._path)}")
        raise self._told


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _rescued(connection: sqlite3.Connection, path: str) -> str:
    """Copy all that is stored to a new file beside it; says what to do with that."""
    for number in count(1):
        target = f"{path}-rescued" if number == 1 else f"{path}-rescued-{number}"
        try:
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE))
        except FileExistsError:
            continue
        except OSError as error:
            return f"and it could not be copied ({error.strerror}); stop this program only when you have what it holds"
        break
    try:
        connection.execute("VACUUM INTO ?", (target,))
    except sqlite3.Error as error:
        os.unlink(target)
        return f"and it could not be copied ({error}); restore it from a backup"
    return f"all that was stored is in {target}; move that to where the database belongs and start again"
