"""Backpressure: a congestion window for how many questions may be with one bot at once.

Many a bot answers one question after the other, so a question sent while others are still before it waits in the
bot's own queue, and its clock would run for nothing. What does not fit into the window waits with the referee, where
no clock runs.
"""

from __future__ import annotations

MOST = 1024
SHARE = 0.5
"""How much of the free time per decision a full window may take."""
GROWTH = 4
"""How many times more than was just answered may be tried next."""


class Window:
    """How many questions may be with a bot, from how many it answers per second.

    Call `sent` when questions leave, `answered` for every answer, `returned` if that was rejected, and `room` to know
    how many more may leave.
    """

    __slots__ = ("_began", "_count", "_last", "_last_but_one", "_limit", "size")

    def __init__(self) -> None:
        self.size = 1
        self._began = 0.0
        self._last = 0.0
        self._last_but_one = 0.0
        self._count = 0
        self._limit = 0.0

    def sent(self, now: float, limit: float) -> None:
        """Questions have left; the least of their free times is `limit`."""
        self._began = now
        self._limit = limit
        self._count = 0

    def answered(self, now: float) -> None:
        self._count += 1
        self._last_but_one = self._last
        self._last = now

    def returned(self) -> None:
        """The latest answer does not count: its question is still with the bot."""
        if self._count:
            self._count -= 1
            self._last = self._last_but_one

    def room(self, out: int) -> int:
        """How many more may leave while `out` are with the bot."""
        if self._count:
            took = max(self._last - self._began, 1e-6)
            affordable = int(SHARE * self._limit * self._count / took)
            if affordable < self.size:
                self.size = max(1, affordable)
            else:
                self.size = max(self.size, min(MOST, affordable, GROWTH * self._count))
            self._began = self._last
            self._count = 0
        return max(0, self.size - out)
