"""The balanced schedule: everybody at most once a round, and everything shared out evenly."""

import hashlib
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.schedule import Pairing, balanced, count

from .evenness import spread

SIZES = st.integers(1, 13).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n)))
ROUNDS = st.integers(1, 30)


@given(SIZES, ROUNDS)
@settings(max_examples=50, deadline=None)
def test_nobody_plays_twice_in_a_round_and_all_tables_are_in_use(size: tuple[int, int], rounds: int) -> None:
    n, k = size
    schedule = balanced(n, k, rounds)
    for number in range(1, rounds + 1):
        seated = [entrant for pairing in schedule if pairing.round == number for entrant in pairing.seats]
        assert len(seated) == len(set(seated)) == n // k * k
        assert set(seated) <= set(range(n))


@given(SIZES, ROUNDS)
@settings(max_examples=50, deadline=None)
def test_pairings_come_in_order_of_play(size: tuple[int, int], rounds: int) -> None:
    n, k = size
    places = [(pairing.round, pairing.table) for pairing in balanced(n, k, rounds)]
    assert places == [(number, table) for number in range(1, rounds + 1) for table in range(1, n // k + 1)]
    assert len(places) == count("balanced", n, k, rounds)


@given(SIZES, ROUNDS)
@settings(max_examples=50, deadline=None)
def test_byes_differ_by_at_most_one_after_every_round(size: tuple[int, int], rounds: int) -> None:
    least, most = spread(balanced(*size, rounds), size[0]).byes
    assert most - least <= 1


@given(SIZES.filter(lambda size: size[1] != 2), ROUNDS)
@settings(max_examples=50, deadline=None)
def test_the_seats_of_a_bot_differ_by_at_most_one_after_every_round(size: tuple[int, int], rounds: int) -> None:
    assert spread(balanced(*size, rounds), size[0]).seat_gap <= 1


@given(st.integers(2, 20), st.integers(1, 60))
@settings(max_examples=50, deadline=None)
def test_at_tables_of_two_the_seats_of_a_bot_never_differ_by_more_than_two(n: int, rounds: int) -> None:
    assert spread(balanced(n, 2, rounds), n).seat_gap <= 2


@given(SIZES, ROUNDS, st.integers(0, 20))
@settings(max_examples=50, deadline=None)
def test_more_rounds_never_rewrite_the_first_ones(size: tuple[int, int], rounds: int, more: int) -> None:
    shorter = balanced(*size, rounds)
    assert balanced(*size, rounds + more)[: len(shorter)] == shorter


@pytest.mark.parametrize("n", range(2, 14))
def test_two_laps_of_the_circle_give_two_meetings_in_either_seat(n: int) -> None:
    schedule = balanced(n, 2, 2 * (n if n % 2 else n - 1))
    seatings = [pairing.seats for pairing in schedule]
    assert sorted(seatings) == [(a, b) for a in range(n) for b in range(n) if a != b]
    even = spread(schedule, n)
    assert even.meetings == (2, 2)
    assert even.seats == (n - 1, n - 1)
    assert even.byes == ((2, 2) if n % 2 else (0, 0))


@pytest.mark.parametrize("n", range(2, 14))
def test_one_lap_of_the_circle_lets_every_pair_meet_once(n: int) -> None:
    even = spread(balanced(n, 2, n if n % 2 else n - 1), n)
    assert even.meetings == (1, 1)
    assert even.seat_gap == (0 if n % 2 else 1)


def test_in_a_solo_game_everybody_plays_alone_every_round() -> None:
    assert balanced(2, 1, 2) == [Pairing(1, 1, (0,)), Pairing(1, 2, (1,)), Pairing(2, 1, (0,)), Pairing(2, 2, (1,))]


@pytest.mark.parametrize(("n", "k"), [(5, 3), (8, 3), (9, 3), (12, 4), (13, 4), (10, 5), (21, 5), (12, 6), (16, 6)])
def test_meetings_of_any_two_bots_stay_close_at_larger_tables(n: int, k: int) -> None:
    for rounds in (n, 3 * n, 5 * n):
        least, most = spread(balanced(n, k, rounds), n).meetings
        assert most - least <= 3


def test_all_at_one_table_meet_in_every_round() -> None:
    even = spread(balanced(5, 5, 10), 5)
    assert even.meetings == (10, 10)
    assert even.seats == (2, 2)


def test_a_hall_too_large_for_exact_seating_still_seats_everybody_evenly() -> None:
    # 67 entrants at 22 tables of 3: only after 67 rounds has everybody played a multiple of 3.
    even = spread(balanced(67, 3, 9), 67)
    assert even.seat_gap <= 2
    assert even.byes[1] - even.byes[0] <= 1


@pytest.mark.parametrize("hash_seed", ["0", "1234"])
def test_the_schedule_is_the_same_whatever_the_hash_seed(hash_seed: str) -> None:
    def digest() -> str:
        return hashlib.sha256(repr(balanced(11, 4, 20)).encode()).hexdigest()

    script = (
        "import hashlib; from referee.tournament.schedule import balanced; "
        "print(hashlib.sha256(repr(balanced(11, 4, 20)).encode()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    other = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == digest()


def test_published_schedules_stay_what_they_are() -> None:
    # A changed draw would make a stored tournament disagree with its settings.
    rendered = repr([pairing.seats for pairing in balanced(10, 3, 12) + balanced(9, 2, 12) + balanced(12, 4, 9)])
    assert (
        hashlib.sha256(rendered.encode()).hexdigest()
        == "5a5e359adbf5142b316dc0b179f52bb203d59bf6529b03258f1d8e8ca2609ff8"
    )
