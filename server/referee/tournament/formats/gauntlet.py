"""Gauntlet: one or several challengers against a field; each table has one challenger.

A round is a pass: each challenger meets each bot of the field once, at tables of a challenger and k-1 others. What is
left of a pass, where the field is no multiple of k-1, is filled up with those whom the challenger has met least. The
challenger's seat moves on from table to table. Results do not matter for the draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.rules.chance import Chance
from referee.tournament.formats.format import Drawn, DrawnTable, Field, Finished, Forecast, Format, SettledRound
from referee.tournament.schedule.pairing import ScheduleError


@dataclass(frozen=True, slots=True)
class Gauntlet(Format):
    """So many passes of the challengers through the field."""

    challengers: tuple[int, ...] = (0,)
    """Who plays against all others, by position."""
    rounds: int = 1
    """How often each challenger meets the whole field."""

    def check(self, entrants: int, players: int) -> None:
        if players < 2:
            raise ScheduleError("a gauntlet is played at tables of at least 2: ask for more players per match")
        if self.rounds < 1:
            raise ScheduleError(f"a gauntlet of {self.rounds} rounds has no matches: ask for at least 1 round")
        if not self.challengers:
            raise ScheduleError("a gauntlet needs at least one challenger: name one")
        if len(set(self.challengers)) != len(self.challengers) or not all(
            0 <= one < entrants for one in self.challengers
        ):
            raise ScheduleError("each challenger must be one of the bots, named once")
        if entrants - len(self.challengers) < players - 1:
            raise ScheduleError(
                f"a gauntlet at tables of {players} needs {players - 1} or more bots beside the challengers, and "
                f"there are {entrants - len(self.challengers)}: enter more bots"
            )

    def next(self, field: Field, played: Sequence[SettledRound], chance: Chance) -> Drawn | Finished:
        if len(played) >= self.rounds:
            return Finished(f"all {self.rounds} rounds are played", tuple(self.places(field, played)))
        challengers = [one for one in self.challengers if one in field.active]
        others = sorted(field.active - set(self.challengers))
        if not challengers:
            return Finished("no challenger is left", tuple(self.places(field, played)))
        if len(others) < field.players - 1:
            return Finished("too few bots are left in the field", tuple(self.places(field, played)))
        met = _met(field.entrants, played)
        sat = [sum(one in table.seats for round in played for table in round.tables) for one in range(field.entrants)]
        tables = []
        for challenger in challengers:
            order = chance.order("field", others)
            missing = -len(order) % (field.players - 1)
            spare = sorted(order, key=lambda other: met[challenger][other])
            seated = order[: len(order) - len(order) % (field.players - 1)]
            rest = order[len(seated) :]
            groups = [seated[at : at + field.players - 1] for at in range(0, len(seated), field.players - 1)]
            if rest:
                groups.append(rest + [other for other in spare if other not in rest][:missing])
            for number, group in enumerate(groups):
                seat = (sat[challenger] + number) % field.players
                why = f"challenger in round {len(played) + 1}: meets every bot of the field once"
                if rest and number == len(groups) - 1 and missing:
                    why += f", filled up with {missing} once more"
                tables.append(DrawnTable((*group[:seat], challenger, *group[seat:]), why))
        return Drawn(tuple(tables), f"round {len(played) + 1} of {self.rounds}")

    def forecast(self, entrants: int, players: int) -> Forecast | None:
        a_pass = -(-(entrants - len(self.challengers)) // (players - 1))
        matches = self.rounds * len(self.challengers) * a_pass
        return Forecast((self.rounds, self.rounds), (matches, matches))

    def points(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float]:
        """The share of opponents that each entrant left behind, a tie counting half; 0 before its first match."""
        beaten, opponents = [0.0] * field.entrants, [0] * field.entrants
        for round in played:
            for table in round.tables:
                if table.ranks is None:
                    continue
                for one, rank in zip(table.seats, table.ranks, strict=True):
                    beaten[one] += sum((other > rank) + (other == rank) / 2 for other in table.ranks) - 0.5
                    opponents[one] += len(table.seats) - 1
        return [won / met if met else 0.0 for won, met in zip(beaten, opponents, strict=True)]

    def own_count(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float]:
        return self.points(field, played)

    def places(self, field: Field, played: Sequence[SettledRound]) -> list[tuple[int, ...]]:
        points = self.points(field, played)
        return [
            tuple(one for one in range(field.entrants) if points[one] == value)
            for value in sorted(set(points), reverse=True)
        ]


def _met(entrants: int, played: Sequence[SettledRound]) -> list[list[int]]:
    """How often any two were drawn to meet."""
    met = [[0] * entrants for _ in range(entrants)]
    for round in played:
        for table in round.tables:
            for one in table.seats:
                for other in table.seats:
                    met[one][other] += 1
    return met
