"""Ratings of results that come in any order, always as if they had come in theirs.

TrueSkill updates do not commute. `OrderedRatings` keeps the ratings of the unbroken beginning of the schedule, and goes
on from there, in schedule order, with all that has been played beyond the first open match. A late result is slipped in
at its place: only what comes after it is rated anew, from the last bookmark before it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

from referee.tournament.ratings import Belief, Ratings, RatingSettings, VersionMark, Versions

BOOKMARK_EVERY = 32
"""Results beyond the first open match between two bookmarks."""

Entry = tuple[int, tuple[str, ...], tuple[int, ...], Versions]
"""A result: its place in the schedule, the bots and their ranks by seat, and the versions that played."""


class OrderedRatings:
    """Results in, ratings out."""

    def __init__(self, settings: RatingSettings) -> None:
        self._settled = Ratings(settings)
        self._next = 0
        self._beyond: list[Entry] = []
        self._without: set[int] = set()
        # Ratings after so many of the results beyond, ascending.
        self._bookmarks: list[tuple[int, Ratings]] = []

    @property
    def settled(self) -> int:
        """How many matches, from the first of the schedule on, are rated or known to have no result."""
        return self._next

    @property
    def beyond(self) -> int:
        """How many results lie behind the first open match."""
        return len(self._beyond)

    @property
    def end(self) -> int:
        """The place behind the last match that is known here."""
        last = self._beyond[-1][0] if self._beyond else -1
        return max(self._next, last + 1, 1 + max(self._without, default=-1))

    def settled_beliefs(self) -> Mapping[str, Belief]:
        """The ratings of the settled beginning; not to be changed."""
        return self._settled.beliefs

    def settled_versions(self) -> Mapping[str, tuple[VersionMark, ...]]:
        """The versions that played in it; not to be changed."""
        return self._settled.versions

    def begin_at(
        self,
        settled: int,
        beliefs: Mapping[str, Belief],
        versions: Mapping[str, tuple[VersionMark, ...]] | None = None,
    ) -> None:
        """Begin behind the first so many matches, with the ratings that they led to."""
        self._settled.begin_with(beliefs, versions)
        self._next = settled

    def enter(self, bot: str) -> None:
        """List a further bot at the prior."""
        self._settled.enter(bot)
        for _, ratings in self._bookmarks:
            ratings.enter(bot)

    def has(self, ordinal: int) -> bool:
        """Whether this match is rated already, with a result or without."""
        if ordinal < self._next or ordinal in self._without:
            return True
        place = bisect_left(self._beyond, ordinal, key=_place)
        return place < len(self._beyond) and self._beyond[place][0] == ordinal

    def add(self, ordinal: int, bots: tuple[str, ...], ranks: tuple[int, ...], versions: Versions = ()) -> None:
        """Take in a result; each match once."""
        if ordinal == self._next and not self._beyond:
            self._settled.rate((bots, ranks), versions)
            self._next += 1
        else:
            place = bisect_left(self._beyond, ordinal, key=_place)
            self._beyond.insert(place, (ordinal, bots, ranks, versions))
            while self._bookmarks and self._bookmarks[-1][0] > place:
                self._bookmarks.pop()
        self._catch_up()

    def skip(self, ordinal: int) -> None:
        """This match will have no result."""
        self._without.add(ordinal)
        self._catch_up()

    def ratings(self) -> Ratings:
        """The ratings after all results; not to be changed."""
        if not self._beyond:
            return self._settled
        done, ratings = self._bookmarks[-1] if self._bookmarks else (0, self._settled)
        if done == len(self._beyond):
            return ratings
        marked = self._bookmarks[-2][0] if len(self._bookmarks) > 1 else 0
        if done - marked < BOOKMARK_EVERY and self._bookmarks:
            self._bookmarks.pop()  # the last one stood at the end; the end is further on now
        else:
            ratings, marked = ratings.copy(), done
        for number, (_, bots, ranks, versions) in enumerate(self._beyond[done:], done + 1):
            ratings.rate((bots, ranks), versions)
            if number - marked == BOOKMARK_EVERY:
                self._bookmarks.append((number, ratings))
                ratings, marked = ratings.copy(), number
        if marked < len(self._beyond):
            self._bookmarks.append((len(self._beyond), ratings))
        return ratings

    def _catch_up(self) -> None:
        """Settle what has become part of the unbroken beginning."""
        taken = 0
        while True:
            if self._next in self._without:
                self._without.discard(self._next)
            elif taken < len(self._beyond) and self._beyond[taken][0] == self._next:
                taken += 1
            else:
                break
            self._next += 1
        if not taken:
            return
        done, ratings = next((mark for mark in reversed(self._bookmarks) if mark[0] <= taken), (0, self._settled))
        if done:
            self._settled = ratings.copy()
        for _, bots, ranks, versions in self._beyond[done:taken]:
            self._settled.rate((bots, ranks), versions)
        del self._beyond[:taken]
        self._bookmarks = [(number - taken, later) for number, later in self._bookmarks if number > taken]


def _place(entry: Entry) -> int:
    return entry[0]
