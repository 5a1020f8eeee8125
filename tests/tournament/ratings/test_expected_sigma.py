"""The forecast of σ for a dry run."""

import math
from hashlib import shake_256
from itertools import pairwise
from statistics import NormalDist

import pytest

from referee.tournament.ratings import RatingError, RatingSettings
from referee.tournament.ratings.expected_sigma import expected_sigma
from referee.tournament.schedule import balanced

from .from_scratch import rate_all


def test_more_matches_make_surer() -> None:
    forecast = [expected_sigma(matches, 4) for matches in (0, 1, 5, 20, 21, 100, 400)]
    assert forecast[0] == 25 / 3
    assert all(later < earlier for earlier, later in pairwise(forecast))


def test_a_larger_table_teaches_more_per_match() -> None:
    assert expected_sigma(30, 6) < expected_sigma(30, 2)


def test_solo_matches_teach_nothing() -> None:
    assert expected_sigma(100, 1, RatingSettings(sigma=5.0)) == 5.0


def test_the_forecast_scales_with_the_prior() -> None:
    doubled = RatingSettings(mu=50.0, sigma=50 / 3, beta=50 / 6)
    assert expected_sigma(25, 3, doubled) == pytest.approx(2 * expected_sigma(25, 3))


@pytest.mark.parametrize(("n", "k", "rounds"), [(12, 2, 44), (12, 4, 40), (16, 8, 20)])
def test_the_forecast_is_close_to_a_tournament_played_out(n: int, k: int, rounds: int) -> None:
    settings = RatingSettings()

    def normal(label: str) -> float:
        return NormalDist().inv_cdf((int.from_bytes(shake_256(label.encode()).digest(4)) + 0.5) / 2**32)

    skills = [settings.mu + settings.sigma * normal(f"skill {bot}") for bot in range(n)]
    results = []
    for pairing in balanced(n, k, rounds):
        shown = [skills[bot] + settings.beta * normal(f"{pairing} {bot}") for bot in pairing.seats]
        ranks = tuple(1 + sum(other > own for other in shown) for own in shown)
        results.append((tuple(str(bot) for bot in pairing.seats), ranks))
    table = rate_all(settings, results)
    mean = math.fsum(row.sigma for row in table) / n
    assert expected_sigma(rounds, k, settings) == pytest.approx(mean, rel=0.15)


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(RatingError, match="matches_per_bot must be at least 0"):
        expected_sigma(-1, 2)
    with pytest.raises(RatingError, match="players must be at least 1"):
        expected_sigma(10, 0)
