"""How even a schedule is: the least and most meetings, seats and byes anybody has in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from referee.tournament.schedule.pairing import Pairing


@dataclass(frozen=True, slots=True)
class Spread:
    """Each pair of numbers is (least, most)."""

    rounds: int
    matches: int
    meetings: tuple[int, int]
    """Meetings of two entrants, over all pairs of entrants."""
    seats: tuple[int, int]
    """Matches of one entrant in one seat, over all entrants and seats."""
    seat_gap: int
    """The largest difference between two seats of the same entrant."""
    byes: tuple[int, int]
    """Rounds in which an entrant does not play, over all entrants."""


def spread(schedule: Sequence[Pairing], n: int) -> Spread:
    """Measure a schedule of n entrants."""
    k = max((len(pairing.seats) for pairing in schedule), default=0)
    met = dict.fromkeys(combinations(range(n), 2), 0)
    sat = [[0] * k for _ in range(n)]
    present: list[set[int]] = [set() for _ in range(n)]
    for pairing in schedule:
        for pair in combinations(sorted(pairing.seats), 2):
            met[pair] += 1
        for seat, entrant in enumerate(pairing.seats):
            sat[entrant][seat] += 1
            present[entrant].add(pairing.round)
    rounds = len({pairing.round for pairing in schedule})
    return Spread(
        rounds=rounds,
        matches=len(schedule),
        meetings=_range(met.values()),
        seats=_range(count for counts in sat for count in counts),
        seat_gap=max((max(counts) - min(counts) for counts in sat if counts), default=0),
        byes=_range(rounds - len(played) for played in present),
    )


def _range(counts: Iterable[int]) -> tuple[int, int]:
    values = list(counts)
    return (min(values), max(values)) if values else (0, 0)
