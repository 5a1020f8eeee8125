"""Ratings from scratch: what any other way to the same results is compared with."""

from __future__ import annotations

from collections.abc import Iterable

from referee.tournament.ratings import Rating, Ratings, RatingSettings, Result


def rate_all(settings: RatingSettings, results: Iterable[Result], bots: Iterable[str] = ()) -> list[Rating]:
    """The table after all these results, one after the other."""
    ratings = Ratings(settings, bots)
    for result in results:
        ratings.rate(result)
    return ratings.table()
