"""Admission control: how many bot processes this machine may start and run at once, from its cores and its memory.

Without a bound, a tournament in fresh processes would start all of them together: none would be there in time, and each
would be blamed for what the machine could not do. `of_this_machine` says what fits, `share_out` divides it among
workers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

LASTING_PER_CORE = 64
"""Bots that stay from match to match: most of them wait, and need memory rather than a core."""
FRESH_PER_CORE = 8
"""Bots that are started for one match: all of them start or play."""
USUAL_HOLD = 64 << 20
"""Bytes that are reckoned for a bot which asks for no memory of its own; a Python bot holds about 20 MB."""
FOR_BOTS = 0.8
"""The part of the free memory that bots may fill."""
PLENTY = 1 << 62


@dataclass(frozen=True, slots=True)
class Capacity:
    """Bot processes at once, on the whole machine."""

    running: int
    starting: int
    """Of these, between their start and their hello."""


@dataclass(frozen=True, slots=True)
class WorkerShare:
    """What each of a number of workers may do."""

    workers: int
    running: int
    starting: int
    matches: int | None = None
    """Matches at once over all workers; None if the number of processes sets no limit to it."""


def of_this_machine(asked: Iterable[int | None], *, fresh: bool) -> Capacity:
    """What fits now. `asked` is the memory each bot asks for; `fresh`: every match starts processes of its own."""
    cores = cores_at_hand()
    hold = max((memory or USUAL_HOLD for memory in asked), default=USUAL_HOLD)
    fits = int(memory_at_hand() * FOR_BOTS) // hold
    return Capacity(max(1, min(fits, cores * (FRESH_PER_CORE if fresh else LASTING_PER_CORE))), cores)


def share_out(
    capacity: Capacity, workers: int, bots: int, seats: int, *, fresh: bool, matches: int | None = None
) -> WorkerShare:
    """Divide a machine among workers, each of which hosts the same bots; `seats` is the most of them in one match.

    With `matches`, no more fresh processes run than so many matches need. A worker has room for at least one match.
    There are fewer workers than wanted if each can then keep all its bots.
    """
    need = min(seats, bots)
    if need == 0:
        return WorkerShare(workers, 1, 1)
    running = max(capacity.running, need)
    if fresh and matches is not None:
        running = min(running, matches * need)
    keeps_all = not fresh and bots <= running
    workers = min(workers, running // (bots if keeps_all else need))
    each = running // workers
    return WorkerShare(
        workers,
        each,
        max(1, capacity.starting // workers),
        None if keeps_all else workers * (each // need),
    )


def cores_at_hand() -> int:
    """Cores this process may use: those it may run on, or fewer if a cgroup grants less processor time."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for folder in _cgroups("cpu"):
        quota, period = _numbers(folder / "cpu.max", 2) or (
            *(_numbers(folder / "cpu.cfs_quota_us", 1) or (PLENTY,)),
            *(_numbers(folder / "cpu.cfs_period_us", 1) or (1,)),
        )
        if quota > 0 and period > 0:
            cores = min(cores, max(1, quota // period))
    return cores


def memory_at_hand() -> int:
    """Bytes that programs may still take: what the kernel calls available, or less if a cgroup grants less."""
    free = PLENTY
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    free = int(line.split()[1]) << 10
    except OSError:  # not Linux: only the cores are counted
        return free
    for folder in _cgroups("memory"):
        for most, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
            limit, now = _numbers(folder / most, 1), _numbers(folder / used, 1)
            if limit and now:
                free = min(free, max(0, limit[0] - now[0]))
    return free


def _cgroups(controller: str) -> list[Path]:
    """The folders of the cgroups this process is in, version 2 and version 1, innermost first."""
    try:
        lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        _, controllers, name = line.split(":", 2)
        if controllers and controller not in controllers.split(","):
            continue
        top = Path("/sys/fs/cgroup", controllers and controller)
        inner = top / name.lstrip("/")
        found += [inner, *(folder for folder in inner.parents if folder.is_relative_to(top))]
    return found


def _numbers(path: Path, count: int) -> tuple[int, ...] | None:
    """The first numbers of a file; None if there is no such file, or no limit in it ("max")."""
    try:
        words = path.read_text(encoding="ascii").split()[:count]
        return tuple(int(word) for word in words) if len(words) == count else None
    except (OSError, ValueError):
        return None
