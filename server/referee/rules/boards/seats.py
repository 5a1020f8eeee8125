"""What the views of all games share, made ready to be drawn: names of seats, who is asked, scores, ranks, the heading.

A name is whatever the author of a bot chose. It is cleaned here once, so drawings use `Names` and nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from referee.rules.boards.text import clean, clip, listed

LONGEST_NAME = 28
"""Columns of a name that are shown."""

PUBLIC = "the public"


class Names:
    """How seats are called: by their bots' names where they are known, else `seat 0` and so on."""

    def __init__(self, names: Sequence[str] | None = None) -> None:
        given = [clip(clean(name).strip(), LONGEST_NAME) for name in names or ()]
        often = Counter(given)
        self._bots = given
        # Two seats of the same bot are told apart.
        self._told = [f"{name} ({seat})" if often[name] > 1 else name for seat, name in enumerate(given)]

    def __getitem__(self, seat: int) -> str:
        """The seat in a sentence."""
        return (self._told[seat] if 0 <= seat < len(self._told) else "") or f"seat {seat}"

    def bot(self, seat: int) -> str:
        """The bot's name, without a number that tells it from others; empty where it is not known."""
        return self._bots[seat] if 0 <= seat < len(self._bots) else ""

    def column(self, seat: int) -> str:
        """The seat as the head of a row: its number, which moves use, and the bot's name."""
        bot = self.bot(seat)
        return f"{seat} {bot}" if bot else f"seat {seat}"

    def all(self, seats: Iterable[int]) -> str:
        """Several seats in a sentence."""
        return listed(self[seat] for seat in seats)


def seat_of(view: Any) -> int | None:
    """Whose view this is; None is the public."""
    if isinstance(view, Message):
        field: Any = view.DESCRIPTOR.fields_by_name.get("seat")
        present = field is not None and (not field.has_presence or view.HasField("seat"))
        seat = getattr(view, "seat", None) if present else None
    else:
        seat = view.get("seat") if isinstance(view, Mapping) else None
    return seat if isinstance(seat, int) and not isinstance(seat, bool) else None


def viewer(view: Any, names: Names) -> str:
    """Whose view this is, in words."""
    seat = seat_of(view)
    return f"seen by {PUBLIC if seat is None else names[seat]}"


def ending(ranks: Sequence[int], reason: str, names: Names) -> str:
    """How a match ended, in words: who won, and the reason as the game calls it."""
    first = [seat for seat, rank in enumerate(ranks) if rank == 1]
    # "finished" is what a game says that ends in one way only: it says nothing.
    why = "" if reason == "finished" else clean(reason).replace("_", " ")
    if not first:
        return f"the match is over: {why}" if why else "the match is over"
    verb = "wins" if len(first) == 1 else "share the first rank"
    return f"{names.all(first)} {verb} ({why})" if why else f"{names.all(first)} {verb}"


def ordinal(rank: int) -> str:
    """1st, 2nd, 3rd, 4th …"""
    if rank % 100 in (11, 12, 13):
        return f"{rank}th"
    return f"{rank}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(rank % 10, 'th') }"
