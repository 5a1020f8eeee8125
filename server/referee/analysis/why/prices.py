"""What a point is worth in ranks, and with it what a move costs: more exact than the ranks of the rollouts alone.

Ranks jump, and most of what decides them happens later and has nothing to do with the move. The lead at the end, the
lead some decisions after the move, and the seat's own score at that moment hold less and less of that. Each of them, at
its price in ranks, is an estimate of what a move costs; all count, the more exact ones more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import NamedTuple

from referee.analysis.why.rollouts import Mean, RolloutResult

MEASURES = ("lead", "soon", "own")
"""What is measured beside the rank: fields of an outcome."""
DOUBT = {"lead": 0.01, "soon": 0.03, "own": 0.03}
"""Ranks by which a move may be better or worse than this measure of it tells, however many rollouts there are …"""
DOUBT_OF_PRICE = 0.3
"""… and the share of an estimate by which its price may be wrong."""


class Prices(NamedTuple):
    """Ranks for a point more, below zero as far as points are any good; zero where no price can be told."""

    lead: float
    soon: float
    own: float


Slopes = tuple[tuple[float, float], ...]
"""By measure: how ranks and points vary together, and points alone; summed over moves, each around its own means."""


def slopes_of(moves: Iterable[Sequence[RolloutResult]]) -> Slopes:
    """What the outcomes of the moves of one position tell about prices."""
    found = [[0.0, 0.0] for _ in MEASURES]
    for outcomes in moves:
        rank = sum(one.rank for one in outcomes) / len(outcomes)
        for sums, measure in zip(found, MEASURES, strict=True):
            points = [getattr(one, measure) for one in outcomes]
            mean = sum(points) / len(points)
            sums[0] += sum((one.rank - rank) * (point - mean) for one, point in zip(outcomes, points, strict=True))
            sums[1] += sum((point - mean) ** 2 for point in points)
    return tuple((together, squares) for together, squares in found)


def prices_of(positions: Sequence[Slopes], weights: Sequence[float] = (1.0,)) -> Prices:
    """The slopes of straight lines through all outcomes, those of each position counted with its weight."""
    found = []
    for place in range(len(MEASURES)):
        together = sum(weight * one[place][0] for one, weight in zip(positions, weights, strict=True))
        squares = sum(weight * one[place][1] for one, weight in zip(positions, weights, strict=True))
        found.append(together / squares if together < 0 else 0.0)
    return Prices(*found)


def cost(ours: Sequence[RolloutResult], best: Sequence[RolloutResult], prices: Prices | None) -> Mean:
    """The ranks that a move costs against another on the same deals; for a player alone (no prices) the points."""
    pairs = list(zip(ours, best, strict=False))
    if prices is None:
        return Mean.of([other.lead - one.lead for one, other in pairs])
    least = 1 / (4 * len(pairs))  # where no rank changed in these rollouts, one might in the next
    ranks = Mean.of([one.rank - other.rank for one, other in pairs])
    estimates = [Mean(ranks.value, max(ranks.error, least))]
    for measure, price in zip(MEASURES, prices, strict=True):
        if price < 0:
            points = Mean.of([getattr(one, measure) - getattr(other, measure) for one, other in pairs])
            value = price * points.value
            error = sqrt((price * points.error) ** 2 + (DOUBT_OF_PRICE * value) ** 2 + DOUBT[measure] ** 2 + least**2)
            estimates.append(Mean(value, error))
    exact = [one.error**-2 for one in estimates]
    value = sum(one.value * weight for one, weight in zip(estimates, exact, strict=True)) / sum(exact)
    return Mean(value, sum(exact) ** -0.5)
