"""Groups and finals: a round-robin in each of several groups, and a knock-out of the best of them.

Seeds are dealt to the groups forwards and backwards in turn, so that the groups are about equally strong. All of the
groups' rounds follow from the settings alone; a table at which a bot has withdrawn is left out. The bracket of the
finals is known beforehand, too: its seeds are "winner of group A", "place 2 of group B", put so that bots of one group
do not meet at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.rules.chance import Chance
from referee.tournament import schedule
from referee.tournament.formats.bracket import Bracket, Slot, cross_over, named
from referee.tournament.formats.course import Course
from referee.tournament.formats.format import (
    Drawn,
    DrawnTable,
    Field,
    Finished,
    Forecast,
    Format,
    SettledRound,
    SettledTable,
)
from referee.tournament.formats.group_table import group_order, points_per_match
from referee.tournament.formats.knockout import Knockout
from referee.tournament.formats.seeding import seed_order, snake
from referee.tournament.schedule.pairing import ScheduleError


@dataclass(frozen=True, slots=True)
class GroupsFinals(Format):
    """The settings of groups and finals."""

    groups: int = 2
    qualify: int = 2
    """How many of each group go to the finals."""
    rounds: int | None = None
    """Rounds of a balanced round-robin in each group; None: a full one, every table in every rotation of its seats."""
    advance: int | None = None
    blocks: int = 1
    further: int = 1
    third_place: bool = False
    """These four are the knock-out's."""

    @property
    def finals(self) -> Knockout:
        """The knock-out after the groups."""
        return Knockout(self.advance, self.blocks, self.further, self.third_place)

    def check(self, entrants: int, players: int) -> None:
        """ScheduleError if it cannot be played; says what to change."""
        if self.groups < 1:
            raise ScheduleError(f"there cannot be {self.groups} groups: ask for at least 1")
        if self.qualify < 1:
            raise ScheduleError(f"the best {self.qualify} of a group make no final: let at least 1 qualify")
        smallest = entrants // self.groups
        if smallest < players:
            raise ScheduleError(
                f"{self.groups} groups of {players} or more need at least {self.groups * players} bots, and there are "
                f"{entrants}: ask for fewer groups, or enter more bots"
            )
        if self.qualify >= smallest and self.groups * self.qualify == entrants:
            raise ScheduleError(
                f"all bots would qualify: let fewer of a group do so (--with qualify={self.qualify - 1})"
            )
        if self.qualify > smallest:
            raise ScheduleError(
                f"the smallest group has {smallest} bots and {self.qualify} should qualify: let fewer qualify"
            )
        finalists = self.groups * self.qualify
        if finalists < players:
            raise ScheduleError(
                f"the final needs {players} bots and {finalists} would qualify: let more qualify, or make more groups"
            )
        for size in (smallest, -(-entrants // self.groups)):
            schedule.count_allowed("full" if self.rounds is None else "balanced", size, players, self.rounds)
        self.finals.check(finalists, players)

    def forecast(self, entrants: int, players: int) -> Forecast:
        """The groups' rounds and the knock-out's."""
        kind = "full" if self.rounds is None else "balanced"
        sizes = [len(group) for group in snake(range(entrants), self.groups)]
        matches = sum(schedule.count(kind, size, players, self.rounds) for size in sizes)
        rounds = players if self.rounds is None else self.rounds
        finals = self.finals.forecast(self.groups * self.qualify, players)
        return Forecast(
            (rounds + finals.rounds[0], rounds + finals.rounds[1]),
            (matches + finals.matches[0], matches + finals.matches[1]),
            finals.turned,
        )

    def groups_of(self, field: Field, played: Sequence[SettledRound]) -> list[list[int]]:
        """Who is in which group, in the order of seeds."""
        return snake(seed_order(field, played[0].active if played else field.active), self.groups)

    def tables_of_groups(self, field: Field, played: Sequence[SettledRound]) -> list[list[int]]:
        """Each group from first to last after these rounds."""
        groups = self.groups_of(field, played)
        settled = self._walk(field, groups, played)[1]
        return [group_order(group, settled[at]) for at, group in enumerate(groups)]

    def stands(self) -> bool:
        return True

    def bracket(self, field: Field, played: Sequence[SettledRound]) -> Bracket:
        """The bracket of the finals; who is in it is known once the groups are over."""
        course = self._finals(field, played)
        return course.bracket if course else self._empty(field.players)[0]

    def next(self, field: Field, played: Sequence[SettledRound], chance: Chance) -> Drawn | Finished:
        """The next round of the groups, then the finals, then Finished with the places."""
        groups = self.groups_of(field, played)
        if not played and min(map(len, groups)) < field.players:
            return Finished(f"{len(field.active)} bots are too few for {self.groups} groups of {field.players} or more")
        drawn = self._walk(field, groups, played)[0]
        if drawn is not None:
            return drawn
        course = self._finals(field, played)
        if course is None:
            return Finished("too few bots are left for a final", tuple(self.places(field, played)))
        return course.drawn or Finished("the final is decided", tuple(self.places(field, played)))

    def places(self, field: Field, played: Sequence[SettledRound]) -> list[tuple[int, ...]]:
        """The finals' places, then the others by their place in their group; bots that never were in come last."""
        if min(map(len, self.groups_of(field, played))) < field.players:
            return [tuple(range(field.entrants))]
        course = self._finals(field, played)
        places = course.places() if course else []
        inside = {entrant for place in places for entrant in place}
        orders = [[e for e in order if e not in inside] for order in self.tables_of_groups(field, played)]
        offset = [len(group) - len(order) for group, order in zip(self.groups_of(field, played), orders, strict=True)]
        for place in range(max(map(len, orders), default=0) + max(offset)):
            level = [
                order[place - skipped]
                for order, skipped in zip(orders, offset, strict=True)
                if 0 <= place - skipped < len(order)
            ]
            if level:
                places.append(tuple(sorted(level)))
        known = {entrant for place in places for entrant in place}
        never = tuple(entrant for entrant in range(field.entrants) if entrant not in known)
        return [*places, never] if never else places

    def _walk(
        self, field: Field, groups: Sequence[Sequence[int]], played: Sequence[SettledRound]
    ) -> tuple[Drawn | None, list[list[SettledTable]], int]:
        """The groups' next round if there is one, the settled tables of each group, and how many rounds they took."""
        kind = "full" if self.rounds is None else "balanced"
        plans = [schedule.build(kind, len(group), field.players, self.rounds) for group in groups]
        rounds = max(pairing.round for plan in plans for pairing in plan)
        group_of = {entrant: at for at, group in enumerate(groups) for entrant in group}
        settled: list[list[SettledTable]] = [[] for _ in groups]
        taken = 0
        for number in range(1, rounds + 1):
            active = played[taken].active if taken < len(played) else field.active
            tables = [
                DrawnTable(seats, f"group {letter(at)}, round {number} of {rounds}: {_WHY[kind]}")
                for at, (group, plan) in enumerate(zip(groups, plans, strict=True))
                for pairing in plan
                if pairing.round == number
                and active.issuperset(seats := tuple(group[entrant] for entrant in pairing.seats))
            ]
            if not tables:
                continue
            if taken == len(played):
                playing = {entrant for table in tables for entrant in table.seats}
                byes = tuple(sorted(entrant for entrant in group_of if entrant in active and entrant not in playing))
                return Drawn(tuple(tables), f"groups, round {number} of {rounds}", byes), settled, taken
            for table in played[taken].tables:
                settled[group_of[table.seats[0]]].append(table)
            taken += 1
        return None, settled, taken

    def _finals(self, field: Field, played: Sequence[SettledRound]) -> Course | None:
        """The course of the finals; None while the groups are played, or if too few are left."""
        groups = self.groups_of(field, played)
        if min(map(len, groups)) < field.players:
            return None
        drawn, settled, taken = self._walk(field, groups, played)
        if drawn is not None:
            return None
        rounds = played[taken:]
        if rounds and rounds[0].otherwise:  # who qualified has qualified, whatever was annulled since
            settled = self._walk(field, groups, rounds[0].drawn_from(played[:taken]))[1]
        active = rounds[0].active if rounds else field.active
        orders = [
            [entrant for entrant in group_order(group, settled[at]) if entrant in active]
            for at, group in enumerate(groups)
        ]
        # Where a group has too few left, the best of the others who have not qualified follow.
        spare = sorted(
            (place, -points_per_match(entrant, settled[at]), at, entrant)
            for at, order in enumerate(orders)
            for place, entrant in enumerate(order)
            if place >= self.qualify
        )
        bracket, places = self._empty(field.players)
        order: list[int] = []
        for at, place in places:
            if place < len(orders[at]):
                order.append(orders[at][place])
            elif spare:
                order.append(spare.pop(0)[-1])
        if len(order) < field.players:
            return None
        if len(order) < len(places):
            bracket = self.finals.empty_bracket(len(order), field.players)
        return Course(bracket, order, rounds, field.active, self.blocks, self.further)

    def _empty(self, players: int) -> tuple[Bracket, list[tuple[int, int]]]:
        """The bracket of the finals with its seeds by name, and group and place (from 0) of each seed."""
        rows = [
            [(group, Slot(table=group, place=place)) for group in range(self.groups)] for place in range(self.qualify)
        ]
        seeds = [(slot.table, slot.place) for slot in cross_over(rows, 0, players, self.finals.advance_of(players))]
        names = [
            f"winner of group {letter(group)}" if place == 0 else f"place {place + 1} of group {letter(group)}"
            for group, place in seeds
        ]
        return named(self.finals.empty_bracket(len(seeds), players), names), seeds


_WHY = {
    "full": "every table of the group is played in every rotation of its seats",
    "balanced": "all of the group meet about equally often",
}


def letter(group: int) -> str:
    """What a group is called: A … Z, then AA, AB …"""
    name = ""
    group += 1
    while group:
        group, last = divmod(group - 1, 26)
        name = chr(ord("A") + last) + name
    return name
