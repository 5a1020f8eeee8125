"""History of ratings: what every bot's rating was after so many matches, in schedule order, thinned out as it grows."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from referee.tournament.ratings import Ratings, RatingSettings, Versions

MOST_POINTS = 240
"""Points that are kept: more than a screen can tell apart."""


@dataclass(frozen=True, slots=True)
class Point:
    """The ratings after so many matches: μ and σ by bot."""

    matches: int
    ratings: dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class VersionBegins:
    """A version of a submitted bot that plays from here on."""

    matches: int
    """How many matches were rated before its first."""
    version: int


class RatingHistory:
    """Takes results in schedule order; every point is a moment of the unbroken beginning of the schedule."""

    def __init__(self, settings: RatingSettings, bots: Sequence[str] = ()) -> None:
        self._ratings = Ratings(settings, bots)
        self._every = 1
        self.matches = 0
        self._versions: dict[str, list[VersionBegins]] = {}
        self._points = [self._now()]

    @property
    def bots(self) -> Set[str]:
        """Who is listed."""
        return self._ratings.beliefs.keys()

    def enter(self, bot: str) -> None:
        """List a further bot at the prior."""
        self._ratings.enter(bot)

    def add(self, bots: Sequence[str], ranks: Sequence[int], versions: Versions = ()) -> None:
        """Take in the next result."""
        for bot, version in zip(bots, versions, strict=False):
            begun = self._versions.get(bot, [])
            if version is not None and (not begun or begun[-1].version != version):
                self._versions[bot] = [*begun, VersionBegins(self.matches, version)]
        self._ratings.rate((bots, ranks), versions)
        self.matches += 1
        if self.matches % self._every == 0:
            self._points.append(self._now())
            if len(self._points) > MOST_POINTS:
                self._every *= 2
                self._points = [point for point in self._points if point.matches % self._every == 0]

    def points(self) -> list[Point]:
        """The history up to now, oldest first; the last one is the present."""
        return self._points if self._points[-1].matches == self.matches else [*self._points, self._now()]

    def versions(self, bot: str) -> list[VersionBegins]:
        """Where versions of a bot begin, in schedule order; one that is gone back to begins again."""
        return self._versions.get(bot, [])

    def _now(self) -> Point:
        return Point(self.matches, {row.bot: (row.mu, row.sigma) for row in self._ratings.table()})
