"""Machines on which starting bots get all of their time, or none of it."""

from __future__ import annotations


class Fixed:
    """A machine on which starting bots get so much of their time and are kept waiting for the rest."""

    left: float

    def look(self, pid: int, elapsed: float) -> tuple[float, float]:
        return (1 - self.left) * elapsed, self.left * elapsed


class Idle(Fixed):
    left = 1.0


class Starved(Fixed):
    left = 0.0
