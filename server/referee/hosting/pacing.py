"""How much a bot is asked at once, and how much it may say unasked.

A program answers one question after the other, so a question sent while others are still before it waits in the bot's
own queue, and its clock would run for nothing. The window grows while the bot answers quickly and shrinks when it does
not; what does not fit waits here, where no clock runs.
"""

from __future__ import annotations

QUICK = 0.05
FAIR = 0.25
SLOW = 0.5
"""Shares of the free time per decision."""
MOST_OUT = 256


FLOOD_ALLOWANCE = 500.0
FLOOD_PER_SECOND = 100.0
"""Lines beyond one per question: so many at once, and so many per second in the long run."""


class Window:
    """How many questions may be with the bot."""

    __slots__ = ("size",)

    def __init__(self) -> None:
        self.size = 1

    def answered(self, seconds: float, limit: float) -> None:
        """An answer took so long, of the free time `limit`."""
        if seconds < QUICK * limit:
            self.size = min(MOST_OUT, self.size * 2)
        elif seconds < FAIR * limit:
            self.size = min(MOST_OUT, self.size + 1)
        elif seconds > SLOW * limit:
            self.size = max(1, self.size // 2)


class Allowance:
    """Lines a bot may write beyond one per question."""

    __slots__ = ("_filled_at", "_left")

    def __init__(self, now: float) -> None:
        self._left = FLOOD_ALLOWANCE
        self._filled_at = now

    def spend(self, now: float) -> bool:
        """One line more; False: that was too much."""
        self._left = min(FLOOD_ALLOWANCE, self._left + (now - self._filled_at) * FLOOD_PER_SECOND) - 1
        self._filled_at = now
        return self._left >= 0
