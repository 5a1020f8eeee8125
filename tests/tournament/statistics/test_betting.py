"""Confidence sequences: never wrong more often than they say, whoever looks however often, and no wider than needed."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.tournament.statistics import ConfidenceSequence, Evidence

EXPERIMENTS = 300
LOOKS = 150


def skewed(chance: Random, mean: float) -> float:
    """Mostly a little below the mean, now and then far above it: what fools intervals of the normal distribution."""
    return (1.0 if chance.random() < 0.05 else (mean - 0.05) / 0.95) if mean <= 0.05 else mean


DRAWS: dict[str, Callable[[Random], float]] = {
    "coin": lambda chance: float(chance.choice((-1, 1))),
    "three ways": lambda chance: float(chance.choice((-1, 0, 0, 0, 1))),
    "skewed": lambda chance: skewed(chance, 0.0),
    "narrow": lambda chance: chance.uniform(-0.05, 0.05),
}
"""Values between −1 and 1 whose mean is 0."""


@pytest.mark.parametrize("draw", DRAWS)
def test_a_true_hypothesis_is_hardly_ever_refuted_though_one_looks_after_every_value(draw: str) -> None:
    wrong = 0
    for number in range(EXPERIMENTS):
        chance = Random(f"{draw} {number}")
        evidence = Evidence(0.0, -1.0, 1.0)
        for _ in range(LOOKS):
            evidence.add(DRAWS[draw](chance))
            if evidence.refutes(0.05):
                wrong += 1
                break
    assert wrong <= 0.05 * EXPERIMENTS


def test_an_ordinary_interval_would_be_wrong_far_more_often() -> None:
    """The same look after every value at 1.96 standard errors: the trap that this package is for."""
    wrong = 0
    for number in range(EXPERIMENTS):
        chance, total = Random(f"coin {number}"), 0.0
        for count in range(1, LOOKS + 1):
            total += DRAWS["coin"](chance)
            if count >= 10 and total > 1.645 * count**0.5:
                wrong += 1
                break
    assert wrong > 0.15 * EXPERIMENTS


def test_all_intervals_of_a_sequence_together_hold_the_true_mean() -> None:
    missed = 0
    for number in range(60):
        chance = Random(number)
        sequence = ConfidenceSequence(0.0, 10.0)
        for count in range(1, 81):
            sequence.add(float(chance.choice((1, 2, 9))))
            if count % 8 == 0 and not sequence.interval.low <= 4.0 <= sequence.interval.high:
                missed += 1
                break
    assert missed <= 3


@pytest.mark.parametrize(("mean", "enough"), [(0.5, 150), (0.1, 3000)])
def test_a_difference_is_found(mean: float, enough: int) -> None:
    chance = Random("power")
    for _ in range(5):
        evidence = Evidence(0.0, -1.0, 1.0)
        for _ in range(enough):
            evidence.add(1.0 if chance.random() < (1 + mean) / 2 else -1.0)
        assert evidence.refutes(0.025)


def test_the_interval_narrows_like_that_of_a_fixed_length() -> None:
    """Looking all the time costs width: about 1.7 times as wide as 1.96 standard errors, not ten times."""
    chance = Random("width")
    sequence = ConfidenceSequence(-1.0, 1.0)
    for _ in range(4000):
        sequence.add(round(chance.uniform(-0.2, 0.2), 2))
    deviation = 0.4 / 12**0.5
    width = sequence.interval.high - sequence.interval.low
    assert 1.0 < width / (2 * 1.96 * deviation / 4000**0.5) < 2.0


@example([-0.25, -0.25, 0.0, 0.5, 0.0, 1.0, 1.0])
@given(st.lists(st.sampled_from([-1.0, -0.25, 0.0, 0.5, 1.0]), min_size=1, max_size=60))
@settings(max_examples=40, deadline=None)
def test_interval_and_evidence_agree_in_any_order(values: list[float]) -> None:
    sequence, turned = ConfidenceSequence(-1.0, 1.0), ConfidenceSequence(-1.0, 1.0)
    above, below = Evidence(0.0, -1.0, 1.0), Evidence(0.0, -1.0, 1.0)
    for value, other in zip(values, reversed(values), strict=True):
        sequence.add(value)
        turned.add(other)
        above.add(value)
        below.add(-value)
    low, high = sequence.interval
    assert (low, high) == turned.interval
    assert -1.0 <= low <= sequence.mean <= high <= 1.0
    if abs(above.log_value - log(40)) > 1e-6:
        assert (low >= 0) == above.refutes(0.025)
    if abs(below.log_value - log(40)) > 1e-6:
        assert (high <= 0) == below.refutes(0.025)


def test_evidence_is_the_money_of_fair_bets() -> None:
    """Under the hypothesis the expected money stays one coin: here over all four outcomes of two coins."""
    money = 0.0
    for first in (-1.0, 1.0):
        for second in (-1.0, 1.0):
            evidence = Evidence(0.0, -1.0, 1.0)
            evidence.add(first)
            evidence.add(second)
            money += exp(evidence.log_value) / 4
    assert money == pytest.approx(1.0)


def test_nothing_is_known_before_the_first_value() -> None:
    assert ConfidenceSequence(0.0, 1.0).interval == (0.0, 1.0)
    assert not Evidence(0.0, -1.0, 1.0).refutes(0.5)


def test_values_and_hypotheses_outside_the_bounds_are_refused() -> None:
    with pytest.raises(ValueError, match="not between the bounds"):
        ConfidenceSequence(0.0, 1.0).add(1.5)
    with pytest.raises(ValueError, match="not between the bounds"):
        Evidence(0.0, -1.0, 1.0).add(-1.5)
    with pytest.raises(ValueError, match="not between the bounds"):
        Evidence(1.0, -1.0, 1.0)
    with pytest.raises(ValueError, match="leave no room"):
        ConfidenceSequence(1.0, 1.0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        ConfidenceSequence(0.0, 1.0, 95)
