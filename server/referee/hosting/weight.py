"""How much a bot weighs: the memory and processor time of a program and of everything it has started.

Read from /proc, which also shows what runs inside a sandbox. Elsewhere than on Linux everything weighs nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Weight:
    processes: int = 0
    memory: int = 0
    """Bytes in memory that are the program's own: without program files, which all bots share."""
    seconds: float = 0.0
    """Processor time of those that still run, and of their children that have ended."""


def weigh(pid: int) -> Weight:
    """The weight of a process and all its descendants."""
    processes, memory, ticks = 0, 0, 0
    found = [pid]
    seen = {pid}
    while found:
        one = found.pop()
        try:
            with open(f"/proc/{one}/statm", "rb") as file:
                _, resident, shared, *_ = file.read().split()
            with open(f"/proc/{one}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue  # it has just ended
        processes += 1
        memory += (int(resident) - int(shared)) * PAGE
        ticks += sum(int(field) for field in fields[11:15])
        for child in _children(one):
            if child not in seen:
                seen.add(child)
                found.append(child)
    return Weight(processes, memory, ticks / TICKS)


def _children(pid: int) -> list[int]:
    children: list[int] = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return children
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                children += [int(word) for word in file.read().split()]
        except OSError:
            continue
    return children
