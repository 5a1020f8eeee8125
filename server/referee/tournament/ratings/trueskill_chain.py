"""TrueSkill's messages for a match of single players, without the factor graph around them.

The package `trueskill` builds some hundred linked objects for every match, for teams of any size and weight. Where
each player plays alone the graph is a chain: each player's performance is compared with that of the next in rank.
This file passes the same messages along that chain in the same order, number for number, so that the result is the
package's to the last bit (a test compares them); it takes a fifth of the time and leaves nothing to be cleared away.
What a win and a tie are worth is still asked of the package.

A normal distribution is kept as its precision π and its precision-adjusted mean τ; a product of two adds them, a
quotient subtracts them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

SWEEPS = 10
SMALL = 0.0001
"""The package's own limits: so many sweeps along the chain, fewer if none of the messages changes by more than this."""


def pass_messages(
    skill: Any, margin: float, players: Sequence[tuple[float, float]], ranks: Sequence[int]
) -> list[tuple[float, float]]:
    """The (μ, σ) of two or more players, best rank first, after their match.

    `skill` is a `trueskill.TrueSkill`, `margin` the difference in performance below which a match is a tie. Raises
    ArithmeticError or ValueError where double precision gives out.
    """
    variance = skill.beta**2
    priors = [_prior(mu, sigma, skill.tau) for mu, sigma in players]
    performances = [_likely(pi, tau, variance) for pi, tau in priors]
    sums = [_alone(pi, tau) for pi, tau in performances]
    pairs = [_Pair(skill, margin, ranks[place] == ranks[place + 1]) for place in range(len(players) - 1)]
    ends = [list(sum_) for sum_ in sums]
    last = len(pairs) - 1
    for _ in range(SWEEPS):
        if last == 0:
            change = pairs[0].compare(ends[0], ends[1])
        else:
            change = 0.0
            for place in range(last):
                change = max(change, pairs[place].compare(ends[place], ends[place + 1]))
                pairs[place].tell_worse(ends[place], ends[place + 1])
            for place in range(last, 0, -1):
                change = max(change, pairs[place].compare(ends[place], ends[place + 1]))
                pairs[place].tell_better(ends[place], ends[place + 1])
        if change <= SMALL:
            break
    pairs[0].tell_better(ends[0], ends[1])
    pairs[last].tell_worse(ends[last], ends[last + 1])
    after = []
    for (pi, tau), (own_pi, own_tau), (sum_pi, sum_tau), end in zip(priors, performances, sums, ends, strict=True):
        learnt_pi, learnt_tau = _alone(end[0] - sum_pi, end[1] - sum_tau)
        learnt_pi, learnt_tau = own_pi + learnt_pi - own_pi, own_tau + learnt_tau - own_tau
        learnt_pi, learnt_tau = _likely(learnt_pi, learnt_tau, variance)
        pi, tau = pi + learnt_pi, tau + learnt_tau
        after.append(_rounded(tau / pi if pi else pi, math.sqrt(1 / pi) if pi else math.inf))
    return after


def _rounded(mu: float, sigma: float) -> tuple[float, float]:
    """The package keeps a rating as π and τ: what it is asked for is not quite what it was given."""
    pi = sigma**-2
    return pi * mu / pi if pi else pi, math.sqrt(1 / pi) if pi else math.inf


def _prior(mu: float, sigma: float, dynamics: float) -> tuple[float, float]:
    mu, sigma = _rounded(mu, sigma)
    pi = math.sqrt(sigma**2 + dynamics**2) ** -2
    return pi, pi * mu


def _likely(pi: float, tau: float, variance: float) -> tuple[float, float]:
    """From a skill to a performance, or back: the same mean, and less certain."""
    share = 1.0 / (1.0 + variance * pi)
    return share * pi, share * tau


def _alone(pi: float, tau: float) -> tuple[float, float]:
    """The sum of one term. (The package inverts π twice, which rounds.)"""
    mean = tau / pi if pi else pi
    pi = 1.0 / (0.0 + 1 / pi) if pi else 0.0
    return pi, pi * mean


class _Pair:
    """Two neighbours in rank: the difference of their performances, and what it has told each of them."""

    __slots__ = ("better", "difference", "margin", "told", "trimmed", "v", "w", "worse")

    def __init__(self, skill: Any, margin: float, tie: bool) -> None:
        self.v, self.w = (skill.v_draw, skill.w_draw) if tie else (skill.v_win, skill.w_win)
        self.margin = margin
        self.better = self.worse = (0.0, 0.0)  # last told to either
        self.told = (0.0, 0.0)  # last told to the difference by the two
        self.trimmed = (0.0, 0.0)  # … and by the outcome
        self.difference = (0.0, 0.0)

    def compare(self, better: list[float], worse: list[float]) -> float:
        """Take the difference anew and trim it to the outcome; by how much that changes it."""
        pi, tau = _combined(
            better[0] - self.better[0],
            better[1] - self.better[1],
            worse[0] - self.worse[0],
            worse[1] - self.worse[1],
            -1,
        )
        old_pi, old_tau = self.told
        self.told = (pi, tau)
        all_pi, all_tau = self.difference[0] - old_pi + pi, self.difference[1] - old_tau + tau
        trim_pi, trim_tau = self.trimmed
        pi, tau = all_pi - trim_pi, all_tau - trim_tau
        root = math.sqrt(pi)
        v, w = self.v(tau / root, self.margin * root), self.w(tau / root, self.margin * root)
        rest = 1.0 - w
        pi, tau = pi / rest, (tau + root * v) / rest
        self.trimmed = (pi + trim_pi - all_pi, tau + trim_tau - all_tau)
        self.difference = (pi, tau)
        change = abs(all_pi - pi)
        return 0.0 if change == math.inf else max(abs(all_tau - tau), math.sqrt(change))

    def tell_better(self, better: list[float], worse: list[float]) -> None:
        """The better of the two is the worse and the difference together."""
        (pi, tau), (told_pi, told_tau) = self.difference, self.told
        message = _combined(pi - told_pi, tau - told_tau, worse[0] - self.worse[0], worse[1] - self.worse[1], 1)
        better[0] = better[0] - self.better[0] + message[0]
        better[1] = better[1] - self.better[1] + message[1]
        self.better = message

    def tell_worse(self, better: list[float], worse: list[float]) -> None:
        """The worse of the two is the better less the difference."""
        (pi, tau), (told_pi, told_tau) = self.difference, self.told
        message = _combined(better[0] - self.better[0], better[1] - self.better[1], pi - told_pi, tau - told_tau, -1)
        worse[0] = worse[0] - self.worse[0] + message[0]
        worse[1] = worse[1] - self.worse[1] + message[1]
        self.worse = message


def _combined(pi: float, tau: float, other_pi: float, other_tau: float, sign: int) -> tuple[float, float]:
    """The sum (sign 1) or difference (-1) of two."""
    mean = (tau / pi if pi else pi) + sign * (other_tau / other_pi if other_pi else other_pi)
    if not pi or not other_pi:  # nothing is known of one of them, hence of both together
        return 0.0, 0.0 * mean
    pi = 1.0 / (1 / pi + 1 / other_pi)
    return pi, pi * mean
