"""Queueing delay of new calls: how long bots that reconnect wait before the server takes their call.

It is estimated from how closely calls follow each other. A bot's grace is not charged for the time in this queue.
"""

from __future__ import annotations

BACK_TO_BACK = 0.005
"""Seconds: calls that begin closer together than this come out of a queue, for they are handed on one by one."""


class Admission:
    """The queue of calls that the server has not taken yet."""

    def __init__(self) -> None:
        self._queue_since = 0.0
        """Since when calls have come back to back."""
        self._latest = float("-inf")

    def let_in(self, now: float) -> None:
        """A call begins."""
        if now - self._latest > BACK_TO_BACK:
            self._queue_since = now
        self._latest = now

    def queue_seconds(self, now: float) -> float:
        """How long a call that begins at this moment may have waited behind others."""
        return now - self._queue_since if now - self._latest <= BACK_TO_BACK else 0.0
