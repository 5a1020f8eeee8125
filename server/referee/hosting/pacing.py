"""How much a bot may say unasked. (How much it is asked at once is the same for all bots: `match/window.py`.)"""

from __future__ import annotations

FLOOD_ALLOWANCE = 500.0
FLOOD_PER_SECOND = 100.0
"""Lines beyond one per question: so many at once, and so many per second in the long run."""


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
