"""The rating table: a pure function of results in schedule order."""

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.ratings import (
    DRAW_FLOOR,
    Rating,
    RatingError,
    Ratings,
    RatingSettings,
    Result,
    digest,
)

from .from_scratch import rate_all

SETTINGS = RatingSettings(draw_probability=0.1)
NAMES = ["ada", "bea", "cy", "dan", "eve"]


@st.composite
def results(draw: st.DrawFn) -> Result:
    bots = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=5, unique=True))
    ranks = draw(st.lists(st.integers(1, 3), min_size=len(bots), max_size=len(bots)))
    return tuple(bots), tuple(ranks)


@given(st.lists(results(), max_size=12))
@settings(max_examples=30, deadline=None)
def test_rating_one_by_one_and_from_scratch_agree_to_the_last_bit(played: list[Result]) -> None:
    ratings = Ratings(SETTINGS)
    for number, result in enumerate(played, 1):
        ratings.rate(result)
        if number % 4 == 0:
            assert digest(ratings.table()) == digest(rate_all(SETTINGS, played[:number]))
    assert ratings.table() == rate_all(SETTINGS, played)


@given(st.lists(results(), max_size=8), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_seat_order_does_not_change_the_table(played: list[Result], shuffler: object) -> None:
    turned: list[Result] = []
    for bots, ranks in played:
        seats = list(zip(bots, ranks, strict=True))
        shuffler.shuffle(seats)  # type: ignore[attr-defined]
        turned.append((tuple(bot for bot, _ in seats), tuple(rank for _, rank in seats)))
    assert rate_all(SETTINGS, turned) == rate_all(SETTINGS, played)


@given(st.lists(results(), max_size=8))
@settings(max_examples=30, deadline=None)
def test_names_do_not_change_the_numbers(played: list[Result]) -> None:
    other = dict(zip(NAMES, reversed(NAMES), strict=True))
    renamed = [(tuple(other[bot] for bot in bots), ranks) for bots, ranks in played]
    assert {other[row.bot]: (row.mu, row.sigma) for row in rate_all(SETTINGS, renamed)} == {
        row.bot: (row.mu, row.sigma) for row in rate_all(SETTINGS, played)
    }


@given(st.lists(results(), max_size=10), st.sampled_from([0.0, 0.1, 0.9]))
@settings(max_examples=30, deadline=None)
def test_certainty_never_falls_even_where_draws_are_called_impossible(played: list[Result], draws: float) -> None:
    ratings = Ratings(RatingSettings(draw_probability=draws), bots=NAMES)
    before = {row.bot: row.sigma for row in ratings.table()}
    for result in played:
        ratings.rate(result)
        after = {row.bot: row.sigma for row in ratings.table()}
        assert all(after[bot] <= before[bot] for bot in NAMES)
        before = after


def test_only_the_order_of_ranks_counts() -> None:
    assert rate_all(SETTINGS, [(("ada", "bea", "cy"), (1, 3, 3))]) == rate_all(
        SETTINGS, [(("ada", "bea", "cy"), (1, 2, 2))]
    )


def test_the_order_of_results_matters() -> None:
    # Which is why they are rated in the order of the schedule.
    first, second = (("ada", "bea"), (1, 2)), (("bea", "cy"), (1, 2))
    assert digest(rate_all(SETTINGS, [first, second])) != digest(rate_all(SETTINGS, [second, first]))


def test_a_win_raises_the_winner_and_lowers_the_loser_alike() -> None:
    winner, loser = rate_all(SETTINGS, [(("ada", "bea"), (1, 2))])
    assert (winner.bot, loser.bot) == ("ada", "bea")
    assert winner.mu - 25 == pytest.approx(25 - loser.mu)
    assert winner.sigma == pytest.approx(loser.sigma)


def test_a_tie_of_equals_moves_nobody_even_where_draws_are_called_impossible() -> None:
    ada, bea = rate_all(RatingSettings(draw_probability=0.0), [(("ada", "bea"), (1, 1))])
    assert (ada.mu, ada.sigma) == (bea.mu, bea.sigma)
    assert ada.mu == pytest.approx(25.0)
    assert ada.sigma < 25 / 3


def test_no_draws_and_the_floor_are_the_same_setting() -> None:
    played: list[Result] = [(("ada", "bea", "cy"), (1, 1, 2)), (("cy", "ada"), (1, 2))]
    floor = RatingSettings(draw_probability=DRAW_FLOOR)
    assert rate_all(RatingSettings(draw_probability=0.0), played) == rate_all(floor, played)


def test_a_solo_match_leaves_the_ratings_as_they_are() -> None:
    ratings = Ratings(SETTINGS)
    ratings.rate((("ada", "bea"), (1, 2)))
    before = ratings.table()
    ratings.rate((("ada",), (1,)))
    assert ratings.table() == before
    ratings.rate((("cy",), (1,)))
    assert Rating("cy", 25.0, 25 / 3) in ratings.table()


def test_bots_without_a_result_are_listed_at_the_prior() -> None:
    settings_ = RatingSettings(mu=10.0, sigma=2.0)
    assert Ratings(settings_, bots=["bea", "ada"]).table() == [Rating("ada", 10.0, 2.0), Rating("bea", 10.0, 2.0)]


def test_the_table_is_sorted_by_what_a_bot_has_surely_shown() -> None:
    table = rate_all(SETTINGS, [(("ada", "bea", "cy"), (3, 1, 2))], bots=["dan"])
    assert [row.bot for row in table[:2]] == ["bea", "cy"]
    assert [row.exposed for row in table] == sorted((row.exposed for row in table), reverse=True)
    assert Rating("ada", 25.0, 3.0).exposed == 16.0


def test_the_digest_is_of_name_and_hexadecimal_floats() -> None:
    lines = '["ada", "0x1.9000000000000p+4", "0x1.0000000000000p+1"]\n["b\\n", "0x0.0p+0", "0x1.0000000000000p+0"]\n'
    table = [Rating("b\n", 0.0, 1.0), Rating("ada", 25.0, 2.0)]
    assert digest(table) == hashlib.sha256(lines.encode()).hexdigest()
    assert digest(reversed(table)) == digest(table)


def test_the_digest_sees_the_last_bit() -> None:
    assert digest([Rating("ada", 25.0, 2.0)]) != digest([Rating("ada", 25.000000000000004, 2.0)])


@pytest.mark.parametrize(
    ("bots", "ranks", "says"),
    [
        ((), (), "at least one bot"),
        (("ada", "bea"), (1,), "needs as many ranks"),
        (("ada", "ada"), (1, 2), "twice at one table"),
    ],
)
def test_a_result_that_cannot_be_is_refused_and_changes_nothing(
    bots: tuple[str, ...], ranks: tuple[int, ...], says: str
) -> None:
    ratings = Ratings(SETTINGS)
    with pytest.raises(RatingError, match=says):
        ratings.rate((bots, ranks))
    assert ratings.table() == []


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"mu": float("nan")}, "mu must be a finite number"),
        ({"sigma": 0.0}, "sigma must be a finite number above 0"),
        ({"beta": -1.0}, "beta must be a finite number above 0"),
        ({"tau": -0.1}, "tau must be a finite number of at least 0"),
        ({"draw_probability": 1.0}, "draw_probability must be from 0 to 0.99"),
        ({"draw_probability": -0.1}, "draw_probability must be from 0 to 0.99"),
    ],
)
def test_wrong_settings_are_refused(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(RatingError, match=says):
        RatingSettings(**wrong)
