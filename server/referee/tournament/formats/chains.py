"""Chains of exchanges among pairs: partners passed on around several tables at once, where that costs less.

Exchanging two entrants gets stuck where only a longer chain helps: a takes the partner of c, c takes the partner of d,
d takes the partner that a has left. Such chains are the alternating cycles of matching theory. The cheapest one of up
to `LONGEST` tables through a given pair is found step by step: what it costs at least to have one entrant left over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee.tournament.schedule.draw import Groups

if TYPE_CHECKING:  # loaded where it is used: whoever looks at standings draws no round
    import numpy as np
    import numpy.typing as npt

LONGEST = 8
"""Tables besides the first one that a chain passes through at most."""

_NEVER = 2**62
_SAFE = 2**55
"""Costs above this might overflow when they are added up; such pairs are left as they are."""


def pass_on(groups: Groups, weights: Sequence[Sequence[int]], dear: int) -> Groups:
    """Pairs that cost at most as much, after all chains that were found to pay and begin at a pair as dear as this."""
    if len(groups) < 3 or max(map(max, weights)) > _SAFE:
        return groups
    import numpy as np

    costs = np.array(weights, dtype=np.int64)
    partner = np.zeros(len(weights), dtype=np.int64)
    for a, b in groups:
        partner[a], partner[b] = b, a
    improved = True
    while improved:
        improved = False
        for a in range(len(weights)):
            if costs[a, partner[a]] < dear:
                continue
            chain = _cheapest_chain(a, partner, costs)
            for one, two in chain:
                partner[one], partner[two] = two, one
            improved = improved or bool(chain)
    return [[a, int(b)] for a, b in enumerate(partner) if a < b]


def _cheapest_chain(a: int, partner: npt.NDArray[np.int64], costs: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """The pairs that a chain from `a` to its present partner makes, if it costs less than what it breaks up."""
    import numpy as np

    size = len(partner)
    b = int(partner[a])
    everyone = np.arange(size)
    now = costs[everyone, partner]
    left_over = np.full(size, _NEVER, dtype=np.int64)
    left_over[a] = -now[a]
    came_from: list[npt.NDArray[np.int64]] = []
    for _ in range(LONGEST):
        reached = np.minimum(left_over, _SAFE)[:, None] + costs
        reached[everyone, everyone] = _NEVER
        best = reached.argmin(axis=0)
        cost = reached[best, everyone] - now
        cost[[a, b]] = _NEVER
        # Whoever takes c leaves c's partner over.
        left_over = np.empty_like(left_over)
        left_over[partner] = cost
        origin = np.empty_like(best)
        origin[partner] = best
        came_from.append(origin)
        closed = left_over + np.where(left_over < _SAFE, costs[b], 0)
        last = int(closed.argmin())
        if closed[last] < 0:
            pairs = _walk_back(last, b, came_from, partner)
            if pairs:
                return pairs
    return []


def _walk_back(
    last: int, b: int, came_from: list[npt.NDArray[np.int64]], partner: npt.NDArray[np.int64]
) -> list[tuple[int, int]]:
    """The new pairs of a chain; none if it passes the same table twice, which is no chain."""
    pairs = [(last, b)]
    seen = {last, b}
    for origin in reversed(came_from):
        taken = int(partner[last])
        before = int(origin[last])
        pairs.append((before, taken))
        if taken in seen or before in seen:
            return []
        seen |= {taken, before}
        last = before
    return pairs
