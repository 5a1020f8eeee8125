"""Playing a bot against others in this process, without server and clock: thousands of decisions a second."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena import bots
from arena.errors import ArenaError, Refused
from arena.results import Result


class NoRules(ArenaError, ImportError):
    """The rules of the games are not installed."""


@dataclass(frozen=True, slots=True)
class Series:
    """How a bot did in a series of matches."""

    results: tuple[Result, ...]
    """By match; `result.rank` and `result.score` are the bot's own."""
    decisions: int
    """How many moves all seats made."""
    seconds: float

    @property
    def matches(self) -> int:
        return len(self.results)

    @property
    def mean_rank(self) -> float:
        return sum(result.rank for result in self.results) / len(self.results)

    @property
    def first(self) -> int:
        """In how many matches nobody was better."""
        return sum(result.rank == 1 for result in self.results)

    def __str__(self) -> str:
        pace = self.decisions / self.seconds if self.seconds else 0.0
        return (
            f"{self.matches} matches: mean rank {self.mean_rank:.2f} of {len(self.results[0].ranks)}, "
            f"{self.first} first; {self.decisions:,} decisions, {pace:,.0f} a second"
        )


def play(
    bot: bots.Bot,
    others: Sequence[str | bots.Bot],
    *,
    game: str,
    matches: int = 100,
    options: Mapping[str, Any] | None = None,
    seed: str = "arena.testing",
) -> Series:
    """Play matches and tell how the bot did; it changes its seat from match to match.

    `others` are bots of any kind, or names of house bots such as "random". The same seed deals the same cards. An error
    in a bot, or a move that is not legal, ends the series with BotFailed. Needs `pip install referee-arena`, or NoRules
    is raised.
    """
    if isinstance(others, str) or not isinstance(others, Sequence):
        raise Refused(f'others={others!r} is not a list of bots such as ["random"]')
    if not isinstance(matches, int) or isinstance(matches, bool) or matches < 1:
        raise Refused(f"matches={matches!r} is not a whole number, 1 or more")
    for player in (bot, *others):
        if player is bot or not isinstance(player, str):
            bots.check(player)
    try:
        from referee import testing as rules
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "referee":
            raise
        raise NoRules("arena.testing.play needs the rules of the games: pip install referee-arena") from None
    began = time.perf_counter()
    results = []
    decisions = 0
    for result, made in rules.series((bot, *others), game, matches, options or {}, seed):
        results.append(result)
        decisions += made
    return Series(tuple(results), decisions, time.perf_counter() - began)
