"""Maximum matching: as many disjoint pairs as a graph allows (Edmonds' blossom algorithm).

It answers whether all entrants of a round of two-player tables can be paired without a repeat, and if not, how few
repeats there must be. A pair is found by growing a tree of alternating paths from an entrant without a partner; an odd
cycle in it (a blossom) is shrunk to one point, its base.
"""

from __future__ import annotations

from collections.abc import Sequence


def maximum_matching(neighbours: Sequence[Sequence[int]]) -> list[int]:
    """The partner of each vertex, or -1. `neighbours[v]` lists those v may be paired with, best first."""
    partner = [-1] * len(neighbours)
    for vertex, near in enumerate(neighbours):  # greedily first; what is left needs a search
        if partner[vertex] < 0:
            free = next((other for other in near if partner[other] < 0), -1)
            if free >= 0:
                partner[vertex], partner[free] = free, vertex
    for vertex in range(len(neighbours)):
        if partner[vertex] < 0:
            _Search(neighbours, partner).augment(vertex)
    return partner


class _Search:
    """One search for a path from a vertex without a partner to another one, along which partners are exchanged."""

    def __init__(self, neighbours: Sequence[Sequence[int]], partner: list[int]) -> None:
        self.neighbours = neighbours
        self.partner = partner
        size = len(partner)
        self.before = [-1] * size
        """The vertex from which an odd one was reached."""
        self.base = list(range(size))
        self.even = [False] * size

    def augment(self, root: int) -> bool:
        """Pair the root by exchanging partners along a path; False if there is no such path."""
        self.even[root] = True
        waiting = [root]
        for vertex in waiting:  # grows while it is walked through
            for other in self.neighbours[vertex]:
                if self.base[vertex] == self.base[other] or self.partner[vertex] == other:
                    continue
                if other == root or (self.partner[other] >= 0 and self.before[self.partner[other]] >= 0):
                    waiting.extend(self._shrink(vertex, other))
                elif self.before[other] < 0:
                    self.before[other] = vertex
                    if self.partner[other] < 0:
                        self._exchange_along(other)
                        return True
                    self.even[self.partner[other]] = True
                    waiting.append(self.partner[other])
        return False

    def _exchange_along(self, end: int) -> None:
        while end >= 0:
            start = self.before[end]
            following = self.partner[start]
            self.partner[end], self.partner[start] = start, end
            end = following

    def _shrink(self, one: int, two: int) -> list[int]:
        """Make one point of the odd cycle that an edge between two even vertices closes; who became even by it."""
        base = self._common_base(one, two)
        inside = [False] * len(self.base)
        self._mark(one, base, two, inside)
        self._mark(two, base, one, inside)
        fresh: list[int] = []
        for vertex, own in enumerate(self.base):
            if inside[own]:
                self.base[vertex] = base
                if not self.even[vertex]:
                    self.even[vertex] = True
                    fresh.append(vertex)
        return fresh

    def _common_base(self, one: int, two: int) -> int:
        seen = [False] * len(self.base)
        while True:
            one = self.base[one]
            seen[one] = True
            if self.partner[one] < 0:  # the root
                break
            one = self.before[self.partner[one]]
        while not seen[self.base[two]]:
            two = self.before[self.partner[self.base[two]]]
        return self.base[two]

    def _mark(self, vertex: int, base: int, child: int, inside: list[bool]) -> None:
        while self.base[vertex] != base:
            inside[self.base[vertex]] = inside[self.base[self.partner[vertex]]] = True
            self.before[vertex] = child
            child = self.partner[vertex]
            vertex = self.before[child]
