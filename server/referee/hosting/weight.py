"""How much a bot weighs: the memory and processor time of a program and of everything it has started.

Read from /proc, which also shows what runs inside a sandbox. Elsewhere than on Linux everything weighs nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Weight:
    processes: int = 0
    memory: int = 0
    """Bytes in memory that are the program's own: without program files, which all bots share."""
    seconds: float = 0.0
    """Processor time of those that still run, and of their children that have ended."""
    family: frozenset[tuple[int, int]] = field(default=frozenset(), repr=False)
    """The processes, each as its id and when it started (ids are used again)."""


def weigh(pid: int, *, exact: bool = False) -> Weight:
    """The weight of a process and all its descendants.

    Memory that children share with their parent since a fork counts for each of them, which is quick; `exact` divides
    it among them, which takes the kernel a while.
    """
    memory, ticks = 0, 0
    family = set()
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
        family.add((one, int(fields[19])))
        own = _proportional(one) if exact else None
        memory += (int(resident) - int(shared)) * PAGE if own is None else own
        ticks += sum(int(value) for value in fields[11:15])
        for child in _children(one):
            if child not in seen:
                seen.add(child)
                found.append(child)
    return Weight(len(family), memory, ticks / TICKS, frozenset(family))


def alive(family: Iterable[tuple[int, int]]) -> bool:
    """Whether any process of a family still runs."""
    for pid, started in family:
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if int(fields[19]) == started and fields[0] not in (b"Z", b"X"):
            return True
    return False


def _proportional(pid: int) -> int | None:
    """Bytes of its own plus its part of what it shares; None if that may not be seen."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            for line in file:
                if line.startswith(b"Pss_Anon:"):
                    return int(line.split()[1]) << 10
    except OSError:
        return None
    return None


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
