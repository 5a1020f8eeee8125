"""TrueSkill ratings: a leaderboard from results in schedule order, the same to the last bit every time.

TrueSkill updates do not commute, so results are rated in the order of the schedule, never in the
order in which matches happened to end. Rating one result after the other and rating all of them
from scratch is the same computation. Neither the order of the seats nor the names of the bots
enter into it (see `trueskill_update.py` for that and for what keeps the numbers sane).

A match of one player leaves the ratings as they are: TrueSkill only learns from comparison. In a
solo game the standing is therefore the mean score, which the scoreboard computes, or
the caller rates the solo matches of one deal as one result ranked by score.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from referee.tournament.ratings.trueskill_update import Belief, Skill

__all__ = [
    "DRAW_FLOOR",
    "MOST_DRAWS",
    "Belief",
    "Rating",
    "RatingError",
    "RatingSettings",
    "Ratings",
    "Result",
    "VersionMark",
    "Versions",
    "digest",
]

DRAW_FLOOR = 0.001
"""The least draw probability used. With 0 a tie is impossible, and TrueSkill answers one with noise
(σ may even rise); one tie in a thousand pairs is small enough not to be felt where ties never happen,
and leaves six digits of the update of a tie."""

MOST_DRAWS = 0.99
"""The largest draw probability that still lets a win be told from a tie."""

Result = tuple[Sequence[str], Sequence[int]]
"""One match: the bots by seat and their ranks by seat. A lower rank is better, equal ranks are a tie."""

Versions = Sequence[int | None]
"""By seat, the version of the submitted bot that played; None for a bot that was connected, and for a house bot. Empty
if none was submitted."""


class RatingError(ValueError):
    """Settings or a result that cannot be rated; the message says what is wrong with them."""


@dataclass(frozen=True, slots=True)
class RatingSettings:
    """The constants of TrueSkill. How often two equal bots tie is a property of the game."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 0.0
    draw_probability: float = 0.0
    version_sigma: float = 0.0
    """The least σ with which a version of a bot begins that has not played before; 0: versions are not told apart."""
    by_library: bool = False
    """As it was computed before (`by_library.py`)."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.mu):
            raise RatingError(f"mu must be a finite number, not {self.mu}")
        for name, value in (("sigma", self.sigma), ("beta", self.beta)):
            if not (math.isfinite(value) and value > 0):
                raise RatingError(f"{name} must be a finite number above 0, not {value}")
        if not (math.isfinite(self.tau) and self.tau >= 0):
            raise RatingError(f"tau must be a finite number of at least 0, not {self.tau}")
        if not (math.isfinite(self.version_sigma) and 0 <= self.version_sigma <= self.sigma):
            raise RatingError(f"version_sigma must be from 0 to {self.sigma}, not {self.version_sigma}")
        if not 0 <= self.draw_probability <= MOST_DRAWS:
            raise RatingError(f"draw_probability must be from 0 to {MOST_DRAWS}, not {self.draw_probability}")


class VersionMark(NamedTuple):
    """The rating of one version of a bot: after how many matches of its own it was where it is, or ended."""

    version: int
    """0 while it was no submitted version: the bot was connected."""
    matches: int
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class Rating:
    """A row of the rating table."""

    bot: str
    mu: float
    sigma: float

    @property
    def exposed(self) -> float:
        """μ − 3σ: a skill the bot has almost surely shown."""
        return self.mu - 3 * self.sigma


class Ratings:
    """Ratings that take one result after the other, in schedule order."""

    def __init__(self, settings: RatingSettings, bots: Iterable[str] = ()) -> None:
        """`bots` are listed at the prior even before their first result."""
        self.settings = settings
        self._prior = Belief(float(settings.mu), float(settings.sigma))
        kind = _library_skill() if settings.by_library else Skill
        self._skill = kind(settings.beta, settings.tau, max(settings.draw_probability, DRAW_FLOOR))
        self._beliefs: dict[str, Belief] = dict.fromkeys(bots, self._prior)
        self._versions: dict[str, tuple[VersionMark, ...]] = {}

    def enter(self, bot: str) -> None:
        """List a further bot at the prior."""
        self._beliefs.setdefault(bot, self._prior)

    @property
    def beliefs(self) -> Mapping[str, Belief]:
        """What is believed of every bot; not to be changed."""
        return self._beliefs

    @property
    def versions(self) -> Mapping[str, tuple[VersionMark, ...]]:
        """The versions of every bot in the order in which they first played; empty if they are not told apart."""
        return self._versions

    def begin_with(
        self, beliefs: Mapping[str, Belief], versions: Mapping[str, tuple[VersionMark, ...]] | None = None
    ) -> None:
        """Take over what earlier results led to."""
        self._beliefs.update(beliefs)
        self._versions.update(versions or {})

    def copy(self) -> Ratings:
        """Independent ratings with the same past."""
        twin = Ratings(self.settings)
        twin._beliefs = self._beliefs.copy()
        twin._versions = self._versions.copy()
        return twin

    def rate(self, result: Result, versions: Versions = ()) -> None:
        """Take in the next result.

        Where versions are told apart, one that has not played before begins with what is believed of the bot, but less
        surely.
        """
        bots, ranks = result
        _check(bots, ranks)
        beliefs = [self._beliefs.get(bot, self._prior) for bot in bots]
        apart = self.settings.version_sigma > 0
        played = [version or 0 for version in versions or (0,) * len(bots)]
        if apart:
            pairs = zip(bots, beliefs, played, strict=True)
            beliefs = [self._as_version(bot, belief, version) for bot, belief, version in pairs]
        if len(bots) > 1:
            beliefs = self._skill.update(beliefs, ranks)
        self._beliefs.update(zip(bots, beliefs, strict=True))
        if apart:
            for bot, belief, version in zip(bots, beliefs, played, strict=True):
                self._mark(bot, version, belief)

    def _as_version(self, bot: str, belief: Belief, version: int) -> Belief:
        marks = self._versions.get(bot, ())
        if not marks or any(mark.version == version for mark in marks):
            return belief
        return Belief(belief.mu, max(belief.sigma, self.settings.version_sigma))

    def _mark(self, bot: str, version: int, belief: Belief) -> None:
        marks = self._versions.get(bot, ())
        place = next((number for number, mark in enumerate(marks) if mark.version == version), len(marks))
        before = marks[place].matches if place < len(marks) else 0
        mark = VersionMark(version, before + 1, belief.mu, belief.sigma)
        self._versions[bot] = (*marks[:place], mark, *marks[place + 1 :])

    def table(self) -> list[Rating]:
        """All bots, best exposed rating first."""
        rows = [Rating(bot, belief.mu, belief.sigma) for bot, belief in self._beliefs.items()]
        return sorted(rows, key=lambda row: (-row.exposed, -row.mu, row.bot))


def digest(table: Iterable[Rating]) -> str:
    """SHA-256 of the table: equal exactly if every bot's μ and σ are equal to the last bit.

    One line of JSON per bot, sorted by name: the name, and μ and σ as hexadecimal floats.
    """
    rows = sorted((row.bot, row.mu.hex(), row.sigma.hex()) for row in table)
    return sha256("".join(json.dumps(row) + "\n" for row in rows).encode()).hexdigest()


def _library_skill() -> type[Skill]:
    from referee.tournament.ratings.by_library import LibrarySkill  # hardly ever needed, and it loads the package

    return LibrarySkill


def _check(bots: Sequence[str], ranks: Sequence[int]) -> None:
    if not bots:
        raise RatingError("a result needs at least one bot")
    if len(bots) != len(ranks):
        raise RatingError(f"a result of {len(bots)} bots needs as many ranks, not {len(ranks)}")
    if len(set(bots)) != len(bots):
        raise RatingError(f"a bot cannot sit twice at one table: {', '.join(bots)}")
