"""File permissions of a database: it is created for its owner only, for it holds the deals of running tournaments.

SQLite gives its `-wal`, `-shm` and `-journal` files the rights of the database. A file that others may read is used as
it is, as it may be shared on purpose, and the commands that write to it say so.
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from pathlib import Path

from referee.store.errors import fault_of_file

PRIVATE = 0o600
OTHERS = 0o066
"""Reading and writing, by the group and by all others."""


def create_private(path: Path) -> bool:
    """Create an empty file for its owner only, under any umask; False if there is one already."""
    try:
        # Through a link that leads nowhere yet, as SQLite does it.
        descriptor = os.open(os.path.realpath(path), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE)
    except FileExistsError:
        return False
    except OSError as error:
        raise fault_of_file(error, str(path)) from error
    try:
        # A umask may have taken the owner's rights too; a file system without rights has none to give.
        with suppress(OSError):
            os.fchmod(descriptor, PRIVATE)
    finally:
        os.close(descriptor)
    return True


def exposure(path: Path) -> str | None:
    """A sentence for the host if others can read or change the file, with what to type; None if they cannot."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return None
    if not mode & OTHERS:
        return None
    there = [each for suffix in ("", "-wal", "-shm") if os.path.exists(each := f"{path}{suffix}")]
    return (
        f"others can read {path}, and so the secret deals of its tournaments: "
        f"chmod go-rwx {' '.join(shlex.quote(each) for each in there)}"
    )
