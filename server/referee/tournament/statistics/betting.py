"""Confidence sequence for the mean of bounded values, by betting: valid at every length and however often one looks.

The idea. Somebody claims that the mean of the values is at most m. We start with one coin and bet on every value
before it is known, at odds that are fair if the claim is true: after the value x, a bet of the fraction f of our money
leaves us with the factor 1 − f + f·(x − low)/(m − low). If the claim is true, no bets win in the long run, and the
chance that our money *ever* reaches 1/α coins is at most α (Ville's inequality). So money is evidence: 20 coins refute
the claim at 95 %, whenever they come together. It does not matter how the values are distributed, nor whether their
distribution changes, as long as the mean of each, given those before it, agrees with the claim.

How much to bet. Small differences want small fractions, large ones large fractions. Our coin is divided evenly among
a few fixed fractions (a mixture); each share bets on its own, and the sum is a fair game too. Hence the money depends
on how often each value came and not on the order.

The interval. Every m whose claim "at most m" is refuted lies below the lower end, every m whose claim "at least m" is
refuted above the upper end. The money is a falling function of m, so each end is found by bisection. A two-sided
interval spends half of α on each side.

The method is that of Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (2024), with a
fixed mixture of bets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import exp, fsum, inf, log, log1p
from typing import NamedTuple

FRACTIONS = (0.95, *(2 ** (-step / 2) for step in range(1, 21)))
"""The bets, from nearly everything to a thousandth: what a difference of 1 % of the range needs is among them."""
STEPS = 50
"""Halvings when an end of an interval is looked for: far more exact than anything that is printed."""


class Interval(NamedTuple):
    """From where to where a mean lies."""

    low: float
    high: float


class Evidence:
    """Evidence against "the mean is at most `null`", from values between `low` and `high`, as they come.

    It is an e-process: under that hypothesis the chance that `log_value` ever reaches log(1/α) is at most α. For "the
    mean is at least `null`" turn all signs round. For several hypotheses at once divide α by their number.
    """

    def __init__(self, null: float, low: float, high: float) -> None:
        if not low < null < high:
            raise ValueError(f"the hypothesis {null} is not between the bounds {low} and {high}")
        self._null, self._low, self._high = null, low, high
        self._logs = [0.0] * len(FRACTIONS)
        self._factors: dict[float, list[float]] = {}

    def add(self, value: float) -> None:
        """Take in the next value."""
        factors = self._factors.get(value)
        if factors is None:
            _check(value, self._low, self._high)
            factors = _log_factors(value, self._null, self._low)
            if len(self._factors) < MOST_REMEMBERED:
                self._factors[value] = factors
        self._logs = [have + factor for have, factor in zip(self._logs, factors, strict=True)]

    @property
    def log_value(self) -> float:
        """The logarithm of our money: 0 at the start, 3 is twenty-fold."""
        return _log_mean(self._logs)

    def refutes(self, alpha: float) -> bool:
        """Whether the hypothesis is refuted now, with an error of at most alpha however often this is asked."""
        needed = -log(alpha)
        return max(self._logs) >= needed and self.log_value >= needed  # the mean is never above the largest


class ConfidenceSequence:
    """The mean of values between `low` and `high`, with an interval that is valid however often one looks."""

    def __init__(self, low: float, high: float, confidence: float = 0.95) -> None:
        if not low < high:
            raise ValueError(f"the bounds {low} and {high} leave no room")
        if not 0 < confidence < 1:
            raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")
        self._low, self._high = low, high
        self._needed = log(2 / (1 - confidence))
        self._counts: Counter[float] = Counter()

    def add(self, value: float) -> None:
        """Take in the next value."""
        _check(value, self._low, self._high)
        self._counts[value] += 1

    @property
    def count(self) -> int:
        return self._counts.total()

    @property
    def mean(self) -> float:
        """Of the values so far; the middle of the bounds before the first."""
        if not self._counts:
            return (self._low + self._high) / 2
        return fsum(value * times for value, times in self._counts.items()) / self.count

    @property
    def interval(self) -> Interval:
        """Where the true mean lies."""
        if not self._counts:
            return Interval(self._low, self._high)
        # In the order of the values, so that the last digit does not depend on the order in which they came.
        counts = dict(sorted(self._counts.items()))
        mirrored = {-value: times for value, times in counts.items()}
        return Interval(
            _lower_end(counts, self._low, self.mean, self._needed),
            -_lower_end(mirrored, -self._high, -self.mean, self._needed),
        )


MOST_REMEMBERED = 4096
"""Different values whose factors are kept: ranks have few, scores may have very many."""


def _check(value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ValueError(f"the value {value} is not between the bounds {low} and {high}")


def _log_factors(value: float, null: float, low: float) -> list[float]:
    """By what each bet multiplies its money."""
    gain = (value - null) / (null - low)
    return [log1p(fraction * gain) for fraction in FRACTIONS]


def _lower_end(counts: Mapping[float, int], low: float, mean: float, needed: float) -> float:
    """The largest m for which "the mean is at most m" is refuted; `low` if there is none."""
    below, above = low, mean  # at the mean itself no bet has won
    for _ in range(STEPS):
        middle = (below + above) / 2
        if not below < middle < above:
            break
        if log_money(counts, middle, low) >= needed:
            below = middle
        else:
            above = middle
    return below


def log_money(counts: Mapping[float, int], null: float, low: float) -> float:
    """What bets against "the mean is at most `null`" have become, from how often each value came."""
    logs = [0.0] * len(FRACTIONS)
    for value, times in counts.items():
        gain = (value - null) / (null - low)
        for place, fraction in enumerate(FRACTIONS):
            logs[place] += times * log1p(fraction * gain)
    return _log_mean(logs)


def _log_mean(logs: Iterable[float]) -> float:
    """The logarithm of the mean of numbers that are given by their logarithms."""
    known = list(logs)
    most = max(known)
    if most == inf:
        return inf
    return most + log(fsum(exp(one - most) for one in known) / len(known))
