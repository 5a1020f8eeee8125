"""Tables of k out of those who play, so that the pairs that meet cost least: exact for few entrants, close for many.

Few entrants are searched through, so the answer is the best there is. For many, the draw begins with the order given
cut into tables, exchanges two entrants while that pays (`schedule.draw.exchange`), and then searches through every few
tables that lie next to each other in that order. At tables of two, partners are also passed on along chains of tables
(`chains.py`), and the fewest repeats are found by maximum matching.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import factorial

from referee.tournament.formats.chains import pass_on
from referee.tournament.formats.matching import maximum_matching
from referee.tournament.schedule.draw import Groups, exchange

Weights = Sequence[Sequence[int]]
"""What it costs to let two meet, symmetric and at least 0; nothing for one alone: the diagonal is 0."""

FEW = 16_000
"""Up to so many ways to fill the tables, all are searched through."""

_MOST_STEPS = 60_000
"""Seats that are tried in one search. It takes about a tenth of a second."""


def cost_of(groups: Groups, weights: Weights) -> int:
    """What all pairs at these tables cost together."""
    return sum(weights[a][b] for group in groups for at, a in enumerate(group) for b in group[at + 1 :])


def cheapest_groups(count: int, k: int, weights: Weights, repeat: int, dear: int = 1) -> tuple[Groups, bool]:
    """Tables of k for the entrants 0 … count-1, and whether the fewest repeats are proven.

    A pair that has met costs at least `repeat`, any draw without a repeat costs less. No long search begins at a pair
    that costs less than `dear`. The better the order of the entrants puts those who should meet beside each other, the
    better the draw of a large field.
    """
    groups = [list(range(at, at + k)) for at in range(0, count, k)]
    if ways(count, k) <= FEW:
        return _search(list(range(count)), k, weights, groups, 10**9)[0], True
    groups = _improved(groups, k, weights, dear)
    if cost_of(groups, weights) < repeat:
        return groups, True
    if k == 2:
        return min((groups, _by_matching(weights, repeat, dear)), key=lambda found: cost_of(found, weights)), True
    groups, finished = _search(list(range(count)), k, weights, groups, _MOST_STEPS)
    return _improved(groups, k, weights, dear), finished or cost_of(groups, weights) < repeat


def ways(count: int, k: int) -> int:
    """In how many ways so many entrants can be divided into tables of k."""
    tables = count // k
    return factorial(count) // int(factorial(k) ** tables * factorial(tables))


def _improved(groups: Groups, k: int, weights: Weights, dear: int = 1) -> Groups:
    """Exchange entrants, then search through neighbouring tables, until neither pays."""
    at_once = {2: 4, 3: 3}.get(k, 2)
    cost = cost_of(groups, weights)
    while True:
        groups, _ = exchange([*groups, []], weights, [0] * len(weights))
        # Entrants are numbered in their order, so the sum of a table's numbers says where it lies in it.
        groups.sort(key=lambda group: (sum(group), group))
        for first in range(max(1, len(groups) - at_once + 1)):
            part = groups[first : first + at_once]
            if any(weights[a][b] for group in part for a in group for b in group if a != b):
                members = sorted(entrant for group in part for entrant in group)
                groups[first : first + at_once], _ = _search(members, k, weights, part, _MOST_STEPS // 10)
        if k == 2:
            groups = pass_on(groups, weights, dear)
        after = cost_of(groups, weights)
        if after == cost:
            return groups
        cost = after


def _search(members: list[int], k: int, weights: Weights, known: Groups, steps: int) -> tuple[Groups, bool]:
    """The cheapest tables of these members, at most as costly as the known ones; False if the steps ran out."""
    best, best_cost = known, cost_of(known, weights)
    left = steps
    tables: Groups = []

    def fill(table: list[int], start: int, waiting: list[int], cost: int) -> None:
        """Seat one of waiting[start:] at the open table, in each way that may still be cheaper than the best."""
        nonlocal best, best_cost, left
        missing = k - len(table)
        if not missing:
            rest = [entrant for entrant in waiting if entrant not in table]
            tables.append(table)
            if not rest:
                best, best_cost = [list(done) for done in tables], cost
            else:
                fill([rest[0]], 0, rest[1:], cost)
            tables.pop()
            return
        for at in range(start, len(waiting) - missing + 1):
            entrant = waiting[at]
            row = weights[entrant]
            more = cost + sum([row[other] for other in table])
            left -= 1
            if left < 0:
                return
            if more < best_cost:
                fill([*table, entrant], at + 1, waiting, more)

    if best_cost:
        fill([members[0]], 0, members[1:], 0)
    return best, left >= 0


def _by_matching(weights: Weights, repeat: int, dear: int = 1) -> Groups:
    """Pairs with as few repeats as there can be; those who are left over are paired as well as exchanges can."""
    count = len(weights)
    unmet = [
        sorted((b for b in range(count) if b != a and row[b] < repeat), key=row.__getitem__)
        for a, row in enumerate(weights)
    ]
    partner = maximum_matching(unmet)
    groups = [[a, b] for a, b in enumerate(partner) if a < b]
    alone = [a for a, b in enumerate(partner) if b < 0]
    groups += [alone[at : at + 2] for at in range(0, len(alone), 2)]
    return _improved(groups, 2, weights, dear)
