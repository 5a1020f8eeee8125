"""Histories of ratings for the page: read once from the store, then only what is new."""

from __future__ import annotations

import threading
from collections import OrderedDict

from referee.store import MatchState, Store
from referee.tournament.plan import Plan
from referee.tournament.ratings.history import Point, RatingHistory, VersionBegins
from referee.tournament.standings import SETTLED, rating_settings

MOST_KEPT = 16


class Histories:
    """The histories of the tournaments that are looked at. Used from threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[str, _Followed] = OrderedDict()
        self._lock = threading.Lock()

    def points(self, tournament: str) -> list[Point]:
        """The ratings over time of a tournament that exists."""
        return self._followed(tournament).points()

    def versions(self, tournament: str, bot: str) -> list[VersionBegins]:
        """Where the versions of one of its bots begin."""
        return self._followed(tournament).versions(bot)

    def _followed(self, tournament: str) -> _Followed:
        with self._lock:
            followed = self._kept.pop(tournament, None) or _Followed(self._store, tournament)
            self._kept[tournament] = followed
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return followed


class _Followed:
    """One tournament, followed along the unbroken beginning of its schedule."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = name
        self._lock = threading.Lock()
        self._rulings = 0
        self._begin()

    def _begin(self) -> None:
        self._history: RatingHistory | None = None
        self._next = 0

    def points(self) -> list[Point]:
        with self._lock:
            return self._read().points()

    def versions(self, bot: str) -> list[VersionBegins]:
        with self._lock:
            return self._read().versions(bot)

    def _read(self) -> RatingHistory:
        """The history with what is new."""
        tournament = self._store.tournaments.get(self._name)
        first_open = self._store.matches.first_open(tournament.id)
        rulings = self._store.rulings.count(tournament.id)
        put_back = first_open is not None and first_open < self._next
        if put_back or rulings != self._rulings:  # a match was put back, or a result counts no longer: all begins anew
            self._begin()
            self._rulings = rulings
        if self._history is None:
            self._history = RatingHistory(rating_settings(Plan.of(tournament)))
        names = [entrant.name for entrant in self._store.tournaments.entrants(tournament.id)]
        if not self._history.bots <= set(names):  # one that had joined was taken back
            self._begin()
            self._history = RatingHistory(rating_settings(Plan.of(tournament)))
        for name in names:
            self._history.enter(name)
        for match in self._store.matches.in_schedule_order(tournament.id, SETTLED, after=self._next - 1):
            assert match.ordinal is not None
            if first_open is not None and match.ordinal >= first_open:
                break
            if match.state is MatchState.FINISHED:
                ranks, versions = [seat.rank or 0 for seat in match.seats], [seat.version for seat in match.seats]
                self._history.add([seat.name for seat in match.seats], ranks, versions)
            self._next = match.ordinal + 1
        return self._history
