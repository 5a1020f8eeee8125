"""Ratings of versions: a new one begins where its predecessor was, but less surely; the same however results come."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pytest

from referee.tournament.ratings import RatingError, Ratings, RatingSettings
from referee.tournament.ratings.in_schedule_order import OrderedRatings
from referee.tournament.standings.score import Score
from referee.tournament.standings.scoreboard import Scoreboard

APART = RatingSettings(version_sigma=4.0)
SAME = RatingSettings()


def played(settings: RatingSettings, versions: Sequence[tuple[int | None, int | None]]) -> Ratings:
    ratings = Ratings(settings)
    for number, pair in enumerate(versions):
        ratings.rate((("ada", "bob"), (1, 2) if number % 3 else (2, 1)), pair)
    return ratings


def test_a_new_version_keeps_mu_and_begins_with_a_wider_sigma() -> None:
    before = played(APART, [(1, None)] * 40)
    mu, sigma = before.beliefs["ada"]
    assert sigma < 4.0
    # A match against a bot that is known to be far weaker tells nothing, and shows where the version began.
    before.begin_with({"eve": type(before.beliefs["ada"])(-500.0, 0.1)})
    before.rate((("ada", "eve"), (1, 2)), (2, None))
    after = before.beliefs["ada"]
    assert after.mu == pytest.approx(mu)
    assert after.sigma == pytest.approx(4.0)


def test_without_the_setting_versions_share_a_rating() -> None:
    told = played(SAME, [(1, None)] * 5 + [(2, None)] * 5)
    untold = played(SAME, [(None, None)] * 10)
    assert (told.beliefs, told.versions) == (untold.beliefs, {})


def test_bots_without_versions_are_rated_as_ever() -> None:
    assert played(APART, [(None, None)] * 10).beliefs == played(SAME, [(None, None)] * 10).beliefs


def test_a_version_that_comes_back_is_no_new_one() -> None:
    back = played(APART, [(1, None)] * 20 + [(2, None)] * 20)
    sigma = back.beliefs["ada"].sigma
    back.rate((("ada", "bob"), (1, 2)), (1, None))
    assert back.beliefs["ada"].sigma < sigma


def test_the_history_tells_each_version_after_its_last_match() -> None:
    ratings = played(APART, [(None, None)] * 3 + [(1, None)] * 4 + [(2, None)] * 5)
    assert [(mark.version, mark.matches) for mark in ratings.versions["ada"]] == [(0, 3), (1, 4), (2, 5)]
    assert (ratings.versions["ada"][-1].mu, ratings.versions["ada"][-1].sigma) == ratings.beliefs["ada"]
    assert [(mark.version, mark.matches) for mark in ratings.versions["bob"]] == [(0, 12)]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_in_which_results_come_changes_nothing(seed: int) -> None:
    dice = random.Random(seed)
    bots = ["ada", "bob", "cy", "dee"]
    results = []
    for place in range(80):
        first, second = dice.sample(bots, 2)
        version = dice.randint(0, place // 20) or None
        results.append((place, (first, second), dice.choice([(1, 2), (2, 1), (1, 1)]), (version, None)))
    plain = Ratings(APART, bots)
    for _, pair, ranks, versions in results:
        plain.rate((pair, ranks), versions)
    shuffled = OrderedRatings(APART)
    for bot in bots:
        shuffled.enter(bot)
    dice.shuffle(results)
    for place, pair, ranks, versions in results:
        shuffled.add(place, pair, ranks, versions)
        if dice.random() < 0.3:
            shuffled.ratings()
    assert (shuffled.ratings().beliefs, shuffled.ratings().versions) == (plain.beliefs, plain.versions)


def test_a_board_that_begins_with_a_snapshot_knows_the_versions_before_it() -> None:
    def add(to: Scoreboard, place: int) -> None:
        version = 1 if place < 6 else 2
        to.add(Score(place, f"league/{place}", 1, ("ada", "bob"), (1, 2), (2, 1), ("", ""), versions=(version, None)))

    whole, first = Scoreboard(APART, ["ada", "bob"], 2), Scoreboard(APART, ["ada", "bob"], 2)
    for place in range(10):
        add(whole, place)
    for place in range(8):
        add(first, place)
    second = Scoreboard(APART, (), 2)
    second.restore(json.loads(json.dumps(first.value(()))), 8)
    for place in (8, 9):
        add(second, place)
    assert second.digest() == whole.digest()
    assert second.rows()[0].versions == whole.rows()[0].versions
    assert [one.matches for one in whole.rows()[0].versions] == [6, 4]


@pytest.mark.parametrize("sigma", [-1.0, 9.0, float("nan")])
def test_a_sigma_wider_than_that_of_a_new_bot_is_refused(sigma: float) -> None:
    with pytest.raises(RatingError, match="version_sigma"):
        RatingSettings(version_sigma=sigma)
