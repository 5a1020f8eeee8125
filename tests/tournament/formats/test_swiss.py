"""Swiss: no avoidable repeat, equal tables, shared byes, near points, even seats; the strong come out on top."""

from __future__ import annotations

import random
import time
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.formats.format import Finished, SettledTable
from referee.tournament.formats.swiss import Swiss
from referee.tournament.formats.tally import Tally
from referee.tournament.schedule.pairing import ScheduleError

from .simulated import Settle, Simulation, by_strength
from .test_grouping import partitions


def simulated(n: int, k: int, rounds: int, seed: int, settle: Settle | None = None, bye: str = "half") -> Simulation:
    strengths = [random.Random(f"{seed} {entrant}").gauss(0, 1) for entrant in range(n)]
    return Simulation(Swiss(rounds, bye), n, k, settle or by_strength(strengths, 0.7, seed, ties=0.4), seed)


def sums_of(simulation: Simulation) -> Tally:
    assert isinstance(simulation.format, Swiss)
    return simulation.format.points(simulation.field, simulation.played)


def quality(tables: list[list[int]], sums: Tally) -> tuple[int, int]:
    """Repeats as squares of earlier meetings, and squares of gaps in points, over all pairs at a table."""
    pairs = [pair for table in tables for pair in combinations(table, 2)]
    return sum(sums.meetings[a][b] ** 2 for a, b in pairs), sum(
        (sums.halves[a] - sums.halves[b]) ** 2 for a, b in pairs
    )


def byes_allowed(sums: Tally, active: set[int], out: int) -> list[tuple[int, ...]]:
    """All choices of who sits out with which byes stay shared."""
    fewest = min(sum(sums.byes[entrant] for entrant in some) for some in combinations(sorted(active), out))
    return [some for some in combinations(sorted(active), out) if sum(sums.byes[entrant] for entrant in some) == fewest]


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.sampled_from([(5, 2), (6, 2), (7, 2), (8, 2), (6, 3), (7, 3), (9, 3), (8, 4), (9, 4)]), st.integers(0, 999))
def test_no_repeat_that_any_draw_could_avoid_and_then_the_least_gap(size: tuple[int, int], seed: int) -> None:
    n, k = size
    simulation = simulated(n, k, n + 1, seed)
    while True:
        sums, active = sums_of(simulation), set(simulation.active)
        drawn = simulation.step()
        if drawn is None:
            break
        tables = [list(table.seats) for table in drawn.tables]
        allowed = byes_allowed(sums, active, n % k)
        assert drawn.byes in allowed
        fewest = min(
            quality(tables, sums)[0] for byes in allowed for tables in partitions(sorted(active - set(byes)), k)
        )
        repeats, gap = quality(tables, sums)
        assert repeats == fewest
        same_byes = [quality(tables, sums) for tables in partitions(sorted(active - set(drawn.byes)), k)]
        assert (repeats, gap) == min(same_byes)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.integers(2, 17), st.integers(2, 5), st.integers(1, 6), st.integers(0, 999))
