"""Ranks, seeds and the list of games."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules import registry
from referee.rules.game import Seats, WrongUse, ranks, seed_bytes


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=8))
def test_a_rank_is_one_more_than_the_number_of_seats_strictly_better(scores: list[int]) -> None:
    for score, rank in zip(scores, ranks(scores), strict=True):
        assert rank == 1 + len([other for other in scores if other > score])


def test_equals_share_a_rank() -> None:
    assert ranks([7, 7, 3]) == (1, 1, 3)


def test_seats_read_as_a_range() -> None:
    assert str(Seats(3, 6)) == "3 to 6"
    assert str(Seats(2, 2)) == "2"


def test_a_number_and_a_word_make_32_byte_seeds_of_their_own() -> None:
    assert len({seed_bytes(seed) for seed in (0, 1, -1, "word")}) == 4
    assert all(len(seed_bytes(seed)) == 32 for seed in (0, "word"))


def test_every_name_in_the_registry_is_a_game_of_that_name() -> None:
    assert [game.name for game in registry.all_games()] == registry.names()


def test_an_unknown_game_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(WrongUse, match="did you mean 'flip7'"):
        registry.find("flip")
    with pytest.raises(WrongUse, match=r"there are: .*encore"):
        registry.find("chess")
