"""What the rounds so far add up to: points by rank, meetings, seats and byes of every entrant.

A place at a table is worth one point for every entrant left behind and half a point for every one level with. So two
players play for 1, ½ and 0, four for 3, 2, 1 and 0, and ties share what their places are worth. Points are kept as a
whole number of halves, so that sums are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from referee.tournament.formats.format import SettledRound, SettledTable
from referee.tournament.schedule.draw import MeetingHistory


def halves_by_rank(ranks: Sequence[int]) -> list[int]:
    """The points of each seat of a table, in halves: 2 for everyone behind, 1 for everyone level."""
    return [sum(2 if other > own else other == own for other in ranks) - 1 for own in ranks]


def as_points(halves: int) -> str:
    """Points as people write them: 3, 3½, ½."""
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


@dataclass(frozen=True, slots=True)
class Tally:
    """Sums over rounds, a row per entrant."""

    halves: list[int]
    """Points, in halves."""
    meetings: list[list[int]]
    """How often any two have sat at a table that has a result."""
    sat: list[list[int]]
    """How often each has sat in each seat of a table that has a result."""
    byes: list[int]

    def opposition(self, entrant: int) -> Fraction:
        """The mean points, in halves, of those the entrant has met, each as often as they met; 0 if it met none."""
        row = self.meetings[entrant]
        met = sum(row)
        return Fraction(sum(n * halves for n, halves in zip(row, self.halves, strict=True)), met) if met else Fraction()


def tally(entrants: int, players: int, played: Sequence[SettledRound], bye: int) -> Tally:
    """Add up rounds; `bye` is what a bye is worth, in halves.

    A table that was set aside has no result: its bots have neither met nor sat there. Those who were absent get nothing
    for it, the others as much as for a bye.
    """
    history = MeetingHistory(entrants, players)
    sums = Tally([0] * entrants, history.meetings, [[0] * players for _ in range(entrants)], [0] * entrants)
    for settled in played:
        for entrant in settled.byes:
            sums.byes[entrant] += 1
            sums.halves[entrant] += bye
        for table in settled.tables:
            for entrant, halves in zip(table.seats, _halves(table, bye), strict=True):
                sums.halves[entrant] += halves
            if table.ranks is not None:
                history.play([table.seats])
                for seat, entrant in enumerate(table.seats):
                    sums.sat[entrant][seat] += 1
    return sums


def _halves(table: SettledTable, bye: int) -> list[int]:
    if table.ranks is None:
        return [0 if seat in table.absent else bye for seat in range(len(table.seats))]
    return halves_by_rank(table.ranks)
