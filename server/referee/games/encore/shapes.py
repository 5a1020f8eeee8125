"""The geometry of a sheet of Encore et Encore!, 15 columns and 7 rows: boxes as bits of a mask (bitboard).

Box number 7 × column + row is bit 2^number of a mask, so ascending bits are boxes in the order in which they are
printed: by column, then by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

WIDTH = 15
HEIGHT = 7
BOXES = WIDTH * HEIGHT
EVERY = (1 << BOXES) - 1

COLUMNS = tuple(((1 << HEIGHT) - 1) << HEIGHT * column for column in range(WIDTH))
ROWS = tuple(sum(1 << HEIGHT * column + row for column in range(WIDTH)) for row in range(HEIGHT))

_NOT_TOP = EVERY & ~ROWS[0]
_NOT_BOTTOM = EVERY & ~ROWS[-1]


def beside(boxes: int) -> int:
    """All boxes side by side with one of these, never diagonally (some of these may be among them)."""
    return EVERY & (boxes << HEIGHT) | boxes >> HEIGHT | (boxes & _NOT_BOTTOM) << 1 | (boxes & _NOT_TOP) >> 1


def numbers(boxes: int) -> Iterator[int]:
    """The numbers of these boxes, ascending."""
    while boxes:
        least = boxes & -boxes
        yield least.bit_length() - 1
        boxes ^= least


def region(start: int, within: int) -> int:
    """All boxes of `within` that can be walked to from `start`, side by side."""
    reached = start
    while (more := (reached | beside(reached)) & within) != reached:
        reached = more
    return reached


def connected(boxes: int) -> bool:
    """Whether these boxes hang together side by side."""
    return region(boxes & -boxes, boxes) == boxes


def regions(boxes: int) -> list[int]:
    """The connected regions of these boxes, in the order of their first box."""
    found = []
    while boxes:
        found.append(region(boxes & -boxes, boxes))
        boxes &= ~found[-1]
    return found


def subsets(boxes: int) -> Iterator[int]:
    """All non-empty subsets of these boxes."""
    subset = boxes
    while subset:
        yield subset
        subset = (subset - 1) & boxes


def squares() -> list[int]:
    """All 2×2 squares."""
    corner = 1 | 1 << 1 | 1 << HEIGHT | 1 << HEIGHT + 1
    return [corner << HEIGHT * column + row for column in range(WIDTH - 1) for row in range(HEIGHT - 1)]


def in_order(masks: Iterable[int]) -> list[int]:
    """These sets of boxes, each once, in canonical order: fewer boxes first, then by their boxes as printed."""
    return sorted(set(masks), key=lambda mask: (mask.bit_count(), tuple(numbers(mask))))
