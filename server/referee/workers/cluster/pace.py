"""How many matches a worker has in hand, from how many it ends in a second.

A task brings a worker new matches and takes home those that have ended; it takes about a second, or less if half of
what the worker has is done before. So there must be more in hand than are played until the next task: else cores
stand idle while results come home. What a lost worker had in hand is played again, so there should not be much more.

Many matches side by side share messages to their bots, so as many are played as on one machine (`room.py`); with a
quarter of that a match of programs took almost half as much processor time again. A worker has fewer only if so many
last very long. What is left for others besides is `RemoteWorker.share`'s to say.

Matches that begin together end together. So the pace is taken over a generation: until as many have ended as were in
hand when it began. In a shorter time none end, or all of them. It begins when the first have ended: bots
start before that. A worker that is overloaded ends fewer and gets less.
"""

from __future__ import annotations

from referee.workers.room import PER_WORKER

TASK_SECONDS = 1.0
"""How long a task waits for results."""
AHEAD_SECONDS = 2.5
"""For how long a worker has matches in hand."""
LONG_SECONDS = 16.0
"""It has fewer than cost least side by side only if those would last longer than this."""
SIDE_BY_SIDE = PER_WORKER
"""Matches per core of which each costs least."""
FEWEST = 2
"""Matches per core that a worker has in any case: one is played, and one may wait for its bots."""


class Pace:
    """How many matches one worker has in hand at most; `told` hears how many of them have ended."""

    def __init__(self, cores: int) -> None:
        self._fewest = FEWEST * cores
        self._enough = SIDE_BY_SIDE * cores
        self._generation = 0
        """Matches that were in hand when it began."""
        self._ended = 0
        self._seconds = 0.0
        self._begun = False
        """Whether any has ended."""
        self.level = self._enough

    def told(self, ended: int, seconds: float, in_hand: int) -> None:
        """So many matches have ended in so many seconds; before that the worker had so many in hand.

        If a generation was not even half of what it may have, it tells nothing about more, unless it was quick.
        """
        if not self._begun:
            self._begun = ended > 0
            return
        self._generation = self._generation or in_hand
        self._ended += ended
        self._seconds += seconds
        if self._ended < self._generation and self._seconds < LONG_SECONDS:
            return
        level = self._for(self._ended / max(self._seconds, 1e-3))
        if level > self.level or 2 * self._generation >= self.level:
            self.level = max(self.level // 2, min(2 * self.level, level))
        self._generation, self._ended, self._seconds = 0, 0, 0.0

    def _for(self, rate: float) -> int:
        ahead, long = round(rate * AHEAD_SECONDS), round(rate * LONG_SECONDS)
        return max(self._fewest, ahead, min(self._enough, long))
