"""Resource usage from /proc: memory and CPU time of a process and all its descendants.

/proc also shows what runs inside a sandbox. Elsewhere than on Linux nothing is measured, and all figures are 0.

Memory counts wherever the kernel keeps it for the bot: pages of its own, pages its processes share, the tables that map
them (a program may map far more than it holds), and, of a sandbox, the many small files and open sockets that belong to
no process (`kept_outside`).

Processor time as /proc tells it misses children that no process waits for: `processor_time.py` makes up for them.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

TICKS = os.sysconf("SC_CLK_TCK")
HELD = (b"RssAnon:", b"RssShmem:", b"VmPTE:")
TEMPORARY = ("tmp", "dev/shm")
FILE_BYTES = 1 << 10
"""What the kernel keeps for a file, however small."""
FREE_SOCKETS = 64
SOCKET_BYTES = 4 << 20
"""What may lie in the buffers of a socket; no bot needs many of them."""
FREE_DESCRIPTORS = 64
DESCRIPTOR_BYTES = 8 << 10
"""What the kernel may keep for an open file of a process, such as half a pipe, beyond those every process has."""


class BeyondBudget(Exception):
    """A measurement takes longer than it may."""


@dataclass(frozen=True, slots=True)
class Member:
    """One process of a bot."""

    own: float
    """Seconds of processor time it has used itself, all its threads together."""
    waited: float
    """Seconds its children had used, as far as they have ended and it has waited for them."""
    running: int = 0
    """How many of its threads are running or ready to run."""


@dataclass(frozen=True, slots=True)
class Usage:
    processes: int = 0
    memory: int = 0
    """Bytes in memory that are the program's own: without program files, which all bots share."""
    seconds: float = 0.0
    """Processor time of those that still run, and of their children that have ended and were waited for."""
    members: Mapping[tuple[int, int], Member] = field(default_factory=dict, repr=False)
    """The processes, each by its id and when it started (ids are used again)."""
    missed: int = 0
    """Processes that ended while they were being looked at."""

    @property
    def family(self) -> frozenset[tuple[int, int]]:
        return frozenset(self.members)


def measure(pid: int, *, exact: bool = False, until: float | None = None) -> Usage:
    """The usage of a process and all its descendants.

    Memory that children share with their parent since a fork counts for each of them, which is quick; `exact` divides
    it among them, which takes the kernel a while: `BeyondBudget` once this thread has used processor time `until` then.
    """
    memory, missed = 0, 0
    members: dict[tuple[int, int], Member] = {}
    found = [pid]
    seen = {pid}
    while found:
        one = found.pop()
        if until is not None and time.thread_time() > until:
            raise BeyondBudget
        try:
            with open(f"/proc/{one}/status", "rb") as file:
                status = file.read()
            with open(f"/proc/{one}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            missed += 1
            continue  # it has just ended
        part = _proportional(one) if exact else None
        memory += sum(_number(status, name) for name in HELD) << 10 if part is None else part
        memory += max(0, _number(status, b"FDSize:") - FREE_DESCRIPTORS) * DESCRIPTOR_BYTES
        children, running = _threads(one, fields[0])
        own, waited = (int(fields[11]) + int(fields[12])) / TICKS, (int(fields[13]) + int(fields[14])) / TICKS
        members[one, int(fields[19])] = Member(own, waited, running)
        for child in children:
            if child not in seen:
                seen.add(child)
                found.append(child)
    seconds = sum(member.own + member.waited for member in members.values())
    return Usage(len(members), memory, seconds, members, missed)


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


def kept_outside(family: Iterable[tuple[int, int]]) -> int:
    """Bytes that the kernel keeps for a sandbox but for none of its processes: small files, and sockets."""
    for pid, _ in family:
        try:
            files = sum(_files(f"/proc/{pid}/root/{folder}", f"/{folder}") for folder in TEMPORARY)
            with open(f"/proc/{pid}/net/sockstat", "rb") as file:
                sockets = int(file.readline().split()[2])
        except (OSError, _Outside):
            continue
        return files * FILE_BYTES + max(0, sockets - FREE_SOCKETS) * SOCKET_BYTES
    return 0


class _Outside(Exception):
    """This process is not inside the sandbox, or not yet."""


def _files(inside: str, outside: str) -> int:
    """How many files there are on the file system of a folder that has to be another than outside."""
    if os.stat(inside).st_dev == os.stat(outside).st_dev:
        raise _Outside
    room = os.statvfs(inside)
    return room.f_files - room.f_ffree


def _number(status: bytes, name: bytes) -> int:
    """A number in /proc/PID/status, of kilobytes or things; 0 where it is missing, as for a process that is ending."""
    begin = status.find(name)
    return int(status[begin + len(name) :].split(None, 1)[0]) if begin >= 0 else 0


def _proportional(pid: int) -> int | None:
    """Bytes of its own plus its part of what it shares; None if that may not be seen."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            rollup = file.read()
        with open(f"/proc/{pid}/status", "rb") as file:
            tables = _number(file.read(), b"VmPTE:")
    except OSError:
        return None
    return (_number(rollup, b"Pss_Anon:") + _number(rollup, b"Pss_Shmem:") + tables) << 10


def _threads(pid: int, state: bytes) -> tuple[list[int], int]:
    """The children of all threads of a process, and how many of the threads run; `state` is the first thread's."""
    children: list[int] = []
    running = 0
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return children, running
    for thread in threads:
        try:
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                children += [int(word) for word in file.read().split()]
            if len(threads) > 1:
                with open(f"/proc/{pid}/task/{thread}/stat", "rb") as file:
                    state = file.read().rpartition(b")")[2].split(None, 1)[0]
        except OSError:
            continue
        running += state == b"R"
    return children, running
