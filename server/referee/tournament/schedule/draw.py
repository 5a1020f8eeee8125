"""The draw: who sits at which table of a round, so that all pairs of bots meet equally often.

The history counts how often any two entrants have met and how often each has played. A round is
drawn from these counts: greedily first, then by exchanging two entrants for as long as that lowers
the cost; this from a few different orders of entry, of which the best is kept. What is made small
is the sum, over all pairs, of the fourth power of how far their meetings are from the average: a
square would let a few pairs stray. All of it is integer arithmetic, and the orders come from a
SHAKE-256 stream of n, k and the round number, so equal settings give an equal draw everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import shake_256
from typing import Any

Groups = list[list[int]]
Weights = Any
"""A square of integers: lists, or for many entrants an array."""
LARGE = 160
"""Entrants from which on `draw_large.py` computes the same faster than it takes to load numpy."""


class MeetingHistory:
    """What has been played so far among n entrants at tables of k, and the draw of what comes next."""

    def __init__(self, n: int, k: int) -> None:
        self.n = n
        self.k = k
        self.matches = [0] * n
        self.meetings = [[0] * n for _ in range(n)]

    def play(self, tables: Iterable[Sequence[int]]) -> None:
        """Remember the tables of a round."""
        for table in tables:
            for entrant in table:
                self.matches[entrant] += 1
                row = self.meetings[entrant]
                for other in table:
                    row[other] += 1
                row[entrant] = 0

    def draw(self, number: int, tables: int) -> Groups:
        """Draw round `number` at so many tables; those who have played most sit out.

        Only entrants with equally many matches may exchange a table for sitting out, so matches
        (and with them byes) never drift apart.
        """
        weights = self._weights()
        best: Groups = []
        best_cost = -1
        # Fewer entrants are quicker to draw, and gain more from another try.
        for attempt in range(max(1, min(12, 120 // self.n))):
            groups, cost = self._attempt(weights, tables, _order(self.n, self.k, number, attempt))
            if best_cost < 0 or cost < best_cost:
                best, best_cost = groups, cost
            if cost == 0:
                break
        return best

    def _weights(self) -> Weights:
        """What it costs to let each pair meet once more.

        One meeting more changes the fourth power of a distance by about the cube of it. Every draw
        has equally many pairs, so the least cost may be called 0.
        """
        if self.n >= LARGE:
            from referee.tournament.schedule import draw_large

            with suppress(OverflowError):
                return draw_large.weigh(self.meetings)
        pairs = self.n * (self.n - 1)
        average = 4 * sum(map(sum, self.meetings)) // pairs if pairs else 0  # in quarters of a meeting
        counts = {count for i, row in enumerate(self.meetings) for j, count in enumerate(row) if i != j}
        least = min(counts, default=0)
        cost = {count: (4 * count - average) ** 3 - (4 * least - average) ** 3 for count in counts}
        # No entrant meets itself: that count is 0, and may be one no pair has.
        weights = [[cost.get(count, 0) for count in row] for row in self.meetings]
        for entrant, row in enumerate(weights):
            row[entrant] = 0
        return weights

    def _attempt(self, weights: Weights, tables: int, order: list[int]) -> tuple[Groups, int]:
        by_matches = sorted(order, key=self.matches.__getitem__)
        playing = set(by_matches[: tables * self.k])
        groups = greedy([e for e in order if e in playing], self.k, weights)
        groups.append(by_matches[tables * self.k :])
        return exchange(groups, weights, self.matches)


def exchange(groups: Groups, weights: Weights, matches: Sequence[int]) -> tuple[Groups, int]:
    """Exchange two entrants at a time while that lowers the cost; the groups without the last, and their cost.

    The groups hold the entrants 0 … n-1, and the last group sits out: only entrants with equal `matches` may exchange a
    table for sitting out. `weights` are symmetric and at least 0; the cost counts every pair of a table twice.
    `pull[e][t]` is what entrant e costs at table t; without a table it is always 0.
    """
    n = len(weights)
    if n >= LARGE:
        from referee.tournament.schedule import draw_large

        with suppress(OverflowError):
            return draw_large.exchange(groups, draw_large.as_weights(weights), matches)
    out = len(groups) - 1
    place = [0] * n
    for where, group in enumerate(groups):
        for entrant in group:
            place[entrant] = where
    pull = [[sum([row[other] for other in group]) for group in groups[:out]] + [0] for row in weights]
    improved = True
    while improved:
        improved = False
        for a in range(n):
            here = place[a]
            pull_a, weight_a = pull[a], weights[a]
            cost_a = pull_a[here]
            # An exchange that lowers the cost moves an entrant whose own table costs something;
            # it is found when that one's turn comes.
            if cost_a == 0:
                continue
            best, partner = 0, -1
            for b, there in enumerate(place):
                if there == here:
                    continue
                pull_b = pull[b]
                if there == out:
                    if matches[a] != matches[b]:
                        continue
                    change = pull_b[here] - weight_a[b] - cost_a
                else:
                    change = pull_a[there] + pull_b[here] - 2 * weight_a[b] - cost_a - pull_b[there]
                if change < best:
                    best, partner = change, b
            if partner >= 0:
                improved = True
                there = place[partner]
                place[a], place[partner] = there, here
                groups[here][groups[here].index(a)] = partner
                groups[there][groups[there].index(partner)] = a
                for row, more, less in zip(pull, weights[partner], weight_a, strict=True):
                    row[here] += more - less
                    if there != out:
                        row[there] -= more - less
    cost = sum(pull[entrant][place[entrant]] for entrant in range(n))
    return groups[:out], cost


def greedy(order: list[int], k: int, weights: Weights) -> Groups:
    """Fill table after table, each with the first who waits and then the entrant who costs least there."""
    if len(weights) >= LARGE:
        from referee.tournament.schedule import draw_large

        with suppress(OverflowError):
            return draw_large.greedy(order, k, draw_large.as_weights(weights))
    waiting = list(order)
    groups: Groups = []
    while waiting:
        first = waiting.pop(0)
        group, cost = [first], weights[first]
        while len(group) < k:
            chosen = min(waiting, key=cost.__getitem__)
            waiting.remove(chosen)
            group.append(chosen)
            cost = [before + more for before, more in zip(cost, weights[chosen], strict=True)]
        groups.append(group)
    return groups


def _order(n: int, k: int, number: int, attempt: int) -> list[int]:
    stream = shake_256(f"draw n={n} k={k} round={number} attempt={attempt}".encode()).digest(8 * n)
    return sorted(range(n), key=lambda entrant: (stream[8 * entrant : 8 * entrant + 8], entrant))
