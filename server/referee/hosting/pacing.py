"""How much a bot is asked at once.

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
