"""The table of a group: its entrants in order, by what they have taken from their matches.

Ordered by points per match, for a withdrawal may leave some with fewer matches; then by points against those who are
level in that; then by the mean score; then by seed. So no two share a place.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum

from referee.tournament.formats.format import SettledTable
from referee.tournament.formats.tally import halves_by_rank


def group_order(group: Sequence[int], tables: Sequence[SettledTable]) -> list[int]:
    """The group from first to last; it is given in the order of seeds."""
    per_match = {entrant: points_per_match(entrant, tables) for entrant in group}

    def key(entrant: int) -> tuple[Fraction, Fraction, float, int]:
        level = [other for other in group if per_match[other] == per_match[entrant]]
        return (
            -per_match[entrant],
            -_against(entrant, level, tables),
            -_mean_score(entrant, tables),
            group.index(entrant),
        )

    return sorted(group, key=key)


def points_per_match(entrant: int, tables: Sequence[SettledTable]) -> Fraction:
    """In halves. A match that was set aside counts only for who was absent, as one without points."""
    taken: list[int] = []
    for table in tables:
        if entrant in table.seats:
            seat = table.seats.index(entrant)
            if table.ranks is not None:
                taken.append(halves_by_rank(table.ranks)[seat])
            elif seat in table.absent:
                taken.append(0)
    return Fraction(sum(taken), len(taken)) if taken else Fraction(0)


def _against(entrant: int, level: Sequence[int], tables: Sequence[SettledTable]) -> Fraction:
    """Points per meeting with others who are level, in halves; 1, as if drawn, where there was none."""
    taken: list[int] = []
    for table in tables:
        if table.ranks is None or entrant not in table.seats:
            continue
        own = table.ranks[table.seats.index(entrant)]
        taken += [
            2 if rank > own else int(rank == own)
            for other, rank in zip(table.seats, table.ranks, strict=True)
            if other != entrant and other in level
        ]
    return Fraction(sum(taken), len(taken)) if taken else Fraction(1)


def _mean_score(entrant: int, tables: Sequence[SettledTable]) -> float:
    scores = [
        table.scores[table.seats.index(entrant)]
        for table in tables
        if table.ranks is not None and table.scores and entrant in table.seats
    ]
    return fsum(scores) / len(scores) if scores else 0.0
