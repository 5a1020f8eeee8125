"""A catalogue of shapes that finds all with certain boxes at once: a set of shapes is one int with a byte for each.

To list what a player can mark, it is not necessary to try shape after shape. The sets of shapes that have a certain box
are worked out once; then what can be marked is a union of a few of them without the union of some others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from referee.games.encore.shapes import BOXES, numbers

MOST_KEPT = 4096
"""Unions that are remembered: the same few thousand sets of boxes come again and again."""


class Catalogue:
    """Shapes in an order of their own; never changed."""

    __slots__ = ("every", "having", "size")

    def __init__(self, shapes: Sequence[int]) -> None:
        self.size = len(shapes)
        self.every = int.from_bytes(b"\1" * self.size, "little")
        """The set of all of them."""
        by_box = [bytearray(self.size) for _ in range(BOXES)]
        for place, shape in enumerate(shapes):
            for number in numbers(shape):
                by_box[number][place] = 1
        self.having = _unions([int.from_bytes(flags, "little") for flags in by_box])
        """The set of those that have one of these boxes."""

    def flags(self, found: int) -> bytes:
        """A set as a byte for each shape: 1 if the shape is in it, else 0."""
        return found.to_bytes(self.size, "little")


def _unions(by_box: Sequence[int]) -> Callable[[int], int]:
    @lru_cache(maxsize=MOST_KEPT)
    def union(boxes: int) -> int:
        found = 0
        for number in numbers(boxes):
            found |= by_box[number]
        return found

    return union
