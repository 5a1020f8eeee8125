"""Order-free ratings as a value: how strong each bot is by all results together, and how sure the order is.

Beside the live ratings of `Standing`, which depend on the order of the matches. Empty while it is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

SURE = 0.975
"""From here on one bot is said to be ahead of another."""


@dataclass(frozen=True, slots=True)
class Strength:
    """What all results say of one bot."""

    bot: str
    value: float
    """Relative to the mean of the field, on the scale of μ."""
    error: float
    """Standard error of the value, as far as the width of the field is known."""
    rank: int
    rank_low: int
    rank_high: int
    """With 95 % probability the bot's true rank is from `rank_low` to `rank_high`."""
    first: float
    """How likely it is that no bot is stronger."""
    matches: int = 0
    chances: tuple[float, ...] = ()
    """How likely each rank is, the first one first; empty in very large fields."""
    low: float | None = None
    high: float | None = None
    """The true strength is from `low` to `high` in 95 % of cases, however narrow the field; None: told by a server of
    before, and taken from `error`."""

    @property
    def interval(self) -> tuple[float, float]:
        """From where to where the strength is, with 95 % confidence."""
        if self.low is None or self.high is None:
            return self.value - 1.96 * self.error, self.value + 1.96 * self.error
        return self.low, self.high


@dataclass(frozen=True, slots=True)
class Strengths:
    """What all results say of a field."""

    rows: tuple[Strength, ...] = ()
    """Strongest first."""
    ahead: tuple[tuple[float, ...], ...] = ()
    """`ahead[a][b]`: how likely it is that row a's bot is stronger than row b's; empty in very large fields."""
    groups: tuple[tuple[int, ...], ...] = ()
    """Brackets of rows, first and last, within which no bot is surely ahead of another."""
    width: float = 0.0
    """The standard deviation of the strengths in this field, as far as it is known."""
    matches: int = 0
    """How many results this rests on."""
    notes: tuple[str, ...] = ()
    """What has to be said about these numbers: bots that never met, models that disagree."""

    def __post_init__(self) -> None:
        if self.ahead and [len(row) for row in self.ahead] != [len(self.rows)] * len(self.rows):
            raise ValueError(f"ahead must be a square of {len(self.rows)} by {len(self.rows)}")
        if any(len(group) != 2 or not 0 <= group[0] <= group[1] < len(self.rows) for group in self.groups):
            raise ValueError("a group must be the first and the last of its rows")
