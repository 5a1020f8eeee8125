"""Knock-out: blocks on one deal, the bracket as published, ties, withdrawals, third place."""

from __future__ import annotations

import random
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.formats.bracket import Bracket
from referee.tournament.formats.format import Drawn, Finished, SettledTable
from referee.tournament.formats.knockout import Knockout
from referee.tournament.schedule.pairing import ScheduleError

from .simulated import Simulation, by_strength


def skeleton(bracket: Bracket) -> list[tuple[str, list[tuple[int, int, tuple[str, ...]]]]]:
    """What was published: names, tables and where everyone comes from, without who that is."""
    return [
        (stage.name, [(table.number, table.advance, tuple(map(str, table.slots))) for table in stage.tables])
        for stage in bracket.stages
    ]


def check_blocks(drawn: Drawn, players: int) -> None:
    """Every deal is played once in every rotation of the seats."""
    for deal, tables in groupby(drawn.tables, key=lambda table: table.deal):
        block = [table.seats for table in tables]
        assert deal > 0
        assert block == [block[0][turn:] + block[0][:turn] for turn in range(players)]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
def test_whatever_happens_the_bracket_stays_and_one_bot_wins(data: st.DataObject) -> None:
    players = data.draw(st.integers(2, 4))
    entrants = data.draw(st.integers(players, 20))
    knockout = Knockout(
        advance=data.draw(st.sampled_from([None, 1])),
        blocks=data.draw(st.integers(1, 2)),
        further=data.draw(st.integers(0, 2)),
        third_place=players == 2 and entrants >= 4 and data.draw(st.booleans()),
    )
    rng = random.Random(data.draw(st.integers(0, 999)))
    usual = by_strength([rng.gauss(0, 1) for _ in range(entrants)], 1.0, 1, ties=1.0)

    def settle(seats: tuple[int, ...]) -> SettledTable:
        if rng.random() < 0.1:
            return SettledTable(
                seats, None, absent=frozenset({rng.randrange(players)}) if rng.random() < 0.5 else frozenset()
            )
        return usual(seats)

    simulation = Simulation(knockout, entrants, players, settle)
    published = skeleton(knockout.bracket(simulation.field, []))
    while (drawn := simulation.step()) is not None:
        check_blocks(drawn, players)
        assert skeleton(knockout.bracket(simulation.field, simulation.played)) == published
        if rng.random() < 0.3 and len(simulation.active) > 1:
            simulation.active.remove(rng.choice(sorted(simulation.active)))
    assert simulation.end is not None
    places = knockout.places(simulation.field, simulation.played)
    assert sorted(entrant for place in places for entrant in place) == list(range(entrants))
    assert len(places[0]) == 1
    forecast = knockout.forecast(entrants, players)
    assert len(simulation.played) <= forecast.rounds[1]
    assert sum(len(settled.tables) for settled in simulation.played) <= forecast.matches[1]
    assert all(
        table.places for stage in knockout.bracket(simulation.field, simulation.played).stages for table in stage.tables
    )


@pytest.mark.parametrize(("entrants", "players"), [(12, 2), (16, 4), (13, 3), (11, 4)])
def test_without_luck_the_best_seed_wins_and_nothing_is_longer_than_forecast(entrants: int, players: int) -> None:
    strengths = tuple(float(entrant * 7 % entrants) for entrant in range(entrants))
    knockout = Knockout(third_place=players == 2)
    simulation = Simulation(knockout, entrants, players, by_strength(strengths, 0, 0), seeding=strengths)
    end = simulation.run()
    best = sorted(range(entrants), key=lambda entrant: -strengths[entrant])
    assert [list(place) for place in end.places[:players]] == [[entrant] for entrant in best[:players]]
    forecast = knockout.forecast(entrants, players)
    assert len(simulation.played) == forecast.rounds[0]
    assert sum(len(settled.tables) for settled in simulation.played) == forecast.matches[0]


def test_a_table_that_ends_level_plays_a_further_block_and_then_the_better_seed_advances() -> None:
    simulation = Simulation(Knockout(further=2), 4, 2, lambda seats: SettledTable(seats, (1, 1), (5.0, 5.0)))
    end = simulation.run()
    stages = [drawn.stage for drawn in simulation.drawn]
    assert stages == [
        *("semi-finals", "semi-finals, further block 1", "semi-finals, further block 2"),
        *("final", "final, further block 1", "final, further block 2"),
    ]
    assert end.places == ((0,), (1,), (2, 3))
    assert {table.how for stage in knockout_bracket(simulation).stages for table in stage.tables} == {"seeding"}
    assert simulation.drawn[1].tables[0].why == (
        "semi-finals, table 1: seed 1 and seed 4, match 1 on the same deal; "
        "it ended level, so further block 1 is played"
    )


def knockout_bracket(simulation: Simulation) -> Bracket:
    assert isinstance(simulation.format, Knockout)
    return simulation.format.bracket(simulation.field, simulation.played)


