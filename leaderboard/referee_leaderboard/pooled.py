"""A bot that was entered several times: its entries taken together, in a line of their own beside the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from referee_leaderboard.names import clean, count, decimal, plural, wins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from referee_leaderboard.standings import Standing

NAMED = 4
"""Entries that are named; further ones are counted."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """What several entries of one bot have together. Ratings are not pooled: each entry has its own."""

    bot: str
    entries: tuple[str, ...]
    matches: int
    """By seats: a match in which two of its entries sat counts for both."""
    wins: int
    mean_rank: float
    mean_score: float
    faults: int = 0
    wins_split: float | None = None
    """Wins, shared first places divided; None where it is not known."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mean_rank) and math.isfinite(self.mean_score)):
            raise ValueError("the means of a pooled line must be finite numbers")

    @classmethod
    def of(cls, bot: str, entries: Sequence[str], rows: Sequence[Standing]) -> Self | None:
        """The entries of a bot together; None if it has only one, or none has played."""
        own = [row for row in rows if row.bot in entries and row.matches]
        matches = sum(row.matches for row in own)
        if len(entries) < 2 or not matches:
            return None
        return cls(
            bot,
            tuple(entries),
            matches,
            sum(row.wins for row in own),
            sum((row.mean_rank or 0.0) * row.matches for row in own) / matches,
            sum((row.mean_score or 0.0) * row.matches for row in own) / matches,
            sum(row.faults for row in own),
            math.fsum(row.won for row in own),
        )

    def sentences(self, players: int) -> tuple[str, ...]:
        """The line for people, and ever shorter ones for less room; alone at a table a win says nothing."""
        more = len(self.entries) - NAMED
        *first, last = [clean(name) for name in self.entries[:NAMED]] + ([f"{count(more)} more"] if more > 0 else [])
        won = self.wins if self.wins_split is None else self.wins_split
        matches, rank = plural(self.matches, "match"), f"mean rank {decimal(self.mean_rank)}"
        score = f"mean score {decimal(self.mean_score, 1)}"
        figures = f"{matches}, {wins(won)} {'win' if won == 1 else 'wins'}, {rank}, {score}"
        if players == 1:
            figures, rank = f"{matches}, {score}", score
        faults = f", {plural(self.faults, 'fault')}" if self.faults else ""
        names = f"{clean(self.entries[0])} ×{count(len(self.entries))}"
        return (
            f"{', '.join(first)} and {last} are the same bot; together: {figures}{faults}",
            f"{names} together: {figures}{faults}",
            f"{names} together: {matches}, {rank}",
        )
