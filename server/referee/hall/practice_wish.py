"""A bot's wish for practice, and which wishes make up a table: every bot at it has asked for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.hall.presence import ConnectedBot
from referee.rules.game import Game


@dataclass(slots=True, eq=False)
class Wish:
    """What a bot waits for."""

    bot: ConnectedBot
    game: Game[Any]
    options: Mapping[str, Any]
    house: tuple[str, ...]
    """House bots at the table, one for each seat."""
    named: frozenset[str]
    """Bots that have to be at the table, and have to wish for that too."""
    remote: int
    """How many bots at the table are no house bots, this one included."""
    left: int
    """Matches still to play."""
    dropped: bool = False
    told: bool = False
    """Whether the bot knows that it waits for its tournament."""

    def fits(self, other: Wish) -> bool:
        """Whether both want the same table, but for who sits there."""
        return (
            self.game is other.game
            and self.options == other.options
            and sorted(self.house) == sorted(other.house)
            and self.remote == other.remote
            and self.bot.name != other.bot.name
        )

    @property
    def alive(self) -> bool:
        return not self.dropped and self.left > 0 and self.bot.connected and not self.bot.leaving


def table_for(wish: Wish, waiting: Iterable[Wish]) -> list[Wish]:
    """The others that would sit down with this wish, those who wait longest first; perhaps fewer than it takes.

    A bot is taken together with all that it names. So no bot is seated without those it asked for, and none that does
    not wish for this table.
    """
    waits = {other.bot.name: other for other in waiting if wish.fits(other)}
    table = _with_named({wish.bot.name: wish}, wish, waits)
    if table is None:
        return []
    for other in waits.values():
        if len(table) == wish.remote:
            break
        if other.bot.name not in table:
            larger = _with_named(table, other, waits)
            if larger is not None and len(larger) <= wish.remote:
                table = larger
    return [other for other in waits.values() if other.bot.name in table]


def _with_named(table: Mapping[str, Wish], wish: Wish, waits: Mapping[str, Wish]) -> dict[str, Wish] | None:
    """A table with one more wish and all that it names, and they name; None if one of them does not wait."""
    larger = {**table, wish.bot.name: wish}
    open_ = [wish]
    while open_:
        for name in open_.pop().named:
            if name not in larger:
                if name not in waits:
                    return None
                larger[name] = waits[name]
                open_.append(waits[name])
    return larger if len(larger) <= wish.remote else None