def test_only_tables_that_ended_level_play_on_and_the_others_wait() -> None:
    def settle(seats: tuple[int, ...]) -> SettledTable:
        if set(seats) == {0, 3} and not simulation.played:
            return SettledTable(seats, (1, 1))
        return SettledTable(seats, tuple(1 + (entrant != max(seats)) for entrant in seats))

    simulation = Simulation(Knockout(), 4, 2, settle)
    simulation.run()
    further = simulation.drawn[1]
    assert {entrant for table in further.tables for entrant in table.seats} == {0, 3}
    assert further.byes == (2,)
    assert [table.how for table in knockout_bracket(simulation).stages[0].tables] == ["further block", "played"]


def test_scores_decide_where_ranks_are_level() -> None:
    simulation = Simulation(
        Knockout(), 2, 2, lambda seats: SettledTable(seats, (1, 2), tuple(float(entrant) for entrant in seats))
    )
    assert simulation.run().places == ((1,), (0,))


def test_two_blocks_are_two_deals_with_every_bot_once_in_every_seat_of_each() -> None:
    drawn = Simulation(Knockout(blocks=2), 3, 3, by_strength([0, 1, 2], 1, 0)).step()
    assert drawn is not None
    assert [table.deal for table in drawn.tables] == [1, 1, 1, 2, 2, 2]
    assert drawn.tables[3].why == "final, table 1: seed 1, seed 2 and seed 3, match 1 of block 2 on the same deal"


def test_who_meets_a_bot_that_has_withdrawn_advances_without_playing() -> None:
    simulation = Simulation(Knockout(), 8, 2, by_strength([8 - e for e in range(8)], 0, 0))
    simulation.step()
    simulation.active.remove(0)
    drawn = simulation.step()
    assert drawn is not None
    assert {entrant for table in drawn.tables for entrant in table.seats} == {1, 2}
    assert drawn.byes == (3,)
    assert simulation.run().places[:3] == ((1,), (3,), (0, 2))
    assert [table.how for table in knockout_bracket(simulation).stages[1].tables] == ["walkover", "played"]


def test_at_a_larger_table_the_seat_of_a_bot_that_has_withdrawn_goes_to_who_went_out_last() -> None:
    simulation = Simulation(Knockout(), 16, 4, by_strength([16 - e for e in range(16)], 0, 0))
    simulation.step()
    simulation.active.remove(0)
    drawn = simulation.step()
    assert drawn is not None
    assert set(drawn.tables[0].seats) == {3, 5, 6, 8}
    assert drawn.tables[0].why == (
        "semi-finals, table 5: winner of table 4, place 2 of table 2, place 2 of table 3 and who went out last, "
        "for a bot that withdrew, match 1 on the same deal"
    )
    end = simulation.run()
    assert end.places[0] == (1,)


def test_an_absent_bot_loses_the_match_and_a_void_one_counts_for_none() -> None:
    away = Simulation(Knockout(), 2, 2, lambda seats: SettledTable(seats, None, absent=frozenset({seats.index(0)})))
    assert away.run().places == ((1,), (0,))
    void = Simulation(Knockout(further=0), 2, 2, lambda seats: SettledTable(seats, None))
    assert void.run().places == ((0,), (1,))


def test_places_while_it_is_played_name_those_still_in_first() -> None:
    simulation = Simulation(Knockout(third_place=True), 4, 2, by_strength([4, 3, 2, 1], 0, 0))
    assert simulation.format.places(simulation.field, []) == [(0, 1, 2, 3)]
    simulation.step()
    assert simulation.format.places(simulation.field, simulation.played) == [(0, 1), (2, 3)]
    simulation.run()
    assert simulation.format.places(simulation.field, simulation.played) == [(0,), (1,), (2,), (3,)]


def test_it_is_over_before_it_begins_with_too_few_bots() -> None:
    simulation = Simulation(Knockout(), 4, 4, by_strength([0.0] * 4, 1, 0))
    simulation.active.remove(2)
    assert simulation.next() == Finished("3 bots are left and a table needs 4")


@pytest.mark.parametrize(
    ("knockout", "n", "k", "what"),
    [
        (Knockout(), 3, 4, "enter more bots"),
        (Knockout(), 3, 1, "ask for more players per match"),
        (Knockout(advance=2), 9, 3, "let 1 advance"),
        (Knockout(advance=6), 9, 6, "let 1 or 2 or 3 advance"),
        (Knockout(blocks=0), 4, 2, "at least 1 block"),
        (Knockout(further=-1), 4, 2, "at least 0"),
        (Knockout(third_place=True), 8, 4, "the final itself decides third place"),
        (Knockout(third_place=True), 3, 2, "at least 4 bots"),
    ],
)
def test_settings_that_cannot_be_played_are_refused(knockout: Knockout, n: int, k: int, what: str) -> None:
    with pytest.raises(ScheduleError, match=what):
        knockout.check(n, k)
