"""Clickable places of a picture: rectangles that stand for a move, or for a word of a move.

They are data beside the picture and no part of it: a page lays buttons of its own over the picture, which stays an
image that runs nothing. Lengths are shares of the picture, from 0 to 1, so they hold at every size.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple


class Spot(NamedTuple):
    """A place that can be clicked."""

    left: float
    top: float
    width: float
    height: float
    word: str
    """A whole move (`hit`), or one of its words (`H3`)."""
    label: str
    """What it is, for those who cannot see it."""

    def to_value(self) -> dict[str, Any]:
        """As a JSON object."""
        return {
            "left": round(self.left, 5),
            "top": round(self.top, 5),
            "width": round(self.width, 5),
            "height": round(self.height, 5),
            "word": self.word,
            "label": self.label,
        }


def usable(spots: Iterable[Spot], legal: Collection[str]) -> list[Spot]:
    """Those of use among these legal moves."""
    words = {word for move in legal for word in move.split()}
    words.update(legal)
    return [spot for spot in spots if spot.word in words]
