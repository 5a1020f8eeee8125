"""Is any seat better than another? One test over all seats (Friedman's, the sign test for two), not one for each.

Looking at every seat's own 95 % interval finds a "guilty" seat in one fair series out of seven. The ranks of a match
are dealt to its seats in every order alike if no seat is better, whoever plays, as long as bots change their seats.
So the sums of ranks by seat tell. Matches of one mirrored block are one observation: the luck of a deal
stays in its seat.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from referee.tournament.statistics.distributions import chi_square_tail, coin_tail

LEAST = 5
"""Matches (or blocks) before anything is said."""
STEP = 0.5
"""Taken off every sum; sums move in steps of 2 where nobody is level. Without it three fair seats are accused in up to
5.8 % of series, with it in 2.4 to 4.4 %."""


class SeatsAlike:
    """Results in, the probability of so large a difference between equal seats out. The order does not matter."""

    def __init__(self, players: int) -> None:
        self._players = players
        self._sums = [0] * players
        self._squares = 0
        self.observations = 0
        """Matches, or blocks of them."""
        self._better = [0, 0]
        """Of two seats, how often each was ahead."""
        self._blocks: dict[int, list[int]] = {}
        """Of each block, how far its matches moved the seats, and last how many matches it has."""

    def add(self, ranks: Sequence[int], block: int, times: int = 1) -> None:
        """The ranks of a match by seat; matches with the same number of a block are taken together.

        With −1 times, a match that was added is taken back.
        """
        moved = [times * one for one in (*self._moved(ranks), 1)]
        before = self._blocks.pop(block, None)
        if before is not None:
            self._take(before[:-1], -1)
            moved = [one + other for one, other in zip(before, moved, strict=True)]
        if moved[-1]:
            self._blocks[block] = moved
            self._take(moved[:-1], 1)

    def add_alone(self, ranks: Sequence[int], times: int = 1) -> None:
        """So many matches with these ranks by seat, each of them a block of its own."""
        self._take(self._moved(ranks), times)

    def value(self, blocks: Collection[int]) -> dict[str, Any]:
        """All of it as plain JSON; of single blocks only these, which may still get further matches."""
        return {
            "sums": list(self._sums),
            "squares": self._squares,
            "observations": self.observations,
            "better": list(self._better),
            "blocks": [[block, *self._blocks[block]] for block in sorted(blocks) if block in self._blocks],
        }

    def restore(self, value: Mapping[str, Any]) -> None:
        """Begin with a value that was written by `value`."""
        self._sums, self._better = list(value["sums"]), list(value["better"])
        self._squares, self.observations = value["squares"], value["observations"]
        self._blocks = {block: list(moved) for block, *moved in value["blocks"]}

    def _moved(self, ranks: Sequence[int]) -> list[int]:
        """Twice the distance from the middle rank; those who share a rank have the mean of what they share."""
        return [2 * rank + ranks.count(rank) - self._players - 2 for rank in ranks]

    def _take(self, moved: Sequence[int], times: int) -> None:
        self.observations += times
        self._squares += times * sum(one * one for one in moved)
        for seat, one in enumerate(moved):
            self._sums[seat] += times * one
        if moved[0] != moved[-1]:
            self._better[moved[0] > moved[-1]] += times

    @property
    def p_value(self) -> float | None:
        """None for one seat, for few matches, and where all were always level."""
        if self._players < 2 or self.observations < LEAST or not self._squares:
            return None
        if self._players == 2:
            return coin_tail(*self._better)
        spread = self._squares / (self._players - 1)
        moved = sum(max(0.0, abs(one) - STEP) ** 2 for one in self._sums)
        return chi_square_tail(moved / spread, self._players - 1)
