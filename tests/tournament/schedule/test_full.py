"""The full schedule: every table, every rotation, in a fixed order."""

from itertools import combinations
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.schedule import MOST_MATCHES, Pairing, ScheduleError, count, extend, full

from .evenness import spread

SIZES = st.integers(1, 7).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n)))


def test_three_bots_at_tables_of_two_play_every_pair_in_both_seats() -> None:
    assert full(3, 2) == [
        Pairing(1, 1, (0, 1)),
        Pairing(1, 2, (0, 2)),
        Pairing(1, 3, (1, 2)),
        Pairing(2, 1, (1, 0)),
        Pairing(2, 2, (2, 0)),
        Pairing(2, 3, (2, 1)),
    ]


def test_seats_rotate_and_are_not_permuted() -> None:
    assert [pairing.seats for pairing in full(3, 3)] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]


def test_in_a_solo_game_everybody_plays_once_alone() -> None:
    assert full(3, 1) == [Pairing(1, 1, (0,)), Pairing(1, 2, (1,)), Pairing(1, 3, (2,))]


@given(SIZES)
@settings(max_examples=30, deadline=None)
def test_every_subset_is_played_in_every_rotation_exactly_once(size: tuple[int, int]) -> None:
    n, k = size
    seatings = [pairing.seats for pairing in full(n, k)]
    wanted = {table[turn:] + table[:turn] for table in combinations(range(n), k) for turn in range(k)}
    assert len(seatings) == len(set(seatings)) == comb(n, k) * k == count("full", n, k)
    assert set(seatings) == wanted


@given(SIZES)
@settings(max_examples=30, deadline=None)
def test_everybody_meets_everybody_and_sits_everywhere_equally_often(size: tuple[int, int]) -> None:
    n, k = size
    even = spread(full(n, k), n)
    assert even.meetings[0] == even.meetings[1]
    assert even.seats[0] == even.seats[1]


@given(SIZES, st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_newcomers_add_exactly_the_tables_they_sit_at(size: tuple[int, int], newcomers: int) -> None:
    n, k = size
    old = full(n, k)
    further = extend("full", old, n + newcomers, k)
    assert all(max(pairing.seats) >= n and pairing.round > k for pairing in further)
    assert sorted(p.seats for p in old + further) == sorted(p.seats for p in full(n + newcomers, k))


def test_without_newcomers_a_full_schedule_has_nothing_to_add() -> None:
    assert extend("full", full(4, 2), 4, 2) == []


def test_a_schedule_that_is_not_full_is_not_extended_as_one() -> None:
    with pytest.raises(ScheduleError, match="not a full one of 4 bots"):
        extend("full", full(4, 2)[:-1], 5, 2)


def test_a_schedule_too_long_to_hold_is_refused_but_counted() -> None:
    assert count("full", 40, 6) > MOST_MATCHES
    with pytest.raises(ScheduleError, match="more than the 1,000,000"):
        full(40, 6)
