"""Ratings without luck: the same means, less noise, prices that know nothing of the match they are used for."""

from __future__ import annotations

import random

import pytest

from referee.analysis.luck import LuckyMatch, adjust

BOTS = ("ada", "bob", "cy", "dee")
SKILL = {"ada": 0.15, "bob": 0.05, "cy": -0.05, "dee": -0.15}


def field(matches: int, seed: int, lucky: float = 1.0) -> list[LuckyMatch]:
    """Matches of two of four bots: a share is skill, luck that is measured (at half its price), and noise."""
    dice = random.Random(seed)
    found = []
    for number in range(matches):
        pair = tuple(dice.sample(BOTS, 2))
        luck, noise = dice.gauss(0, 0.25), dice.gauss(0, 0.12)
        share = 0.5 + SKILL[pair[0]] - SKILL[pair[1]] + lucky * luck + noise
        useless = dice.gauss(0, 1)
        found.append(
            LuckyMatch(pair, (share, 1 - share), ((2 * luck, useless), (-2 * luck, -useless)), f"deal {number}")
        )
    return found


def test_luck_is_priced_and_taken_off() -> None:
    found = adjust(field(400, 1))
    assert found.prices == pytest.approx((0.5, 0.0), abs=0.03)
    assert found.variance == pytest.approx(0.12**2 / (0.12**2 + 0.25**2), abs=0.04)
    assert [row.bot for row in found.rows] == list(BOTS)
    for row in found.rows:
        assert row.adjusted == pytest.approx(SKILL[row.bot], abs=4 * row.adjusted_error)
        assert row.plain == pytest.approx(SKILL[row.bot], abs=4 * row.plain_error)
        assert row.adjusted_error < 0.6 * row.plain_error
        assert row.luck == pytest.approx(row.plain - row.adjusted, abs=1e-6)


def test_luck_that_explains_nothing_costs_next_to_nothing() -> None:
    found = adjust(field(400, 2, lucky=0.0))
    assert found.variance == pytest.approx(1.0, abs=0.03)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    inside = [
        [abs(row.adjusted - SKILL[row.bot]) < 1.96 * row.adjusted_error for row in adjust(field(60, seed)).rows]
        for seed in range(200)
    ]
    share = sum(map(sum, inside)) / 800
    assert 0.92 < share < 0.98  # 95 % but for chance and for sixty matches


def test_a_price_knows_nothing_of_the_match_it_is_used_for() -> None:
    """With prices from the match itself, noise that has nothing to do with results would seem to explain some."""
    ratios = [adjust(field(25, seed, lucky=0.0)).variance for seed in range(60)]
    assert sum(ratios) / len(ratios) > 1.0


def test_the_answer_does_not_depend_on_how_deals_are_called() -> None:
    matches = field(50, 3)
    renamed = [LuckyMatch(match.bots, match.shares, match.luck, number) for number, match in enumerate(matches)]
    assert adjust(matches) == adjust(renamed)


def test_too_few_matches_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 20 matches are needed to price luck; there are 19"):
        adjust(field(19, 4))
