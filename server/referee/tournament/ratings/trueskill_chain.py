"""TrueSkill's messages for a match of single players, without the factor graph around them.

The package `trueskill` builds some hundred linked objects for every match, for teams of any size and weight. Where
each player plays alone the graph is a chain: each player's performance is compared with that of the next in rank.
This file passes the same messages along that chain in the same order, number for number, so that the result is the
package's to the last bit if that multiplies its powers out (a test compares them); it takes a tenth of the time and
leaves nothing to be cleared away. Powers are products here and the normal distribution is `normal.py`, so that the
result is the same on every machine.

A normal distribution is kept as its precision π and its precision-adjusted mean τ; a product of two adds them, a
quotient subtracts them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from referee.tournament.ratings.normal import below, density

SWEEPS = 10
SMALL = 0.0001
"""The package's own limits: so many sweeps along the chain, fewer if none of the messages changes by more than this."""


def pass_messages(
    beta: float, tau: float, margin: float, players: Sequence[tuple[float, float]], ranks: Sequence[int]
) -> list[tuple[float, float]]:
    """The (μ, σ) of two or more players, best rank first, after their match.

    β and τ are TrueSkill's, `margin` is the difference in performance below which a match is a tie. Raises
    ArithmeticError or ValueError where double precision gives out.
    """
    variance = beta * beta
    priors = [_prior(mu, sigma, tau) for mu, sigma in players]
    performances = [_likely(pi, weighted, variance) for pi, weighted in priors]
    sums = [_alone(pi, weighted) for pi, weighted in performances]
    ends = _compared(margin, sums, [one == other for one, other in pairwise(ranks)])
    after = []
    for (pi, weighted), (own_pi, own_tau), (sum_pi, sum_tau), (end_pi, end_tau) in zip(
        priors, performances, sums, ends, strict=True
    ):
        learnt_pi, learnt_tau = _alone(end_pi - sum_pi, end_tau - sum_tau)
        learnt_pi, learnt_tau = own_pi + learnt_pi - own_pi, own_tau + learnt_tau - own_tau
        learnt_pi, learnt_tau = _likely(learnt_pi, learnt_tau, variance)
        pi, weighted = pi + learnt_pi, weighted + learnt_tau
        after.append((weighted / pi if pi else pi, math.sqrt(1 / pi) if pi else math.inf))
    return after


def _rounded(mu: float, sigma: float) -> tuple[float, float]:
    """The package keeps a rating as π and τ: what it is asked for is not quite what it was given."""
    pi = 1.0 / (sigma * sigma)
    return pi * mu / pi if pi else pi, math.sqrt(1 / pi) if pi else math.inf


def _prior(mu: float, sigma: float, dynamics: float) -> tuple[float, float]:
    mu, sigma = _rounded(mu, sigma)
    sigma = math.sqrt(sigma * sigma + dynamics * dynamics)
    pi = 1.0 / (sigma * sigma)
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


