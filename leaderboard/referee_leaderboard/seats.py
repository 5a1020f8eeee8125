"""What the seats did: per bot and seat, and over all bots per seat, and whether a seat is an advantage at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum, sqrt

Z = 1.959963984540054
"""Standard errors on each side of a 95 % interval."""
LEVEL = 0.05
"""Below this probability of so large a difference between equal seats, seats are said to differ."""


@dataclass(frozen=True, slots=True)
class SeatRecord:
    """One bot in one seat."""

    bot: str
    seat: int
    matches: int
    wins: int
    """First places, alone or shared."""
    mean_rank: float | None = None
    wins_split: float | None = None
    """Wins, a shared first place divided among those who share it."""
    low: float | None = None
    high: float | None = None
    """The 95 % interval of the share of matches won."""

    @property
    def won(self) -> float:
        return self.wins if self.wins_split is None else self.wins_split


@dataclass(frozen=True, slots=True)
class SeatTotal:
    """One seat over all bots."""

    seat: int
    matches: int
    wins: int
    wins_split: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def won(self) -> float:
        return self.wins if self.wins_split is None else self.wins_split


@dataclass(frozen=True, slots=True)
class Seats:
    """Every seat a bot has sat in, and the totals per seat."""

    records: tuple[SeatRecord, ...] = ()
    overall: tuple[SeatTotal, ...] = ()
    p_value: float | None = None
    """How likely ranks by seat would differ at least so much if no seat were better; None if it cannot be told."""

    @property
    def differ(self) -> bool:
        """Whether the one test over all seats says that they are not alike."""
        return self.p_value is not None and self.p_value < LEVEL

    @property
    def verdict(self) -> str:
        """Whether a seat is an advantage, in a sentence; empty where it cannot be told."""
        if self.p_value is None:
            return ""
        shown = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"
        if self.differ:
            return f"the seats are not alike: {shown} for all seats together"
        return f"no seat is seen to be better: {shown} for all seats together"

    @classmethod
    def tally(cls, bots: Sequence[str], results: Iterable[tuple[Sequence[str], Sequence[int]]]) -> Seats:
        """Count results (bots by seat, ranks by seat), without the test of all seats together."""
        counts: dict[tuple[str, int], SeatCount] = {}
        totals: dict[int, SeatCount] = {}
        for seated, ranks in results:
            first = list(ranks).count(1)
            for seat, (bot, rank) in enumerate(zip(seated, ranks, strict=True)):
                counts.setdefault((bot, seat), SeatCount()).add(rank, first)
                totals.setdefault(seat, SeatCount()).add(rank, first)
        records = tuple(
            count.record(bot, seat) for bot in bots for seat in sorted(totals) if (count := counts.get((bot, seat)))
        )
        return cls(records, tuple(totals[seat].total(seat) for seat in sorted(totals)))


@dataclass(slots=True)
class SeatCount:
    """Matches in one seat, summed up."""

    matches: int = 0
    ranks: int = 0
    firsts: Counter[int] = field(default_factory=Counter)
    """First places by how many shared them."""

    def add(self, rank: int, first: int, times: int = 1) -> None:
        """A match in which so many seats were first; with −1 times, one that was added is taken back."""
        self.matches += times
        self.ranks += times * rank
        if rank == 1:
            self.firsts[first] += times

    def merge(self, other: SeatCount) -> None:
        self.matches += other.matches
        self.ranks += other.ranks
        self.firsts.update(other.firsts)

    def record(self, bot: str, seat: int, together: float = 1.0) -> SeatRecord:
        """This count as one bot's; `together` matches at a time are not independent of each other."""
        low, high = self._interval(together)
        won = split(self.firsts)
        return SeatRecord(
            bot, seat, self.matches, self.firsts.total(), self.ranks / self.matches, won, round(low, 6), round(high, 6)
        )

    def total(self, seat: int, together: float = 1.0) -> SeatTotal:
        """This count as that of all bots."""
        low, high = self._interval(together)
        return SeatTotal(seat, self.matches, self.firsts.total(), split(self.firsts), round(low, 6), round(high, 6))

    def _interval(self, together: float) -> tuple[float, float]:
        return wilson(split(self.firsts) / together, self.matches / together)


def split(firsts: Mapping[int, int]) -> float:
    """Wins with shared first places divided, from how many shared each; the same in whatever order they came."""
    return fsum(times / shared for shared, times in sorted(firsts.items()))


def wilson(wins: float, matches: float) -> tuple[float, float]:
    """The 95 % Wilson score interval of a rate."""
    rate = wins / matches
    scale = 1 + Z * Z / matches
    centre = (rate + Z * Z / (2 * matches)) / scale
    reach = Z * sqrt(max(0.0, rate * (1 - rate)) / matches + Z * Z / (4 * matches * matches)) / scale
    return max(0.0, centre - reach), min(1.0, centre + reach)
