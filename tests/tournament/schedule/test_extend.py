"""Bots that join a running tournament: rounds are appended, and newcomers catch up."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.schedule import Pairing, balanced, extend

from .evenness import spread

CASES = st.integers(1, 4).flatmap(
    lambda k: st.tuples(st.integers(k, k + 6), st.integers(1, 4), st.just(k), st.integers(1, 15))
)


def matches(schedule: list[Pairing], n: int) -> list[int]:
    counted = Counter(entrant for pairing in schedule for entrant in pairing.seats)
    return [counted[entrant] for entrant in range(n)]


@given(CASES)
@settings(max_examples=40, deadline=None)
def test_newcomers_catch_up_to_within_one_match(case: tuple[int, int, int, int]) -> None:
    n, newcomers, k, rounds = case
    old = balanced(n, k, rounds)
    everybody = matches(old + extend("balanced", old, n + newcomers, k), n + newcomers)
    assert max(everybody) - min(everybody) <= 1


@given(CASES, st.integers(1, 12))
@settings(max_examples=40, deadline=None)
def test_further_rounds_follow_the_published_ones_and_seat_nobody_twice(
    case: tuple[int, int, int, int], more: int
) -> None:
    n, newcomers, k, rounds = case
    further = extend("balanced", balanced(n, k, rounds), n + newcomers, k, more)
    assert sorted({pairing.round for pairing in further}) == list(range(rounds + 1, rounds + more + 1))
    assert further == sorted(further, key=lambda pairing: (pairing.round, pairing.table))
    for number in range(rounds + 1, rounds + more + 1):
        seated = [entrant for pairing in further if pairing.round == number for entrant in pairing.seats]
        assert seated
        assert len(seated) == len(set(seated))
        assert len(seated) % k == 0


@given(CASES, st.integers(1, 8), st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_asking_for_more_further_rounds_never_rewrites_the_first(
    case: tuple[int, int, int, int], more: int, yet_more: int
) -> None:
    n, newcomers, k, rounds = case
    old = balanced(n, k, rounds)
    fewer = extend("balanced", old, n + newcomers, k, more)
    assert extend("balanced", old, n + newcomers, k, more + yet_more)[: len(fewer)] == fewer


@given(CASES, st.integers(1, 10))
@settings(max_examples=40, deadline=None)
def test_without_newcomers_a_schedule_goes_on_as_if_it_had_been_longer(
    case: tuple[int, int, int, int], more: int
) -> None:
    n, _, k, rounds = case
    old = balanced(n, k, rounds)
    assert old + extend("balanced", old, n, k, more) == balanced(n, k, rounds + more)


def test_those_who_are_behind_play_in_every_round_until_they_have_caught_up() -> None:
    old = balanced(6, 3, 10)
    further = extend("balanced", old, 7, 3)
    for number in range(11, further[-1].round + 1):
        assert any(6 in pairing.seats for pairing in further if pairing.round == number)


def test_newcomers_meet_each_other_and_the_others_alike() -> None:
    old = balanced(10, 4, 50)
    met = Counter(
        "newcomer" if other >= 10 else "old"
        for pairing in extend("balanced", old, 14, 4)
        for entrant in pairing.seats
        for other in pairing.seats
        if entrant >= 10 and other != entrant
    )
    # Each of the 4 newcomers has 3 newcomers and 10 others to meet.
    assert met["newcomer"] / (4 * 3) == pytest.approx(met["old"] / (4 * 10), rel=0.1)


@pytest.mark.parametrize(("n", "grown", "k", "rounds"), [(5, 6, 2, 20), (8, 12, 4, 20), (9, 15, 3, 30)])
def test_in_the_long_run_everybody_has_met_everybody_equally_often(n: int, grown: int, k: int, rounds: int) -> None:
    old = balanced(n, k, rounds)
    even = spread(old + extend("balanced", old, grown, k, 6 * rounds), grown)
    assert even.meetings[1] - even.meetings[0] <= 3
    assert even.seat_gap <= 2
    assert even.byes[1] - even.byes[0] <= 1


def test_bots_may_join_again_and_again() -> None:
    schedule = balanced(4, 3, 6)
    for n in range(5, 10):
        schedule += extend("balanced", schedule, n, 3)
    assert max(matches(schedule, 9)) - min(matches(schedule, 9)) <= 1
    assert spread(schedule, 9).seat_gap <= 2


def test_nobody_behind_means_nothing_to_catch_up() -> None:
    assert extend("balanced", balanced(6, 3, 4), 6, 3) == []


def test_an_empty_schedule_is_extended_from_round_one() -> None:
    assert extend("balanced", [], 6, 3, 4) == balanced(6, 3, 4)


def test_who_has_had_only_byes_so_far_is_no_newcomer() -> None:
    old = balanced(9, 4, 1)
    assert 8 not in {entrant for pairing in old for entrant in pairing.seats}
    assert old + extend("balanced", old, 9, 4, 3) == balanced(9, 4, 4)
