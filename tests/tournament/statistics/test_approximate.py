"""The confidence sequence for values without bounds: right for long series, silent for short ones."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from referee.tournament.statistics import ApproximateSequence
from referee.tournament.statistics.approximate import LEAST


def test_the_true_mean_is_inside_at_all_looks_together() -> None:
    missed = 0
    for number in range(300):
        chance = Random(number)
        sequence = ApproximateSequence()
        for _ in range(400):
            sequence.add(float(chance.randrange(0, 200)))
            if not sequence.interval.low <= 99.5 <= sequence.interval.high:
                missed += 1
                break
    assert missed <= 15


def test_mean_and_width_are_those_of_the_values() -> None:
    sequence = ApproximateSequence()
    for value in range(1000):
        sequence.add(float(value % 10))
    low, high = sequence.interval
    assert sequence.mean == pytest.approx(4.5)
    assert (low + high) / 2 == pytest.approx(4.5)
    assert 0.5 < high - low < 0.7  # 1.96 standard errors on both sides would be 0.36


def test_few_values_say_nothing() -> None:
    sequence = ApproximateSequence()
    for _ in range(LEAST - 1):
        sequence.add(3.0)
        assert sequence.interval == (-inf, inf)
    sequence.add(3.0)
    assert sequence.interval == (3.0, 3.0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        ApproximateSequence(95)
