"""Servers that run on this machine, found among its processes, for commands that were meant for one of them.

A server keeps the lock file of its database open (`store/owner.py`), and its command line says `referee serve`.
Processes of other users can be looked into by root only; what cannot be seen is passed over.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

LOCK = "-owner"
"""What the name of a lock file ends with."""
LISTENS = "0A"
"""The state of a listening socket in /proc/net/tcp."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    """One process that serves."""

    process: int
    database: str | None
    """The path of its database; None if it cannot be seen, or is no file."""
    port: int | None
    """The port it listens on; None if it cannot be told which."""


def running_servers(processes: Path = Path("/proc")) -> list[RunningServer]:
    """The servers of this machine that this user may know of."""
    try:
        numbers = sorted(int(entry.name) for entry in processes.iterdir() if entry.name.isdigit())
    except OSError:
        return []
    found = (_server(processes / str(number)) for number in numbers)
    return [server for server in found if server is not None]


def _server(process: Path) -> RunningServer | None:
    links = list(_open_files(process))
    database = next((path for path in map(_database, links) if path is not None), None)
    if database is None and not _says_serve(process):
        return None
    sockets = {match[1] for link in links if (match := re.fullmatch(r"socket:\[(\d+)\]", link))}
    ports = {port for name in ("tcp", "tcp6") for port in _listening(process / "net" / name, sockets)}
    return RunningServer(int(process.name), database, ports.pop() if len(ports) == 1 else None)


def _open_files(process: Path) -> Iterator[str]:
    with suppress(OSError):  # not ours, or gone meanwhile
        for descriptor in os.listdir(process / "fd"):
            with suppress(OSError):
                yield os.readlink(process / "fd" / descriptor)


def _database(link: str) -> str | None:
    """The database whose lock file this is, if a server holds it."""
    if not link.endswith(LOCK):
        return None
    with suppress(OSError):
        if Path(link).read_bytes()[:200].startswith(b"server,"):
            return link.removesuffix(LOCK)
    return None


def _says_serve(process: Path) -> bool:
    with suppress(OSError):
        words = (process / "cmdline").read_bytes().split(b"\0")
        return any(word.rpartition(b"/")[2] == b"referee" and after == b"serve" for word, after in pairwise(words))
    return False


def _listening(table: Path, sockets: set[str]) -> Iterator[int]:
    with suppress(OSError):
        for line in table.read_text("ascii", "replace").splitlines()[1:]:
            columns = line.split()
            if len(columns) > 9 and columns[3] == LISTENS and columns[9] in sockets:
                yield int(columns[1].rpartition(":")[2], 16)
