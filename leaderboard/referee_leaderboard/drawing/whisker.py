"""A rating as one line of characters: a whisker from μ − 3σ to μ + 3σ with a mark at μ, on a scale all rows share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.text import Text

from referee_leaderboard.sheet import line
from referee_leaderboard.standings import Standing


@dataclass(frozen=True, slots=True)
class Scale:
    """The ratings at the two ends of every whisker line."""

    low: float
    high: float

    @classmethod
    def over(cls, rows: Iterable[Standing]) -> Scale:
        """The narrowest scale that holds the whole whisker of every row."""
        edges = [edge for row in rows for edge in (row.mu - 3 * row.sigma, row.mu + 3 * row.sigma)]
        return cls(min(edges, default=0.0), max(edges, default=0.0))

    def cell(self, rating: float, width: int) -> int:
        """The cell, 0 to width - 1, in which a rating lies; the middle when all ratings are one point."""
        extent = self.high - self.low
        if not 0 < extent < float("inf"):
            return width // 2
        place = (rating - self.low) / extent * (width - 1)
        return min(width - 1, max(0, round(place)))


def whisker(row: Standing, scale: Scale, width: int) -> Text:
    """The line for one row, `width` cells wide."""
    if width <= 0:
        return line()
    low, middle, high = (scale.cell(row.mu + side * 3 * row.sigma, width) for side in (-1, 0, 1))
    low, high = min(low, high), max(low, high)
    middle = min(high, max(low, middle))
    cells = ["─"] * (high - low + 1)
    cells[0], cells[-1] = "├", "┤"
    cells[middle - low] = "◆"
    mark = middle - low
    return line(
        ("┈" * low, "dim"),
        ("".join(cells[:mark]), "cyan"),
        ("◆", "bold cyan"),
        ("".join(cells[mark + 1 :]), "cyan"),
        ("┈" * (width - 1 - high), "dim"),
    )
