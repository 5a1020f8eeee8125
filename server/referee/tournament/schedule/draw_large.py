"""The draw of many entrants with numpy: the same integers in the same order as `draw.py`, so the same tables, sooner.

A round of n entrants weighs every pair. With hundreds of them that is what a schedule takes its time for; all changes
of one entrant are computed at once here. Weights that 64 bits do not hold raise OverflowError: then `draw.py` goes its
own way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Groups = list[list[int]]
Weights = NDArray[np.int64]
HARDLY = 1 << 62
"""The change in cost of what is not allowed."""
MOST = 1 << 48
"""The largest weight: sums of a table of them still fit."""


def as_weights(weights: Any) -> Weights:
    """The weights as an array; OverflowError if they are too large for it."""
    array: Weights = np.asarray(weights, dtype=np.int64)
    if array.size and int(array.max()) > MOST:
        raise OverflowError("weights beyond 64 bits")
    return array


def weigh(meetings: Sequence[Sequence[int]]) -> Weights:
    """What it costs to let each pair meet once more, as `MeetingHistory` says."""
    met: Weights = np.asarray(meetings, dtype=np.int64)
    n = len(met)
    average = 4 * int(met.sum()) // (n * (n - 1))
    apart = ~np.eye(n, dtype=bool)
    counts = np.unique(met[apart])
    least = int(counts[0])
    cost = np.zeros(int(max(counts[-1], met.max())) + 1, dtype=object)
    for count in counts.tolist():
        cost[count] = (4 * count - average) ** 3 - (4 * least - average) ** 3
    if max(cost) > MOST:
        raise OverflowError("weights beyond 64 bits")
    weights: Weights = cost.astype(np.int64)[met]
    np.fill_diagonal(weights, 0)
    return weights


def exchange(groups: Groups, weights: Weights, matches: Sequence[int]) -> tuple[Groups, int]:
    """Exchange two entrants at a time while that lowers the cost; as in `draw.py`."""
    n = len(weights)
    out = len(groups) - 1
    everybody = np.arange(n)
    place = np.zeros(n, dtype=np.intp)
    pull = np.zeros((n, out + 1), dtype=np.int64)
    for where, group in enumerate(groups):
        place[group] = where
        if where < out:
            pull[:, where] = weights[:, group].sum(axis=1)
    played = np.asarray(matches)
    improved = True
    while improved:
        improved = False
        for a in range(n):
            here = int(place[a])
            cost = int(pull[a, here])
            if cost == 0:
                continue
            sitting_out = place == out
            change = pull[a, place] + pull[:, here] - 2 * weights[a] - cost - pull[everybody, place]
            change[sitting_out] += weights[a, sitting_out]
            change[sitting_out & (played != played[a])] = HARDLY
            change[place == here] = HARDLY
            partner = int(change.argmin())  # the first of the best
            if change[partner] >= 0:
                continue
            improved = True
            there = int(place[partner])
            place[a], place[partner] = there, here
            groups[here][groups[here].index(a)] = partner
            groups[there][groups[there].index(partner)] = a
            moved = weights[partner] - weights[a]
            pull[:, here] += moved
            if there != out:
                pull[:, there] -= moved
    return groups[:out], int(pull[everybody, place].sum())


def greedy(order: Sequence[int], k: int, weights: Weights) -> Groups:
    """Fill table after table, each with the first who waits and then the entrant who costs least there."""
    waiting = np.asarray(order, dtype=np.intp)
    groups: Groups = []
    while len(waiting):
        group = [int(waiting[0])]
        waiting = waiting[1:]
        cost = weights[group[0]]
        while len(group) < k:
            at = int(cost[waiting].argmin())
            chosen = int(waiting[at])
            waiting = np.delete(waiting, at)
            group.append(chosen)
            cost = cost + weights[chosen]
        groups.append(group)
    return groups
