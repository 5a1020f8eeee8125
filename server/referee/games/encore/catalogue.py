"""A catalogue of shapes that finds all with certain boxes at once: a set of shapes is one int with a bit for each.

To list what a player can mark, it is not necessary to try shape after shape. The sets of shapes that have a certain box
are worked out once; then what can be marked is a union of a few of them without the union of some others. From such a
set the moves are taken a few shapes at a time, for the same few shapes are open again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from referee.games.encore.moves import Move
from referee.games.encore.remembered import Remembered
from referee.games.encore.shapes import BOXES, numbers

MOST_KEPT = 16_384
"""Unions that are remembered: the same few thousand sets of boxes come again and again."""
AT_A_TIME = 11
"""Shapes whose moves are taken at a time."""
LOWEST = (1 << AT_A_TIME) - 1
"""The bits of so many shapes, once the set is shifted to where they begin."""


MOST_CHOSEN = 1024
"""Choices among the same few shapes that are remembered."""


Section = tuple[int, Remembered[int, tuple[Move, ...]]]
"""Where the bits of a few shapes begin in a set, and their moves by the bits of those that are open."""


class Catalogue:
    """Shapes in groups, each in an order of its own; never changed."""

    __slots__ = ("_groups", "every", "having")

    def __init__(self, groups: Sequence[Sequence[int]]) -> None:
        self._groups: list[list[tuple[int, Sequence[int]]]] = []
        by_box = [0] * BOXES
        self.every = 0
        """The set of all of them."""
        place = 0
        for shapes in groups:
            self._groups.append([])
            for first in range(0, len(shapes), AT_A_TIME):
                few = shapes[first : first + AT_A_TIME]
                self._groups[-1].append((place, few))
                for bit, shape in enumerate(few, place):
                    self.every |= 1 << bit
                    for number in numbers(shape):
                        by_box[number] |= 1 << bit
                place += AT_A_TIME
        self.having = _unions(by_box)
        """The set of those that have one of these boxes."""

    def sections(self, group: int, way: int) -> list[Section]:
        """Where the shapes of a group are, with the moves that mark them in this way."""
        return [
            (place, Remembered(_those([Move(way, shape) for shape in few]), MOST_CHOSEN))
            for place, few in self._groups[group]
        ]


def chosen(sections: Sequence[Section], found: int) -> list[Move]:
    """The moves of the shapes of a set, in the order of the sections."""
    moves: list[Move] = []
    for place, open_moves in sections:
        moves += open_moves[found >> place & LOWEST]
    return moves


def _those(moves: Sequence[Move]) -> Callable[[int], tuple[Move, ...]]:
    return lambda bits: tuple([moves[place] for place in numbers(bits)])


def _unions(by_box: Sequence[int]) -> Callable[[int], int]:
    @lru_cache(maxsize=MOST_KEPT)
    def union(boxes: int) -> int:
        found = 0
        for number in numbers(boxes):
            found |= by_box[number]
        return found

    return union
