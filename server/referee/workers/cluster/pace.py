"""Batch size: how many matches a worker gets in one task, so that a task takes about a second.

Tasks cost a few milliseconds each, so they should be large; what a lost worker had in hand is played again, so they
should be small. Matches of a task are played side by side, and many of them share messages to their bots: below a
number per core, smaller tasks would be slower rather than shorter, so they shrink further only if they take very long.
A worker that is overloaded takes longer and gets less.
"""

from __future__ import annotations

TASK_SECONDS = 1.0
LONG_SECONDS = 5.0
SIDE_BY_SIDE = 32
"""Matches per core that are played side by side as cheaply as fewer."""
MOST = 4000


class Pace:
    """How many matches one worker gets at a time, from how long it took for those before."""

    def __init__(self, cores: int) -> None:
        self._enough = max(1, SIDE_BY_SIDE * cores)
        self.size = self._enough

    def took(self, matches: int, seconds: float) -> None:
        """A task is done. A smaller one than usual tells nothing about larger ones unless it was slow."""
        if matches < self.size and seconds < TASK_SECONDS:
            return
        aim = TASK_SECONDS if seconds < TASK_SECONDS or self.size > self._enough else LONG_SECONDS
        if aim == LONG_SECONDS and seconds <= LONG_SECONDS:
            return
        factor = min(2.0, max(0.5, aim / max(seconds, 1e-3)))
        least = self._enough if aim == TASK_SECONDS and self.size >= self._enough else 1
        self.size = max(least, min(MOST, round(self.size * factor)))