def _compared(margin: float, sums: Sequence[tuple[float, float]], ties: Sequence[bool]) -> list[tuple[float, float]]:
    """What is known of every performance once each was compared with the next in rank; `ties` tells how it ended.

    One loop with hardly any calls: a call for every message would take most of the time.
    """
    sqrt = math.sqrt
    ends = list(sums)
    last = len(ties) - 1
    nothing = [(0.0, 0.0)] * len(ties)
    # For each two neighbours: what was last told to the better, to the worse, to their difference by the two, and to
    # it by the outcome; and the difference itself.
    to_better, to_worse, by_both, by_outcome, differences = (list(nothing) for _ in range(5))
    # Down the ranks, each telling the worse, and up again, each telling the better.
    tour: list[tuple[int, bool | None]] = [(place, False) for place in range(last)]
    tour += [(place, True) for place in range(last, 0, -1)] or [(0, None)]
    for _ in range(SWEEPS):
        change = 0.0
        for place, upwards in tour:
            (pi, tau), (told_pi, told_tau) = ends[place], to_better[place]
            better_pi, better_tau = pi - told_pi, tau - told_tau
            (pi, tau), (told_pi, told_tau) = ends[place + 1], to_worse[place]
            worse_pi, worse_tau = pi - told_pi, tau - told_tau
            # Their difference, as the two tell it.
            better_mean = better_tau / better_pi if better_pi else better_pi
            worse_mean = worse_tau / worse_pi if worse_pi else worse_pi
            mean = better_mean - worse_mean
            both_pi = 1.0 / (1 / better_pi + 1 / worse_pi) if better_pi and worse_pi else 0.0
            both_tau = both_pi * mean
            (pi, tau), (told_pi, told_tau) = differences[place], by_both[place]
            all_pi, all_tau = pi - told_pi + both_pi, tau - told_tau + both_tau
            by_both[place] = both_pi, both_tau
            # Trimmed to the outcome.
            trim_pi, trim_tau = by_outcome[place]
            pi, tau = all_pi - trim_pi, all_tau - trim_tau
            root = sqrt(pi)
            if ties[place]:
                v, w = _tied(tau / root, margin * root)
            else:
                ahead = tau / root - margin * root
                v = density(ahead) / below(ahead)
                w = v * (v + ahead)
                if not 0 < w < 1:
                    raise FloatingPointError("too great an upset for double precision")
            rest = 1.0 - w
            pi, tau = pi / rest, (tau + root * v) / rest
            by_outcome[place] = pi + trim_pi - all_pi, tau + trim_tau - all_tau
            differences[place] = pi, tau
            moved = abs(all_pi - pi)
            if moved != math.inf:
                change = max(change, abs(all_tau - tau), sqrt(moved))
            if upwards is None:
                continue
            # What the outcome tells one of the two.
            pi, tau = pi - both_pi, tau - both_tau
            mean = tau / pi if pi else pi
            if upwards:
                other_pi, mean = worse_pi, mean + worse_mean
            else:
                other_pi, mean = better_pi, better_mean - mean
            pi = 1.0 / (1 / pi + 1 / other_pi) if pi and other_pi else 0.0
            tau = pi * mean
            if upwards:
                to_better[place] = pi, tau
                ends[place] = better_pi + pi, better_tau + tau
            else:
                to_worse[place] = pi, tau
                ends[place + 1] = worse_pi + pi, worse_tau + tau
        if change <= SMALL:
            break
    first, second, lowest, above = ends[0], ends[1], ends[-1], ends[-2]
    told = _combined(_without(differences[0], by_both[0]), _without(second, to_worse[0]), 1)
    ends[0] = _without(first, to_better[0], told)
    if last == 0:
        above, to_better[0] = ends[0], told
    told = _combined(_without(above, to_better[last]), _without(differences[last], by_both[last]), -1)
    ends[-1] = _without(lowest, to_worse[last], told)
    return ends


def _tied(gap: float, margin: float) -> tuple[float, float]:
    """What a tie says of a difference believed to be so large: how far its mean moves, and how much surer it is."""
    high, low = margin - abs(gap), -margin - abs(gap)
    inside = below(high) - below(low)
    if not inside:
        raise FloatingPointError("too great a surprise for double precision")
    at_high, at_low = density(high), density(low)
    v = (at_low - at_high) / inside
    w = v * v + (high * at_high - low * at_low) / inside
    return (-v if gap < 0 else v), w


def _without(
    known: tuple[float, float], told: tuple[float, float], instead: tuple[float, float] = (0.0, 0.0)
) -> tuple[float, float]:
    """What is known without what was told once, and with what is told instead."""
    return known[0] - told[0] + instead[0], known[1] - told[1] + instead[1]


def _combined(one: tuple[float, float], other: tuple[float, float], sign: int) -> tuple[float, float]:
    """The sum (sign 1) or difference (-1) of two."""
    (pi, tau), (other_pi, other_tau) = one, other
    mean = (tau / pi if pi else pi) + sign * (other_tau / other_pi if other_pi else other_pi)
    if not pi or not other_pi:  # nothing is known of one of them, hence of both together
        return 0.0, 0.0 * mean
    pi = 1.0 / (1 / pi + 1 / other_pi)
    return pi, pi * mean
