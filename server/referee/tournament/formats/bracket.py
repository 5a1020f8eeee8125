"""The bracket of a knock-out: its tables, who meets whom and where the winners go, before anything is played.

The final has one table of k. The best m of a table advance, so the stages before it have k·k/m, k·(k/m)² … places.
Where the number of entrants is none of these, a preliminary round brings it down to one: the top seeds wait, the others
play, and a table lets one more or one fewer advance where the numbers ask for it.

Seeds are dealt to the tables forwards and backwards in turn, and the winner of a table takes the best place that was at
it; so the two best seeds can meet in the final only. Further places of a table go elsewhere than its winner, as far as
there is an elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from referee.tournament.formats.seeding import snake


@dataclass(frozen=True, slots=True)
class Slot:
    """Who sits at a table of the bracket: a seed, or whoever takes a place at an earlier table."""

    seed: int = 0
    """From 1; 0 if it comes from a table."""
    table: int = 0
    """The number of the table it comes from; 0 if it is a seed."""
    place: int = 0
    """The place there, from 1."""
    entrant: int | None = None
    """Who that is, once it is known."""
    name: str = ""
    """What a seed is called if not by its number: "winner of group A"."""

    def __str__(self) -> str:
        if self.name:
            return self.name
        if self.seed:
            return f"seed {self.seed}"
        return f"winner of table {self.table}" if self.place == 1 else f"place {self.place} of table {self.table}"


@dataclass(frozen=True, slots=True)
class BracketTable:
    """One pairing of the bracket, played as one or more blocks of matches."""

    number: int
    """From 1 through the whole bracket."""
    slots: tuple[Slot, ...]
    advance: int
    """How many go on; 1 for a final."""
    third_place: bool = False
    places: tuple[int, ...] = ()
    """The entrants from best to last, once it is decided."""
    how: str = ""
    """How it was decided: `played`, `further block`, `seeding` or `walkover`."""


@dataclass(frozen=True, slots=True)
class BracketStage:
    """Tables that are played at the same time."""

    name: str
    tables: tuple[BracketTable, ...]
    waiting: tuple[Slot, ...] = ()
    """Who has a bye."""


@dataclass(frozen=True, slots=True)
class Bracket:
    """All stages, the final last."""

    stages: tuple[BracketStage, ...]

    @property
    def tables(self) -> int:
        """How many tables there are."""
        return sum(len(stage.tables) for stage in self.stages)


def draw_bracket(entrants: int, players: int, advance: int, third_place: bool) -> Bracket:
    """The bracket for so many seeds; `advance` divides `players`, and there are at least `players` entrants."""
    slots = [Slot(seed=number) for number in range(1, entrants + 1)]
    stages: list[BracketStage] = []
    number = 0
    while len(slots) > players:
        out = _eliminated(len(slots), players, advance)
        waiting = slots[: len(slots) - players * len(out)]
        tables = [
            BracketTable(number + at, tuple(dealt), players - gone)
            for at, (dealt, gone) in enumerate(zip(snake(slots[len(waiting) :], len(out)), out, strict=True), 1)
        ]
        number += len(tables)
        stages.append(BracketStage("", tuple(tables), tuple(waiting)))
        rows = [
            [(table.number, Slot(table=table.number, place=place)) for table in tables if table.advance >= place]
            for place in range(1, players)
        ]
        slots = [*waiting, *cross_over([row for row in rows if row], len(waiting), players, advance)]
    last = [BracketTable(number + 1, tuple(slots), 1)]
    if third_place:
        losers = tuple(Slot(table=table.number, place=2) for table in stages[-1].tables)
        last.append(BracketTable(number + 2, losers, 1, third_place=True))
    stages.append(BracketStage("", tuple(last)))
    return Bracket(tuple(replace(stage, name=_name(stages, at, players)) for at, stage in enumerate(stages)))


def named(bracket: Bracket, names: Sequence[str]) -> Bracket:
    """The bracket with names instead of the numbers of its seeds."""

    def renamed(slots: tuple[Slot, ...]) -> tuple[Slot, ...]:
        return tuple(replace(slot, name=names[slot.seed - 1]) if slot.seed else slot for slot in slots)

    return Bracket(
        tuple(
            replace(
                stage,
                tables=tuple(replace(table, slots=renamed(table.slots)) for table in stage.tables),
                waiting=renamed(stage.waiting),
            )
            for stage in bracket.stages
        )
    )


def cross_over(rows: Sequence[Sequence[tuple[int, Slot]]], waiting: int, players: int, advance: int) -> list[Slot]:
    """Slots of the next stage from rows of (where from, slot), the winners' row first.

    Within its row each slot is put where as few as possible meet again at once that come from the same.
    """
    total = waiting + sum(len(row) for row in rows)
    if total > players:
        tables = len(_eliminated(total, players, advance))
        idle = total - tables * players
        table_of = [-1] * idle + [0] * (total - idle)
        for table, dealt in enumerate(snake(range(idle, total), tables)):
            for at in dealt:
                table_of[at] = table
    else:
        table_of = [0] * total
    met: set[tuple[int, int]] = set()
    slots: list[Slot] = []
    for row in rows:
        start = waiting + len(slots)
        order = _apart([origin for origin, _ in row], table_of[start : start + len(row)], met)
        for at, item in enumerate(order, start):
            origin, slot = row[item]
            slots.append(slot)
            if table_of[at] >= 0:  # who waits meets no one
                met.add((table_of[at], origin))
    return slots


def _apart(origins: Sequence[int], tables: Sequence[int], met: set[tuple[int, int]]) -> list[int]:
    """Which item of a row goes to which of as many places, so that as few as possible meet where they come from.

    A place is found for one item after the other, those before it making room if need be (a bipartite matching).
    """
    at_place = [-1] * len(origins)

    def seat(item: int, tried: set[int]) -> bool:
        fitting = [place for place, table in enumerate(tables) if (table, origins[item]) not in met]
        for place in sorted(fitting, key=lambda place: at_place[place] >= 0):  # a free one first
            if place not in tried:
                tried.add(place)
                if at_place[place] < 0 or seat(at_place[place], tried):
                    at_place[place] = item
                    return True
        return False

    left = [item for item in range(len(origins)) if not seat(item, set())]
    return [item if item >= 0 else left.pop(0) for item in at_place]


def _eliminated(count: int, players: int, advance: int) -> list[int]:
    """How many are out at each table of the next stage.

    The stage after it should have the most places that fit the bracket. If that cannot be reached at once, as many
    tables as can be are played first.
    """
    target = players
    while target * players // advance < count:
        target = target * players // advance
    most = count // players
    tables = min(most, -(-(count - target) // (players - advance)))
    if count - target > tables * (players - 1):
        return [players - advance] * most
    each, more = divmod(count - target, tables)
    return [each] * (tables - more) + [each + 1] * more


def _name(stages: Sequence[BracketStage], at: int, players: int) -> str:
    before_final = len(stages) - 1 - at
    if before_final == 0:
        return "final and third place" if len(stages[-1].tables) > 1 else "final"
    if stages[at].waiting:
        return "preliminary round" if at == 0 else f"preliminary round {at + 1}"
    if before_final == 1:
        return "semi-finals"
    if before_final == 2 and players == 2:
        return "quarter-finals"
    return f"round of {sum(len(table.slots) for table in stages[at].tables)}"
