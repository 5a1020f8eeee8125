"""The crosstable as a value: for every ordered pair of bots the meetings, the times better and the times equal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Three square tables over `bots`: entry [i][j] counts for bot i against bot j."""

    bots: tuple[str, ...] = ()
    meetings: tuple[tuple[int, ...], ...] = ()
    better: tuple[tuple[int, ...], ...] = ()
    """Meetings in which bot i finished ahead of bot j."""
    equal: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        size = len(self.bots)
        for name in ("meetings", "better", "equal"):
            square = getattr(self, name)
            if len(square) != size or any(len(row) != size for row in square):
                raise ValueError(f"{name} must be a square of {size} by {size}, one entry for every pair of bots")

    @classmethod
    def tally(cls, bots: Sequence[str], results: Iterable[tuple[Sequence[str], Sequence[int]]]) -> Crosstable:
        """Count results (bots by seat, ranks by seat); bots that are not in `bots` are passed over."""
        place = {bot: index for index, bot in enumerate(bots)}
        meetings, better, equal = (_square(len(bots)) for _ in range(3))
        for seated, ranks in results:
            table = [(place[bot], rank) for bot, rank in zip(seated, ranks, strict=True) if bot in place]
            for i, rank in table:
                for j, other in table:
                    if i == j:
                        continue
                    meetings[i][j] += 1
                    better[i][j] += rank < other
                    equal[i][j] += rank == other
        return cls(tuple(bots), _frozen(meetings), _frozen(better), _frozen(equal))


def _square(size: int) -> list[list[int]]:
    return [[0] * size for _ in range(size)]


def _frozen(square: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row) for row in square)
