"""One control group (cgroup): the kernel's limits on processor time, memory and processes for one run of a bot.

A group has a folder of the same name in every hierarchy that is used (one in all with cgroup v2, one per controller
with v1). The limits are written before anything runs in it. A word of shell in front of the bot's command enters the
group and then becomes the command, so not one instruction of the bot runs outside.

The folders stay locked as long as the process lives that made them, however it ends. That is how the groups of a
killed referee are told from those in use (`clear_away`).
"""

from __future__ import annotations

import fcntl
import os
import secrets
import signal
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PREFIX = "referee-"
ENTER = 'while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done; shift; exec "$@"'
PERIOD = 100_000
"""Microseconds: within each of these a bot gets its share of processor time."""
TOGETHER = 2.0
"""The weight of a group, in processes of its niceness. The kernel divides it among the processors that the group's
processes are on: with the weight of one, a bot that is two programs and a pipe would wait longer than without a group.
"""
TRIES = 5
"""How often to create the folder again: another process may remove it as stale before it is locked."""


@dataclass(frozen=True, slots=True)
class CgroupLimits:
    """What the processes of a group may use together."""

    cores: float
    """0: as many as there are."""
    memory: int
    processes: int
    nice: int
    """Against processes outside. Inside a group the niceness of its processes counts only among themselves."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A folder below which groups may be made, and what can be limited there."""

    version: int
    base: Path
    controllers: frozenset[str]


class Group:
    """Limits for one run. `Group.make`, start the command behind `words`, `remove` until it says True."""

    def __init__(self, folders: tuple[tuple[Hierarchy, Path, int], ...]) -> None:
        """Each folder with its lock."""
        self._folders = folders
        self._removed = False

    @classmethod
    def make(cls, hierarchies: tuple[Hierarchy, ...], share: CgroupLimits) -> Group | None:
        """Made in every hierarchy that allows it and accepts the limits; None if none does."""
        folders = []
        for hierarchy in hierarchies:
            with suppress(OSError):
                folder, lock = _locked_folder(hierarchy.base)
                try:
                    _limit(hierarchy, folder, share)
                except OSError:  # more than the group above may use, for instance
                    os.rmdir(folder)
                    os.close(lock)
                else:
                    folders.append((hierarchy, folder, lock))
        return cls(tuple(folders)) if folders else None

    @property
    def held(self) -> frozenset[str]:
        """The controllers that limit what runs in it."""
        return frozenset(name for hierarchy, _, _ in self._folders for name in hierarchy.controllers)

    @property
    def words(self) -> tuple[str, ...]:
        """To be put in front of a command."""
        doors = [str(folder / "cgroup.procs") for _, folder, _ in self._folders]
        return ("/bin/sh", "-c", ENTER, "sh", *doors, "--")

    def seconds(self) -> float | None:
        """Processor time of everything that ever ran in it; None if it is not counted."""
        for hierarchy, folder, _ in self._folders:
            with suppress(OSError, ValueError):
                if hierarchy.version == 2:
                    return _field(folder / "cpu.stat", "usage_usec") / 1e6
                if "cpuacct" in hierarchy.controllers:
                    return int(_read(folder / "cpuacct.usage")) / 1e9
        return None

    def out_of_memory(self) -> bool:
        """Whether the kernel has ended a process of it for its memory."""
        for hierarchy, folder, _ in self._folders:
            if "memory" in hierarchy.controllers:
                with suppress(OSError, ValueError):
                    events = "memory.events" if hierarchy.version == 2 else "memory.oom_control"
                    return _field(folder / events, "oom_kill") > 0
        return False

    def remove(self) -> bool:
        """End what is left in it and clear it away; False: not all has ended yet, try again."""
        if self._removed:
            return True
        left = [not _cleared(folder) for _, folder, _ in self._folders]
        if any(left):
            return False
        for _, _, lock in self._folders:
            os.close(lock)
        self._removed = True
        return True


def clear_away(base: Path) -> None:
    """Remove the groups of processes that are gone."""
    for folder in base.glob(f"{PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _cleared(folder)
            finally:
                os.close(lock)


def write(file: Path, text: str) -> None:
    """In one system call, into a file that exists: the kernel wants it so."""
    opened = os.open(file, os.O_WRONLY)
    try:
        os.write(opened, text.encode())
    finally:
        os.close(opened)


def processes(folder: Path) -> list[int]:
    """The processes in a group, without those in its subgroups."""
    return [int(word) for word in (folder / "cgroup.procs").read_text().split()]


def _locked_folder(base: Path) -> tuple[Path, int]:
    for _ in range(TRIES):
        folder = base / f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        os.mkdir(folder)
        lock = -1
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.stat(folder).st_ino == os.fstat(lock).st_ino:
                return folder, lock
        except OSError:  # another process cleared it away before we had the lock
            pass
        if lock >= 0:
            os.close(lock)
    raise OSError(f"no group could be kept in {base}")


def _limit(hierarchy: Hierarchy, folder: Path, share: CgroupLimits) -> None:
    quota, weight = int(share.cores * PERIOD), TOGETHER / 1.25**share.nice
    limits: list[tuple[str, str, str]] = []
    if hierarchy.version == 2:
        limits += [("cpu", "cpu.max", f"{quota or 'max'} {PERIOD}")]
        limits += [("cpu", "cpu.weight", str(max(1, round(100 * weight))))]
        limits += [("memory", "memory.max", str(share.memory)), ("memory", "memory.swap.max", "0")]
        limits += [("memory", "memory.oom.group", "1")]
    else:
        limits += [("cpu", "cpu.cfs_period_us", str(PERIOD)), ("cpu", "cpu.cfs_quota_us", str(quota or -1))]
        limits += [("cpu", "cpu.shares", str(max(2, round(1024 * weight))))]
        limits += [("memory", "memory.limit_in_bytes", str(share.memory))]
        limits += [("memory", "memory.memsw.limit_in_bytes", str(share.memory))]
    limits += [("pids", "pids.max", str(share.processes))]
    for controller, file, text in limits:
        if controller in hierarchy.controllers:
            with suppress(FileNotFoundError):  # no swap, no weights: the kernel was built without
                write(folder / file, text)


def _cleared(folder: Path) -> bool:
    with suppress(OSError):
        write(folder / "cgroup.kill", "1")
    try:
        for pid in processes(folder):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _read(file: Path) -> bytes:
    with open(file, "rb", buffering=0) as opened:  # five times a second for every bot: no decoder, no buffer
        return opened.read()


def _field(file: Path, name: str) -> int:
    for line in _read(file).splitlines():
        word, _, value = line.partition(b" ")
        if word == name.encode():
            return int(value)
    raise ValueError(f"no {name} in {file}")
