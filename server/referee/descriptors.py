"""File descriptors (open files and sockets): raising the limit (`ulimit -n`), and telling when it is exhausted.

The usual soft limit of 1,024 is less than a well visited server needs; the hard limit, up to which a process may raise
it by itself, is usually far higher.
"""

from __future__ import annotations

import errno
import os
import resource
from contextlib import suppress

MOST = 65_536
"""More than this is of no use: what a process passes on to the bots it starts need not be without limit."""


def raise_limit() -> int:
    """Raise the soft limit as far as it goes; returns how many descriptors this process may have open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(MOST, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # not allowed here: what there is has to do
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return limit()


def limit() -> int:
    """How many descriptors this process may have open now."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else soft


def are_exhausted() -> bool:
    """Whether no further file can be opened, in this process or on this machine."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    return False
