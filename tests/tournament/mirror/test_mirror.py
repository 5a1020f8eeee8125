"""Mirrored deals: the interval of a score difference from block means, beside that of independent matches."""

from __future__ import annotations

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
