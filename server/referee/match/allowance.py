"""Rate limit: a token bucket, the same for everything that a bot may do only so often.

So much may be spent at once; what was spent comes back at a steady rate. Nothing here reads a clock.
"""

from __future__ import annotations

UNASKED_AT_ONCE = 500.0
UNASKED_PER_SECOND = 100.0
"""What a bot may send beyond one answer per question, over a stream or over pipes: more is flooding."""


class Allowance:
    """What may still be spent."""

    __slots__ = ("_at_once", "_filled_at", "_per_second", "left")

    def __init__(self, at_once: float, per_second: float, now: float) -> None:
        self.left = at_once
        """Below 0: too much was spent."""
        self._at_once = at_once
        self._per_second = per_second
        self._filled_at = now

    @classmethod
    def of_a_bot(cls, now: float) -> Allowance:
        """For what a bot sends unasked."""
        return cls(UNASKED_AT_ONCE, UNASKED_PER_SECOND, now)

    def spend(self, amount: float, now: float) -> bool:
        """Take so much at this moment; False: that was too much."""
        self.left = min(self._at_once, self.left + (now - self._filled_at) * self._per_second) - amount
        self._filled_at = now
        return self.left >= 0

    def full(self, now: float) -> bool:
        """Whether everything that was spent has come back by now."""
        self.spend(0.0, now)
        return self.left >= self._at_once

    @property
    def wait(self) -> float:
        """Seconds until what was spent too much has come back."""
        return max(0.0, -self.left / self._per_second)
