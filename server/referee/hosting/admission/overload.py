"""CPU contention: how long the machine kept a bot waiting while it started, read from the scheduler's own figures.

The kernel notes for every thread how long it ran and how long it was ready to run but had no core
(/proc/PID/schedstat). A bot that is not there in time is blamed only for the time it really had.
"""

from __future__ import annotations

import os
from typing import Protocol

from referee.hosting.process.usage import measure

Figures = dict[tuple[int, int], tuple[int, int]]
"""Of each thread, as process and thread id: nanoseconds run, and nanoseconds waited for a core."""


class Contention(Protocol):
    """Measures for one run of a bot how the time since the last measurement was spent."""

    def look(self, pid: int, elapsed: float) -> tuple[float, float]:
        """Seconds the machine kept this process and its descendants waiting, and seconds they ran, of `elapsed`."""


class SchedstatContention:
    """The kernel's figures (/proc/PID/schedstat). Where it keeps none, the waiting time counts as zero."""

    def __init__(self) -> None:
        self._before: Figures = {}

    def look(self, pid: int, elapsed: float) -> tuple[float, float]:
        now = figures(pid)
        grown = [
            (ran - b[0], waited - b[1]) for key, (ran, waited) in now.items() for b in [self._before.get(key, (0, 0))]
        ]
        self._before = now
        ran = sum(run for run, _ in grown) / 1e9
        # The longest wait of one thread counts: threads wait at the same time, so their sum would count it many times.
        # Time in which the bot itself kept a core busy does not count as waiting: a bot gains nothing by starting
        # many threads that wait for each other.
        waited = max((wait for _, wait in grown), default=0) / 1e9
        return max(0.0, min(waited, elapsed - ran)), ran


def figures(pid: int) -> Figures:
    """What the scheduler has noted of a process and all its descendants."""
    found: Figures = {}
    for one, _ in measure(pid).family:
        try:
            for thread in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{thread}/schedstat", "rb") as file:
                    ran, waited, *_ = file.read().split()
                found[(one, int(thread))] = (int(ran), int(waited))
        except (OSError, ValueError):  # it has just ended, or the kernel does not tell
            continue
    return found
