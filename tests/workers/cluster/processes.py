"""Real processes of a cluster: a scheduler and workers started as a person would, which end with the test."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ...waiting import eventually

REFEREE = [sys.executable, "-m", "referee"]
SLOW_START = 600.0
"""Seconds for a process to start and connect: it imports dask, and a dozen of them may start together."""


class Started:
    """A process with its stderr in a file."""

    def __init__(self, words: Sequence[str], log: Path, within: Sequence[str] = ()) -> None:
        self.log = log
        with log.open("wb") as file:
            self.process = subprocess.Popen([*within, *words], stderr=file, stdout=subprocess.DEVNULL)

    def says(self, pattern: str) -> re.Match[str]:
        """Wait until it has said something, and return that."""
        eventually(lambda: self._found(pattern) or self.process.poll() is not None, SLOW_START, self.log.read_text)
        found = self._found(pattern)
        assert found is not None, self.log.read_text()
        return found

    def _found(self, pattern: str) -> re.Match[str] | None:
        return re.search(pattern, self.log.read_text())

    def kill(self) -> None:
        """As a machine that loses its power."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()


class RealCluster:
    """A scheduler on this machine, and its workers."""

    def __init__(self, folder: Path, certs: Path | None = None) -> None:
        self.folder = folder
        self.certs = [] if certs is None else ["--certs", str(certs)]
        self._scheme = "tcp" if certs is None else "tls"
        self._started: list[Started] = []
        self.scheduler = self.start_scheduler(f"{self._scheme}://127.0.0.1:0")
        self.address = self.scheduler.says(r"listens on (\S+)")[1]

    def start_scheduler(self, listen: str) -> Started:
        return self._start("scheduler", ["cluster", "scheduler", "--listen", listen])

    def worker(self, name: str, *words: str) -> Started:
        """A worker with one core; `says("plays for")` once it is connected."""
        given = ["worker", "--scheduler", self.address, "--name", name, "--cores", "1", *words]
        return self._start(name, given)

    def close(self) -> None:
        for started in reversed(self._started):
            started.stop()

    def _start(self, name: str, words: list[str]) -> Started:
        log = self.folder / f"{name}-{len(self._started)}.log"
        started = Started([*REFEREE, *words, *self.certs], log)
        self._started.append(started)
        return started


def bots_of(pid: int, path: str) -> list[int]:
    """Processes of this machine whose command names a path, and whose parents lead to a process."""
    parents: dict[int, int] = {}
    named: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(fields[1])
            if path.encode() in (folder / "cmdline").read_bytes():
                named.append(int(folder.name))
        except (OSError, ValueError, IndexError):
            continue
    return [one for one in named if one != os.getpid() and _leads_to(one, pid, parents)]


def _leads_to(child: int, pid: int, parents: dict[int, int]) -> bool:
    while child not in (0, 1):
        if child == pid:
            return True
        child = parents.get(child, 0)
    return False
