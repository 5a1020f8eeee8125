"""Chess clock and lag compensation: how long a bot may think, and how late the referee itself was.

All times are seconds on one monotonic clock that is handed in; nothing here reads a clock.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Protocol

USUAL_DECISIONS = 300
"""Decisions of one seat at the limit that fit into a match: more than any game here has asked of one so far."""
LONGEST_TOTAL = 4_294_967.0
"""Seconds, 49 days: the protocol tells times in milliseconds of 32 bits."""


class Clock(Protocol):
    """A monotonic clock."""

    def __call__(self) -> float: ...


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Free time per decision, a bank per match for what goes beyond it, and the patience of the referee."""

    limit: float = 1.0
    bank: float = 30.0
    strikes: int = 3
    """Rejected moves that forfeit the match."""
    grace: float = 30.0
    """How long, in all, a match waits for a bot whose connection broke; its clock stands still meanwhile."""
    total: float = 0.0
    """The most that one seat may hold a match up in all, by thinking and by being away; 0: no such bound."""

    @property
    def slack(self) -> float:
        """The most that one seat may hold a match up beyond the limit of each decision, thinking and away together:
        bank and grace are not added up. So a match of nine decisions cannot be drawn out for more than nine limits and
        the longer of the two, whatever a bot does.
        """
        return max(self.bank, self.grace)

    @staticmethod
    def usual_total(limit: float, bank: float, grace: float) -> float:
        """The bound of a match as a whole where the host sets none: so many decisions at the limit, bank and grace."""
        return min(LONGEST_TOTAL, USUAL_DECISIONS * limit + bank + grace)


class Deadline:
    """The next moment at which the time of some seat could be up; one for all seats of a match."""

    __slots__ = ("moment",)

    def __init__(self) -> None:
        self.moment: float | None = None


class Lag:
    """How late the referee's own event loop was, and when.

    A heartbeat calls `beat` at a fixed interval; what it comes late is time in which an answer may have lain unread.
    It is credited, never charged: a stall wherever it fell, for then the whole machine may have stood still; a small
    delay only if it is the last thing before the answer was read. One in the middle of a bot's thinking delays no
    answer, and on a busy machine many of them would add up to a gift.
    """

    VOID_AFTER = 1.0
    """More lag than this within one decision: the decision is void and asked again."""
    STALL = 0.25
    """A heartbeat so late is a stall; less is a small delay."""

    def __init__(self, interval: float = 0.025) -> None:
        self.interval = interval
        self.worst = 0.0
        self.admission = 0.0
        """How long a bot that comes back may be waiting in a queue of ours at this moment, before it can be let in."""
        self._expected = float("inf")
        self._lately = 2 * interval
        """A small delay that ended so long ago or less may still have delayed an answer."""
        # Every stall as a span from when the heartbeat was due to when it came, and the sum of all stalls by then; the
        # first entry stands for everything before.
        self._begins = [float("-inf")]
        self._ends = [float("-inf")]
        self._sums = [0.0]
        self._delay = (float("-inf"), float("-inf"))  # the latest small delay, as such a span

    def beat(self, now: float) -> None:
        """The heartbeat, due every `interval`."""
        late = now - self._expected
        if late > self.interval:
            self.worst = max(self.worst, late)
            if late < self.STALL:
                self._delay = (self._expected, now)
            else:
                self._begins.append(self._expected)
                self._ends.append(now)
                self._sums.append(self._sums[-1] + late)
                if len(self._ends) > 4096:
                    del self._begins[:2048], self._ends[:2048], self._sums[:2048]
        self._expected = now + self.interval

    def between(self, since: float, until: float) -> float:
        """Seconds to be credited to a bot that was thinking from `since` to `until`, with what still goes on."""
        lag = 0.0
        if since < self._ends[-1]:
            lag = self._before(until) - self._before(since)
        if until > self._expected + self.interval:
            lag += until - max(self._expected, since)
        elif self._delay[1] > until - self._lately:
            begin, end = self._delay
            lag += max(0.0, min(end, until) - max(begin, since))
        return lag

    def _before(self, moment: float) -> float:
        """All lag up to a moment."""
        place = bisect_right(self._begins, moment) - 1
        if place <= 0:
            return self._sums[0]
        return self._sums[place] - max(0.0, self._ends[place] - moment)
