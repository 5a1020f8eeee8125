"""Mirrored deals: the interval of a score difference from block means, beside that of independent matches."""

from __future__ import annotations

import random

import pytest

from referee.tournament.mirrored_deals import between


def test_luck_that_cancels_within_a_block_makes_the_interval_narrower() -> None:
    # The deal is worth 50 points to whoever sits first; ada is 2 points better all the same.
    blocks = [[{"ada": 52 + luck, "bob": 0}, {"ada": 2, "bob": 50 + luck}] for luck in (0, 10, -10, 20)]
    [found] = between(blocks)
    assert (found.bot, found.other, found.blocks) == ("ada", "bob", 4)
    assert found.points == pytest.approx(2.0)
    assert found.mirrored == pytest.approx(0.0)
    assert found.independent > 30
    assert found.narrower == pytest.approx(1.0)


def test_without_luck_in_the_deal_both_intervals_agree_in_size() -> None:
    blocks = [[{"ada": gap, "bob": 0}] for gap in (1, 2, 3, 4, 5)]
    [found] = between(blocks)
    assert found.mirrored == pytest.approx(found.independent)
    assert found.narrower == pytest.approx(0.0)


def test_a_pair_that_met_in_one_block_only_has_no_interval() -> None:
    assert between([[{"ada": 1, "bob": 0}, {"ada": 2, "bob": 5}]]) == []


def test_every_pair_of_a_larger_table_is_reported_once_in_order() -> None:
    blocks = [[{"cyd": 1, "ada": 2, "bob": 3}], [{"cyd": 3, "ada": 1, "bob": 2}]]
    assert [(found.bot, found.other) for found in between(blocks)] == [("ada", "bob"), ("ada", "cyd"), ("bob", "cyd")]


def test_few_blocks_have_the_wide_intervals_of_student() -> None:
    """Two blocks: 12.7 standard errors, not 1.96. In 95 % of all series the true difference is inside."""
    [found] = between([[{"ada": 0, "bob": 0}], [{"ada": 2, "bob": 0}]])
    assert found.mirrored == pytest.approx(12.706, abs=1e-3)
    dice = random.Random("few blocks")
    held = 0
    for _ in range(600):
        blocks = [[{"ada": round(1000 * dice.gauss(0, 1)), "bob": 0}] for _ in range(4)]
        [found] = between(blocks)
        held += abs(found.points) < found.mirrored
    assert 0.93 * 600 <= held <= 0.97 * 600


def test_how_much_narrower_has_an_interval_that_holds_the_truth() -> None:
    """Half of the variance of a match is the luck of the deal, which cancels: √½ of the width is left."""
    dice = random.Random("narrower")
    held = 0
    for _ in range(200):
        blocks = []
        for _ in range(40):
            luck = dice.gauss(0, 1)
            gaps = [luck + dice.gauss(0, 1), -luck + dice.gauss(0, 1)]
            blocks.append([{"ada": round(10_000 * gap), "bob": 0} for gap in gaps])
        [found] = between(blocks)
        assert found.narrower_low is not None
        assert found.narrower_high is not None
        assert found.narrower_low < found.narrower < found.narrower_high
        held += found.narrower_low <= 1 - 0.5**0.5 <= found.narrower_high
    assert 0.91 * 200 <= held <= 0.985 * 200


def test_a_forfeited_seat_is_left_out_of_its_block_and_the_others_stay() -> None:
    blocks = [[{"ada": 5, "bob": 3, "cyd": 1}], [{"ada": 6, "cyd": 2}], [{"ada": 7, "bob": 3, "cyd": 1}]]
    assert [(found.bot, found.other, found.blocks) for found in between(blocks)] == [
        ("ada", "bob", 2),
        ("ada", "cyd", 3),
        ("bob", "cyd", 2),
    ]
