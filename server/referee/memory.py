"""Memory of this process (RSS): how much it holds, and giving back to the system what is free."""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> int:
    """Megabytes of memory that this process holds; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * PAGE >> 20
    except OSError:
        return 0


def give_back() -> None:
    """Have the allocator return free memory to the system, where it can (glibc)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
