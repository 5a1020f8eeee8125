"""Confidence sequence for the mean of values without known bounds, such as scores: an approximation for long series.

It is the interval of a normal distribution, made wide enough to hold at all lengths at once (Robbins' normal mixture;
Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas call it asymptotic). The variance is estimated from the values. As with
every interval that rests on the normal distribution, a short series of skewed values may mislead it; nothing is said
before `LEAST` values are there.
"""

from __future__ import annotations

from math import inf, log, sqrt

from referee.tournament.statistics.betting import Interval

LEAST = 16
"""Values before there is an interval."""
NARROWEST_AT = 200
"""The length at which the interval is as narrow as it can be made; elsewhere it is a little wider."""


class ApproximateSequence:
    """The mean of any values, with an interval that is valid for long series however often one looks."""

    def __init__(self, confidence: float = 0.95) -> None:
        if not 0 < confidence < 1:
            raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")
        self._alpha = 1 - confidence
        twice = -2 * log(self._alpha)
        self._tuning = (twice + log(1 + twice)) / NARROWEST_AT
        self.count = 0
        self.mean = 0.0
        self._squares = 0.0
        """The sum of the squared distances from the mean, kept up as values come (Welford)."""

    def add(self, value: float) -> None:
        """Take in the next value."""
        self.count += 1
        before = value - self.mean
        self.mean += before / self.count
        self._squares += before * (value - self.mean)

    @property
    def interval(self) -> Interval:
        """Where the true mean lies; everywhere while there are too few values."""
        if self.count < LEAST:
            return Interval(-inf, inf)
        variance = self._squares / (self.count - 1)
        spread = self.count * self._tuning + 1
        reach = sqrt(variance * 2 * spread / (self.count**2 * self._tuning) * log(sqrt(spread) / self._alpha))
        return Interval(self.mean - reach, self.mean + reach)