def test_tables_are_equal_and_byes_are_shared(n: int, k: int, rounds: int, seed: int) -> None:
    n = max(n, k)
    simulation = simulated(n, k, rounds, seed)
    end = simulation.run()
    assert end.why == f"all {rounds} rounds are played"
    assert sorted(entrant for place in end.places for entrant in place) == list(range(n))
    sums = sums_of(simulation)
    assert all(len(drawn.tables) == n // k and len(drawn.byes) == n % k for drawn in simulation.drawn)
    assert max(sums.byes) - min(sums.byes) <= 1


def test_seats_are_even_as_far_as_points_and_meetings_leave_a_choice() -> None:
    for n, k in [(8, 2), (12, 3), (14, 4)]:
        simulation = simulated(n, k, 6, seed=8)
        simulation.run()
        assert max(max(row) - min(row) for row in sums_of(simulation).sat) <= 2


def test_byes_stay_shared_when_bots_withdraw() -> None:
    simulation = simulated(14, 4, 9, seed=5)
    for leaver in (None, 3, None, 8, None, 11, None):
        if leaver is not None:
            simulation.active.discard(leaver)
        simulation.step()
    byes = sums_of(simulation).byes
    for number, settled in enumerate(simulation.played[1:], 1):
        before = Swiss(9).points(simulation.field, simulation.played[:number]).byes
        out = [before[entrant] for entrant in settled.byes]
        inside = [before[entrant] for table in settled.tables for entrant in table.seats]
        assert max(out, default=0) <= min(inside)
    assert max(byes) <= 3


def test_a_round_is_the_same_whenever_it_is_drawn_and_another_with_another_seed() -> None:
    simulation = simulated(23, 4, 5, seed=1)
    simulation.step()
    simulation.step()
    assert simulation.next() == simulation.next()
    first = simulation.next()
    simulation.seed = 2
    assert simulation.next() != first


def test_a_table_set_aside_is_no_meeting_and_its_bots_may_meet_at_once() -> None:
    simulation = simulated(2, 2, 2, seed=0, settle=lambda seats: SettledTable(seats, None, absent=frozenset({0})))
    first, second = simulation.step(), simulation.step()
    assert first is not None
    assert second is not None
    assert second.tables[0].why == "they have ½ and 0 points and have not met"
    assert sorted(sums_of(simulation).halves) in ([0, 2], [1, 1])


def test_every_reason_is_true() -> None:
    simulation = simulated(9, 2, 9, seed=3)
    seen = set()
    while True:
        sums = sums_of(simulation)
        drawn = simulation.step()
        if drawn is None:
            break
        for table in drawn.tables:
            a, b = table.seats
            assert table.why.startswith("both have") == (sums.halves[a] == sums.halves[b])
            assert table.why.endswith("and have not met") == (not sums.meetings[a][b])
            seen.add(table.why.split(" points ")[1])
    assert seen == {"and have not met", "and have met before: no draw of this round has fewer repeats"}


def test_seeds_are_spread_over_the_tables_of_the_first_round() -> None:
    simulation = Simulation(Swiss(3), 9, 4, by_strength([0.0] * 9, 1, 0), seeding=tuple(map(float, range(9))))
    drawn = simulation.step()
    assert drawn is not None
    assert [set(table.seats) for table in drawn.tables] == [{8, 5, 4, 1}, {7, 6, 3, 2}]
    assert drawn.byes == (0,)
    assert drawn.tables[0].why == "seeds 1, 4, 5 and 8: the first round spreads the seeds"


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_strong_come_out_on_top(k: int) -> None:
    first, mean_place = 0, 0.0
    for seed in range(10):
        strengths = [float(-entrant) for entrant in range(24)]
        end = Simulation(Swiss(), 24, k, by_strength(strengths, 1.0, seed), seed).run()
        place = {entrant: at for at, places in enumerate(end.places) for entrant in places}
        first += place[0] == 0
        mean_place += sum(place[entrant] for entrant in range(6)) / 6 / 10
    assert first >= 4  # by luck alone it would be one in 24
    assert mean_place < 6  # by luck alone 11.5


def test_without_a_number_of_rounds_a_winner_can_be_singled_out() -> None:
    assert [Swiss().rounds_of(n) for n in (2, 3, 8, 9, 23)] == [1, 2, 3, 4, 5]
    assert Swiss().forecast(23, 4).matches == (25, 25)
    unlucky = Simulation(Swiss(), 16, 2, lambda seats: SettledTable(seats, (1, 2))).run()
    assert len(unlucky.places[0]) == 1


def test_it_ends_when_too_few_are_left() -> None:
    simulation = simulated(5, 4, 5, seed=0)
    simulation.step()
    simulation.active -= {0, 1}
    end = simulation.next()
    assert isinstance(end, Finished)
    assert end.why == "3 bots are left and a table needs 4"


@pytest.mark.parametrize(
    ("swiss", "n", "k", "what"),
    [
        (Swiss(), 3, 4, "enter more bots"),
        (Swiss(), 3, 1, "ask for more players per match"),
        (Swiss(0), 4, 2, "at least 1 round"),
        (Swiss(bye="full"), 4, 2, "choose half, win or none"),
    ],
)
def test_settings_that_cannot_be_played_are_refused_with_what_to_change(
    swiss: Swiss, n: int, k: int, what: str
) -> None:
    with pytest.raises(ScheduleError, match=what):
        swiss.check(n, k)


@pytest.mark.parametrize(("n", "k", "rounds"), [(23, 4, 5), (200, 2, 4), (200, 4, 3)])
def test_large_fields_have_no_repeats_where_none_is_needed(n: int, k: int, rounds: int) -> None:
    simulation = simulated(n, k, rounds, seed=11)
    begun = time.process_time()
    simulation.run()
    print(f"{n} bots at tables of {k}: {(time.process_time() - begun) / rounds:.2f} s of processor time per round")
    assert max(max(row) for row in sums_of(simulation).meetings) == 1


@pytest.mark.parametrize(("n", "k"), [(8, 2), (9, 4)])
def test_points_and_what_parts_equal_ones_tell_the_whole_order(n: int, k: int) -> None:
    """Whoever recomputes places from what is shown comes to the same."""
    simulation = simulated(n, k, 4, seed=3)
    while simulation.step() is not None:
        pass
    swiss, field, played = simulation.format, simulation.field, simulation.played
    counted, parted = swiss.own_count(field, played), swiss.tie_breaks(field, played)
    assert counted is not None
    assert parted is not None
    shown = [(counted[entrant], parted[entrant]) for entrant in range(n)]
    assert len({points for points, _ in shown}) < n  # some are equal, or nothing would be parted
    groups = swiss.places(field, played)
    assert [sorted(group) for group in groups] == [
        [entrant for entrant in range(n) if shown[entrant] == one] for one in sorted(set(shown), reverse=True)
    ]
