"""Groups and finals: even groups, round-robins in them, the best of each in a bracket that was known before."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.formats.format import Finished, SettledTable
from referee.tournament.formats.group_table import group_order, points_per_match
from referee.tournament.formats.groups import GroupsFinals, letter
from referee.tournament.schedule.pairing import ScheduleError

from .simulated import Simulation, by_strength


def simulated(groups: GroupsFinals, entrants: int, players: int, luck: float = 0.0) -> Simulation:
    strengths = tuple(float(-entrant) for entrant in range(entrants))
    return Simulation(groups, entrants, players, by_strength(strengths, luck, 0), seeding=strengths)


def test_seeds_are_dealt_to_groups_forwards_and_backwards() -> None:
    simulation = simulated(GroupsFinals(3), 10, 2)
    assert GroupsFinals(3).groups_of(simulation.field, []) == [[0, 5, 6], [1, 4, 7], [2, 3, 8, 9]]


def test_without_luck_the_groups_and_the_finals_end_as_the_seeds_say() -> None:
    format = GroupsFinals(4, 2, third_place=True)
    simulation = simulated(format, 16, 2)
    end = simulation.run()
    assert format.tables_of_groups(simulation.field, simulation.played) == [
        [0, 7, 8, 15],
        [1, 6, 9, 14],
        [2, 5, 10, 13],
        [3, 4, 11, 12],
    ]
    assert end.places[:4] == ((0,), (1,), (2,), (3,))
    assert end.places[-2:] == ((8, 9, 10, 11), (12, 13, 14, 15))
    forecast = format.forecast(16, 2)
    assert len(simulation.played) == forecast.rounds[0] == 2 + 3
    assert sum(len(settled.tables) for settled in simulation.played) == forecast.matches[0]
    assert [drawn.stage for drawn in simulation.drawn] == [
        *("groups, round 1 of 2", "groups, round 2 of 2"),
        *("quarter-finals", "semi-finals", "final and third place"),
    ]


def test_the_bracket_is_known_before_and_bots_of_a_group_do_not_meet_first() -> None:
    format = GroupsFinals(4, 2)
    simulation = simulated(format, 16, 2)
    before = format.bracket(simulation.field, [])
    first = [[str(slot) for slot in table.slots] for table in before.stages[0].tables]
    assert first[0][0] == "winner of group A"
    assert all(pair[0][-1] != pair[1][-1] for pair in first)
    simulation.run()
    after = format.bracket(simulation.field, simulation.played)
    assert [[str(slot) for slot in table.slots] for table in after.stages[0].tables] == first
    assert (
        simulation.drawn[2]
        .tables[0]
        .why.startswith(f"quarter-finals, table 1: {first[0][0]} and {first[0][1]}, match 1")
    )


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.data())
def test_whatever_happens_everyone_has_a_place_and_one_bot_wins(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 4))
    count = data.draw(st.integers(2, 3))
    entrants = data.draw(st.integers(count * players + count, 16))
    qualify = max(data.draw(st.integers(1, 2)), -(-players // count))
    format = GroupsFinals(count, qualify, data.draw(st.sampled_from([None, 2])), further=data.draw(st.integers(0, 1)))
    rng = random.Random(data.draw(st.integers(0, 999)))
    usual = by_strength([rng.gauss(0, 1) for _ in range(entrants)], 1.0, 1, ties=1.0)

    def settle(seats: tuple[int, ...]) -> SettledTable:
        return SettledTable(seats, None, absent=frozenset({0})) if rng.random() < 0.1 else usual(seats)

    simulation = Simulation(format, entrants, players, settle)
    while simulation.step() is not None:
        if rng.random() < 0.3 and len(simulation.active) > players:
            simulation.active.remove(rng.choice(sorted(simulation.active)))
    assert simulation.end is not None
    places = [entrant for place in simulation.end.places for entrant in place]
    assert sorted(places) == list(range(entrants))
    if simulation.end.why == "the final is decided":
        assert len(simulation.end.places[0]) == 1


def test_a_balanced_group_lets_bots_sit_out_in_turn() -> None:
    simulation = simulated(GroupsFinals(2, 2, rounds=5), 10, 2)
    simulation.run()
    assert [len(drawn.byes) for drawn in simulation.drawn[:5]] == [2] * 5
    assert simulation.drawn[0].tables[0].why == "group A, round 1 of 5: all of the group meet about equally often"


def test_tables_of_a_bot_that_has_withdrawn_are_left_out_and_the_next_qualifies() -> None:
    format = GroupsFinals(2, 1, rounds=6)
    simulation = simulated(format, 8, 2)
    for _ in range(3):
        simulation.step()
    simulation.active.remove(0)
    end = simulation.run()
    assert all(0 not in table.seats for drawn in simulation.drawn[3:] for table in drawn.tables)
    assert end.places[0] == (1,)
    assert end.places[1] == (3,)  # the second of group A: 0, 3, 4, 7


def test_ties_in_a_group_go_by_points_among_those_level_then_scores_then_seeds() -> None:
    tables = [
        SettledTable((0, 1), (2, 1), (0.0, 1.0)),
        SettledTable((0, 2), (1, 2), (9.0, 0.0)),
        SettledTable((1, 3), (2, 1), (1.0, 2.0)),
        SettledTable((2, 3), (1, 1), (5.0, 5.0)),
        SettledTable((0, 3), None, absent=frozenset({0})),
    ]
    assert [points_per_match(entrant, tables) * 6 for entrant in range(4)] == [4, 6, 3, 9]
    assert group_order([0, 1, 2, 3], tables) == [3, 1, 0, 2]
    beaten = [SettledTable((0, 1), (2, 1)), SettledTable((0, 2), (1, 2)), SettledTable((1, 3), (2, 1))]
    assert group_order([0, 1, 2, 3], beaten) == [3, 1, 0, 2]
    level = [SettledTable((0, 1), (1, 1), (1.0, 2.0)), SettledTable((2, 3), (1, 1), (2.0, 2.0))]
    assert group_order([0, 1, 2, 3], level) == [1, 2, 3, 0]


def test_it_is_over_before_it_begins_with_too_few_bots() -> None:
    simulation = simulated(GroupsFinals(2, 2), 8, 3)
    simulation.active -= {0, 1, 2}
    end = simulation.next()
    assert isinstance(end, Finished)
    assert end.why == "5 bots are too few for 2 groups of 3 or more"
    assert simulation.format.places(simulation.field, []) == [tuple(range(8))]


def test_groups_are_lettered_beyond_z() -> None:
    assert [letter(group) for group in (0, 25, 26, 27, 52)] == ["A", "Z", "AA", "AB", "BA"]


@pytest.mark.parametrize(
    ("format", "n", "k", "what"),
    [
        (GroupsFinals(0), 8, 2, "at least 1"),
        (GroupsFinals(2, 0), 8, 2, "let at least 1 qualify"),
        (GroupsFinals(4), 12, 4, "ask for fewer groups"),
        (GroupsFinals(2, 4), 8, 2, r"let fewer of a group do so \(--with qualify=3\)"),
        (GroupsFinals(2, 4), 7, 2, "let fewer qualify"),
        (GroupsFinals(2, 1), 9, 3, "let more qualify"),
        (GroupsFinals(2, 2, rounds=0), 8, 2, "at least 1 round"),
        (GroupsFinals(2, 2, advance=3), 12, 4, "let 1 or 2 advance"),
    ],
)
def test_settings_that_cannot_be_played_are_refused(format: GroupsFinals, n: int, k: int, what: str) -> None:
    with pytest.raises(ScheduleError, match=what):
        format.check(n, k)
