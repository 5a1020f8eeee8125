"""How many meetings tell a small difference: checked by playing them."""

from __future__ import annotations

import random

import pytest

from referee.tournament.forecast import power
from referee.tournament.statistics.distributions import coin_tail
from referee.tournament.statistics.power import meetings_needed, share_told


@pytest.mark.parametrize(("share", "draws"), [(0.6, 0.0), (0.6, 0.3), (0.7, 0.0)])
def test_a_difference_is_told_after_so_many_meetings_in_90_percent_of_series(share: float, draws: float) -> None:
    dice = random.Random(f"power {share} {draws}")
    meetings, told = meetings_needed(share, draws), 0
    for _ in range(400):
        decided = sum(dice.random() >= draws for _ in range(meetings))
        ahead = sum(dice.random() < share for _ in range(decided))
        told += coin_tail(ahead, decided - ahead) < 0.05
    assert 0.84 <= told / 400 <= 0.95


def test_55_from_50_percent_takes_about_a_thousand_meetings() -> None:
    assert meetings_needed() == 1047
    assert meetings_needed(draws=0.5) == 2094


def test_what_meetings_tell_is_what_needs_so_many() -> None:
    for meetings in (20, 100, 1047, 50_000):
        share = share_told(meetings)
        assert share is not None
        assert meetings_needed(share) <= meetings < meetings_needed(share - 0.01)
    assert share_told(0) is share_told(2) is None


def test_matches_of_many_seats_hold_many_meetings() -> None:
    """Four bots at tables of four meet in every match; six bots at tables of two need fifteen matches for that."""
    assert power(1047, 4, 4, 0.0)["matches"] == 1047
    assert power(100, 6, 2, 0.0)["matches"] == 15 * 1047
    assert power(150, 6, 2, 0.0)["meetings_per_pair"] == 10
    assert power(1047, 2, 2, 0.0)["tells"] == pytest.approx(0.55, abs=1e-3)
