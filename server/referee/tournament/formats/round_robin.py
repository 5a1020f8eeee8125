"""Round-robin as a format: the rounds of a schedule that is known as a whole before the first match.

A tournament stores that schedule when it is created, so it is not drawn round by round; here it can be asked for in
the same way as the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.rules.chance import Chance
from referee.tournament import schedule
from referee.tournament.formats.format import Drawn, DrawnTable, Field, Finished, Forecast, Format, SettledRound


@dataclass(frozen=True, slots=True)
class RoundRobin(Format):
    """A balanced or full schedule (`tournament.schedule`)."""

    schedule: str = "balanced"
    rounds: int | None = None

    def check(self, entrants: int, players: int) -> None:
        schedule.count_allowed(self.schedule, entrants, players, self.rounds)

    def next(self, field: Field, played: Sequence[SettledRound], chance: Chance) -> Drawn | Finished:
        pairings = schedule.build(self.schedule, field.entrants, field.players, self.rounds)
        number, last = len(played) + 1, pairings[-1].round
        tables = [pairing.seats for pairing in pairings if pairing.round == number]
        if not tables:
            return Finished(f"all {last} rounds are played")
        seated = {one for table in tables for one in table}
        byes = tuple(one for one in sorted(field.active) if one not in seated)
        why = f"{self.schedule} schedule"
        return Drawn(tuple(DrawnTable(table, why) for table in tables), f"round {number} of {last}", byes)

    def forecast(self, entrants: int, players: int) -> Forecast | None:
        matches = schedule.count(self.schedule, entrants, players, self.rounds)
        rounds = players if self.rounds is None else self.rounds
        return Forecast((rounds, rounds), (matches, matches))

    def places(self, field: Field, played: Sequence[SettledRound]) -> list[tuple[int, ...]]:
        """By mean rank; ratings order the table of a tournament."""
        ranks: list[list[int]] = [[] for _ in range(field.entrants)]
        for round in played:
            for table in round.tables:
                for one, rank in zip(table.seats, table.ranks or (), strict=False):
                    ranks[one].append(rank)
        means = [sum(each) / len(each) if each else float("inf") for each in ranks]
        return [tuple(one for one in range(field.entrants) if means[one] == mean) for mean in sorted(set(means))]
