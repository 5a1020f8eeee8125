"""What the seats did: per bot and seat, and over all bots per seat, to show whether a seat is an advantage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """One bot in one seat."""

    bot: str
    seat: int
    matches: int
    wins: int
    mean_rank: float | None = None


@dataclass(frozen=True, slots=True)
class SeatTotal:
    """One seat over all bots."""

    seat: int
    matches: int
    wins: int


@dataclass(frozen=True, slots=True)
class Seats:
    """Every seat a bot has sat in, and the totals per seat."""

    records: tuple[SeatRecord, ...] = ()
    overall: tuple[SeatTotal, ...] = ()

    @classmethod
    def tally(cls, bots: Sequence[str], results: Iterable[tuple[Sequence[str], Sequence[int]]]) -> Seats:
        """Count results (bots by seat, ranks by seat); a shared first rank is a win for each who shares it."""
        counts: dict[tuple[str, int], _Count] = {}
        totals: dict[int, _Count] = {}
        for seated, ranks in results:
            for seat, (bot, rank) in enumerate(zip(seated, ranks, strict=True)):
                counts.setdefault((bot, seat), _Count()).add(rank)
                totals.setdefault(seat, _Count()).add(rank)
        records = tuple(
            SeatRecord(bot, seat, count.matches, count.wins, count.ranks / count.matches)
            for bot in bots
            for seat in sorted(totals)
            if (count := counts.get((bot, seat)))
        )
        overall = tuple(SeatTotal(seat, totals[seat].matches, totals[seat].wins) for seat in sorted(totals))
        return cls(records, overall)


@dataclass(slots=True)
class _Count:
    matches: int = 0
    wins: int = 0
    ranks: int = 0

    def add(self, rank: int) -> None:
        self.matches += 1
        self.wins += rank == 1
        self.ranks += rank
