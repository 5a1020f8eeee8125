"""Swiss: a fixed number of rounds in which bots meet others with about as many points, and never the same ones if that
can be avoided.

A round is drawn by three wishes, the first before the second before the third:

1. no two meet again (the sum over all pairs at a table of the squares of their earlier meetings is least),
2. bots at a table have about equally many points (the sum over all pairs of the squares of the gaps is least),
3. bots at a table have sat in different seats, so that all can sit where they have sat least.

Who sits out is settled before: first those with the fewest byes, of these those with the fewest points. Another choice
among those with equally few byes is tried only where it saves a repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from referee.rules.chance import Chance
from referee.tournament.formats.format import Drawn, DrawnTable, Field, Finished, Forecast, Format, SettledRound
from referee.tournament.formats.grouping import FEW, cheapest_groups, cost_of, ways
from referee.tournament.formats.seeding import listed, seed_order, snake
from referee.tournament.formats.tally import Tally, as_points, tally
from referee.tournament.schedule.draw import Groups
from referee.tournament.schedule.pairing import ScheduleError
from referee.tournament.schedule.seating import seat_table

BYES = ("half", "win", "none")

_BYES_TRIED = 40
"""Choices of who sits out that are tried to save a repeat; a quarter of them where a draw takes long."""


_BYES_FOR_GAPS = 8
"""Choices of who sits out that are tried to narrow the gaps."""

_ORDERS = 12
"""Orders of lots from which a large field is drawn at most; fewer the larger it is."""


@dataclass(frozen=True, slots=True)
class Swiss(Format):
    """The settings of a Swiss tournament."""

    rounds: int | None = None
    """How many rounds; None: enough to single out one of so many bots by wins alone at tables of two, ⌈log₂ n⌉."""
    bye: str = "half"
    """What a bye is worth: `half` of a win (the middle of a table), a `win`, or `none`."""

    def check(self, entrants: int, players: int) -> None:
        """ScheduleError if it cannot be played; says what to change."""
        if players < 2:
            raise ScheduleError("a Swiss tournament needs tables of at least 2: ask for more players per match")
        if entrants < players:
            raise ScheduleError(
                f"{players} players per match need at least {players} bots, and there are {entrants}: enter more bots"
            )
        if self.rounds is not None and self.rounds < 1:
            raise ScheduleError(f"a Swiss tournament of {self.rounds} rounds has no matches: ask for at least 1 round")
        if self.bye not in BYES:
            raise ScheduleError(f"a bye cannot be worth {self.bye!r}: choose {', '.join(BYES[:-1])} or {BYES[-1]}")

    def rounds_of(self, entrants: int) -> int:
        """How many rounds are played by so many."""
        return self.rounds if self.rounds is not None else max(1, (entrants - 1).bit_length())

    def forecast(self, entrants: int, players: int) -> Forecast:
        """As many rounds as are set; fewer only if bots withdraw until none can be drawn."""
        rounds = self.rounds_of(entrants)
        return Forecast((rounds, rounds), (rounds * (entrants // players),) * 2)

    def points(self, field: Field, played: Sequence[SettledRound]) -> Tally:
        """Points, meetings, seats and byes after these rounds."""
        return tally(field.entrants, field.players, played, self._bye(field.players))

    def own_count(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float]:
        return [half / 2 for half in self.points(field, played).halves]

    def tie_breaks(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float]:
        """The mean points of those whom each has met."""
        sums = self.points(field, played)
        return [float(sums.opposition(entrant) / 2) for entrant in range(field.entrants)]

    def places(self, field: Field, played: Sequence[SettledRound]) -> list[tuple[int, ...]]:
        """By points, then by the mean points of those met; who is level in both shares a place."""
        sums = self.points(field, played)
        level: dict[tuple[int, object], list[int]] = {}
        for entrant in range(field.entrants):
            level.setdefault((sums.halves[entrant], sums.opposition(entrant)), []).append(entrant)
        return [tuple(level[key]) for key in sorted(level, reverse=True)]

    def next(self, field: Field, played: Sequence[SettledRound], chance: Chance) -> Drawn | Finished:
        """The next round, or Finished after the last one."""
        rounds = self.rounds_of(field.entrants)
        if len(played) >= rounds:
            return Finished(f"all {rounds} rounds are played", tuple(self.places(field, played)))
        if len(field.active) < field.players:
            return Finished(
                f"{len(field.active)} bots are left and a table needs {field.players}",
                tuple(self.places(field, played)),
            )
        sums = self.points(field, played)
        stage = f"round {len(played) + 1} of {rounds}"
        if not played and field.seeding:
            return _first_round(field, sums, stage)
        groups, byes, proven = _draw(field, sums, chance)
        return Drawn(tuple(_table(group, sums, proven) for group in groups), stage, byes)

    def _bye(self, players: int) -> int:
        return {"half": players - 1, "win": 2 * (players - 1), "none": 0}[self.bye]


def _first_round(field: Field, sums: Tally, stage: str) -> Drawn:
    """With seeds known, the strongest are spread over the tables, and the last seeds sit out."""
    order = seed_order(field, field.active)
    count = len(order) // field.players
    number = {entrant: seed for seed, entrant in enumerate(order, 1)}
    tables = [
        DrawnTable(
            seat_table(group, sums.sat),
            f"seeds {listed([str(number[entrant]) for entrant in group])}: the first round spreads the seeds",
        )
        for group in snake(order[: count * field.players], count)
    ]
    return Drawn(tuple(tables), stage, tuple(sorted(order[count * field.players :])))


def _draw(field: Field, sums: Tally, chance: Chance) -> tuple[Groups, tuple[int, ...], bool]:
    """Tables from the most points to the fewest, who sits out, and whether the fewest repeats are proven."""
    active = sorted(field.active)
    playing = len(active) - len(active) % field.players
    quick = field.players == 2 or ways(playing, field.players) <= FEW
    choices = _bye_choices(field, sums, chance.order("lots", active))
    best: Groups = []
    best_byes: tuple[int, ...] = ()
    best_cost: tuple[int, int] | None = None
    proven = True
    for tried, byes in enumerate(choices):
        points = sorted(sums.halves[entrant] for entrant in byes)
        if best_cost and not best_cost[0]:
            # No repeat: others of the same points may still sit out instead if that narrows the gaps.
            if tried >= _BYES_FOR_GAPS or points != sorted(sums.halves[entrant] for entrant in best_byes):
                break
        elif tried >= (_BYES_TRIED if quick else _BYES_TRIED // 4):
            proven = False
            break
        groups, cost, certain = _tables([entrant for entrant in active if entrant not in byes], field, sums, chance)
        proven = proven and certain
        if best_cost is None or cost < best_cost:
            best, best_byes, best_cost = groups, byes, cost
        if cost == (0, 0):
            break
    return _from_the_top(best, sums), best_byes, proven


def _tables(playing: list[int], field: Field, sums: Tally, chance: Chance) -> tuple[Groups, tuple[int, int], bool]:
    """Tables of those who play; their repeats and how far the gaps are from ideal; whether fewer repeats cannot be.

    A large field is drawn from several orders of lots, for exchanging entrants finds a better draw from one order than
    from another. No further order is tried once the gaps are what they would be if all might meet again.
    """
    best: Groups = []
    best_cost = -1
    proven = False
    weights, repeat, gap = _weights(playing, sums, field.players)
    ideal = _least_gap([sums.halves[entrant] for entrant in playing], field.players)
    exact = ways(len(playing), field.players) <= FEW
    for _ in range(1 if exact else max(1, min(_ORDERS, 4 * _ORDERS * field.players // len(playing)))):
        lots = chance.order("lots", range(len(playing)))
        order = sorted(lots, key=lambda at: -sums.halves[playing[at]])
        ordered = [[row[at] for at in order] for row in (weights[at] for at in order)]
        groups, certain = cheapest_groups(len(playing), field.players, ordered, repeat, gap)
        cost = cost_of(groups, ordered)
        proven = proven or certain
        if best_cost < 0 or cost < best_cost:
            best, best_cost = [[playing[order[at]] for at in group] for group in groups], cost
        # Saving repeats takes long, and another order hardly ever saves one more.
        if best_cost // gap <= ideal or (best_cost >= repeat and field.players > 2):
            break
    repeats = best_cost // repeat
    return best, (repeats, max(0, best_cost % repeat // gap - ideal)), proven or not repeats


def _least_gap(halves: list[int], players: int) -> int:
    """The least sum of squared gaps if everyone might meet: neighbours in points sit together."""
    falling = sorted(halves)
    tables = [falling[at : at + players] for at in range(0, len(falling), players)]
    return sum((a - b) ** 2 for table in tables for a, b in combinations(table, 2))


def _from_the_top(groups: Groups, sums: Tally) -> Groups:
    """The table with the most points is table 1."""
    return sorted(groups, key=lambda group: sorted(-sums.halves[entrant] for entrant in group))


def _bye_choices(field: Field, sums: Tally, lots: list[int]) -> Iterator[tuple[int, ...]]:
    """Who could sit out, the best choice first: all with fewer byes than others, and some of those at the limit."""
    out = len(lots) % field.players
    strength = field.seeding or (0.0,) * field.entrants
    lowest = sorted(lots, key=lambda entrant: (sums.byes[entrant], sums.halves[entrant], strength[entrant]))
    limit = sums.byes[lowest[out - 1]] if out else 0
    first = [entrant for entrant in lowest if sums.byes[entrant] < limit] if out else []
    level = [entrant for entrant in lowest if sums.byes[entrant] == limit] if out else []
    for some in combinations(level, out - len(first)):
        yield tuple(sorted([*first, *some]))


def _weights(playing: list[int], sums: Tally, players: int) -> tuple[list[list[int]], int, int]:
    """What each pair costs, and what one repeat and one unit of gap cost: each more than all below it in a round.

    Seats: the product of how far two have sat from even, summed over the seats, is high where both have sat too often
    in the same ones.
    """
    pairs = len(playing) * (players - 1) // 2
    uneven = [[players * times - sum(sums.sat[entrant]) for times in sums.sat[entrant]] for entrant in playing]
    clash = [[sum([x * y for x, y in zip(one, two, strict=True)]) for two in uneven] for one in uneven]
    least, most = min(map(min, clash)), max(map(max, clash))
    gap = 1 + pairs * (most - least)
    halves = [sums.halves[entrant] for entrant in playing]
    widest = max(halves) - min(halves)
    repeat = 1 + pairs * (gap * widest**2 + most - least)
    weights = [
        [repeat * met[other] ** 2 + gap * (own - halves[at]) ** 2 + row[at] - least for at, other in enumerate(playing)]
        for met, own, row in zip((sums.meetings[entrant] for entrant in playing), halves, clash, strict=True)
    ]
    for at, row in enumerate(weights):
        row[at] = 0
    return weights, repeat, gap


def _table(group: Sequence[int], sums: Tally, proven: bool) -> DrawnTable:
    points = sorted((sums.halves[entrant] for entrant in group), reverse=True)
    if points[0] == points[-1]:
        each = f"{'both' if len(group) == 2 else f'all {len(group)}'} have {as_points(points[0])} points"
    else:
        each = f"they have {listed([as_points(halves) for halves in points])} points"
    again = sum(sums.meetings[a][b] > 0 for a, b in combinations(group, 2))
    if not again:
        met = "and have not met"
    else:
        met = f"and {'have' if len(group) == 2 else 'some of them have'} met before: "
        met += "no draw of this round has fewer repeats" if proven else "no draw with fewer repeats was found"
    return DrawnTable(seat_table(group, sums.sat), f"{each} {met}")
