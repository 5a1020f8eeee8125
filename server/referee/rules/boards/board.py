"""The board that a game brings: how its own type of view is drawn as text and as SVG, and told in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from referee.rules.boards.spots import Spot


def _any_view(view: Any) -> bool:
    return True


class Board(NamedTuple):
    """What a game draws itself; it is asked for views of its own type only, and everything else is drawn as a table."""

    view: type[Any]
    """The type of the game's views: a message, or `dict`."""
    draw: Callable[..., list[str]]
    """`draw(view, width, names, colour=…, ascii=…)` returns lines for a terminal."""
    paint: Callable[..., str]
    """`paint(view, names)` returns an SVG document."""
    told: Callable[..., list[str]] | None = None
    """`told(view, names)` says what happened, one line for each event; None: in the words of the events themselves."""
    spots: Callable[..., list[Spot]] | None = None
    """`spots(view, names)` are the places of the picture that can be clicked; None: there are none."""
    complete: Callable[[Any], bool] = _any_view
    """Whether a view of this type has all that drawing it needs, as every view of a match has."""

    def takes(self, view: Any) -> bool:
        """Whether this view can be drawn here."""
        return isinstance(view, self.view) and self.complete(view)
