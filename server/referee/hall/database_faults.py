"""Faults of the database in words for strangers, who need not know where it lies, and whether they pass by themselves.

The store's own sentence names the file or the server and says what to do: it is for the host and the log.
"""

from __future__ import annotations

import errno

from referee.store import PASSING, DiskFull, NoDescriptors, StoreClosed, StoreError
from referee.store.errors import fault_of_file

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EMFILE, errno.ENFILE)
"""Why a file that was sent cannot be written."""
_FULL = "the server has no room left to store this: tell the host"
_LATER = "the server cannot use its database at this moment: try again in a while"
_BROKEN = "the server cannot use its database: tell the host"


def passes(error: StoreError) -> bool:
    """Whether it is worth trying again before anybody has done something about it."""
    return isinstance(error, (*PASSING, NoDescriptors, StoreClosed))


def for_strangers(error: StoreError) -> str:
    """One sentence without any name of a file or a server."""
    if isinstance(error, DiskFull):
        return _FULL
    return _LATER if passes(error) else _BROKEN


def fault_of(error: BaseException) -> StoreError | None:
    """The fault of the store behind an error, also where files beside the database could not be written; else None."""
    if isinstance(error, StoreError):
        return error
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return fault_of_file(error, "what was sent" if error.filename is None else str(error.filename))
    return None
