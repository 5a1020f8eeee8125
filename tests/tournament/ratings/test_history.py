"""Ratings over time: every point is what rating so many results gives, and there are never too many points."""

from __future__ import annotations

from itertools import pairwise

from referee.tournament.ratings import Ratings, RatingSettings
from referee.tournament.ratings.history import MOST_POINTS, RatingHistory, VersionBegins

SETTINGS = RatingSettings(draw_probability=0.1)
RESULTS = [((f"b{n % 3}", f"b{(n + 1) % 3}"), (1, 1 + n % 2)) for n in range(3 * MOST_POINTS)]


def test_every_point_is_the_rating_after_so_many_results() -> None:
    history = RatingHistory(SETTINGS, ["b0", "b1", "b2"])
    for bots, ranks in RESULTS:
        history.add(bots, ranks)
    for point in history.points():
        ratings = Ratings(SETTINGS, ["b0", "b1", "b2"])
        for result in RESULTS[: point.matches]:
            ratings.rate(result)
        assert point.ratings == {row.bot: (row.mu, row.sigma) for row in ratings.table()}


def test_points_are_thinned_out_evenly_and_the_last_is_the_present() -> None:
    history = RatingHistory(SETTINGS, ["b0", "b1", "b2"])
    for bots, ranks in RESULTS:
        history.add(bots, ranks)
        assert len(history.points()) <= MOST_POINTS + 1
        assert history.points()[-1].matches == history.matches
    numbers = [point.matches for point in history.points()]
    assert numbers[0] == 0
    assert len({after - before for before, after in pairwise(numbers[:-1])}) == 1


def test_a_version_begins_before_its_first_match_and_again_when_it_is_gone_back_to() -> None:
    history = RatingHistory(SETTINGS, ["b0", "b1"])
    for version in (None, 1, 1, 2, 2, 1):
        history.add(("b0", "b1"), (1, 2), (version, None))
    assert history.versions("b0") == [VersionBegins(1, 1), VersionBegins(3, 2), VersionBegins(5, 1)]
    assert history.versions("b1") == []
