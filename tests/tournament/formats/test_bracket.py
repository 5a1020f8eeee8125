"""Brackets: full tables, top seeds late and with the byes, no rematch where there is an elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.formats.bracket import Bracket, Slot, draw_bracket


@st.composite
def sizes(draw: st.DrawFn) -> tuple[int, int, int]:
    players = draw(st.integers(2, 8))
    advance = draw(st.sampled_from([number for number in range(1, players) if players % number == 0]))
    return draw(st.integers(players, 150)), players, advance


def seeds_expected(bracket: Bracket) -> list[list[list[int]]]:
    """The seeds at each table of each stage if the better seed always wins."""
    places: dict[int, list[int]] = {}

    def seed(slot: Slot) -> int:
        return slot.seed or places[slot.table][slot.place - 1]

    stages = []
    for stage in bracket.stages:
        tables = []
        for table in stage.tables:
            places[table.number] = sorted(seed(slot) for slot in table.slots)
            tables.append(places[table.number])
        stages.append(tables)
    return stages


@settings(max_examples=60, deadline=None, derandomize=True)
@given(sizes())
def test_all_tables_are_full_and_every_place_leads_to_one_seat(size: tuple[int, int, int]) -> None:
    entrants, players, advance = size
    bracket = draw_bracket(entrants, players, advance, third_place=False)
    tables = [table for stage in bracket.stages for table in stage.tables]
    assert [table.number for table in tables] == list(range(1, bracket.tables + 1))
    assert all(len(table.slots) == players and 1 <= table.advance < players for table in tables)
    seated = [slot for table in tables for slot in table.slots]
    assert sorted(slot.seed for slot in seated if slot.seed) == list(range(1, entrants + 1))
    from_tables = sorted((slot.table, slot.place) for slot in seated if slot.table)
    assert from_tables == [(table.number, at) for table in tables[:-1] for at in range(1, table.advance + 1)]
    assert len(bracket.stages[-1].tables) == 1


@settings(max_examples=60, deadline=None, derandomize=True)
@given(sizes())
def test_byes_are_for_the_top_seeds_and_in_preliminary_rounds_only(size: tuple[int, int, int]) -> None:
    bracket = draw_bracket(*size, third_place=False)
    for at, stage in enumerate(bracket.stages):
        assert bool(stage.waiting) == stage.name.startswith("preliminary")
        if at == 0:
            assert [slot.seed for slot in stage.waiting] == list(range(1, len(stage.waiting) + 1))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(sizes())
def test_if_the_better_seed_wins_the_best_seeds_fill_every_stage(size: tuple[int, int, int]) -> None:
    entrants, players, advance = size
    bracket = draw_bracket(entrants, players, advance, third_place=False)
    final = seeds_expected(bracket)[-1][0]
    assert final[0] == 1
    if all(table.advance == 1 for stage in bracket.stages for table in stage.tables):
        assert final == list(range(1, players + 1))


def test_the_bracket_of_eight_is_the_usual_one() -> None:
    assert seeds_expected(draw_bracket(8, 2, 1, third_place=True)) == [
        [[1, 8], [2, 7], [3, 6], [4, 5]],
        [[1, 4], [2, 3]],
        [[1, 2], [3, 4]],
    ]


@pytest.mark.parametrize(("entrants", "players", "advance"), [(16, 4, 2), (32, 4, 2), (64, 4, 2), (54, 6, 2)])
def test_two_who_advance_from_a_table_do_not_meet_again_at_once(entrants: int, players: int, advance: int) -> None:
    bracket = draw_bracket(entrants, players, advance, third_place=False)
    for stage in bracket.stages[1:-1]:
        for table in stage.tables:
            origins = [slot.table for slot in table.slots]
            assert len(set(origins)) == len(origins)


def test_twelve_at_tables_of_two_play_down_to_eight_first() -> None:
    bracket = draw_bracket(12, 2, 1, third_place=True)
    assert [stage.name for stage in bracket.stages] == [
        "preliminary round",
        "quarter-finals",
        "semi-finals",
        "final and third place",
    ]
    assert [str(slot) for slot in bracket.stages[0].waiting] == ["seed 1", "seed 2", "seed 3", "seed 4"]
    assert [str(slot) for slot in bracket.stages[1].tables[0].slots] == ["seed 1", "winner of table 4"]
    assert [str(slot) for slot in bracket.stages[-1].tables[1].slots] == ["place 2 of table 9", "place 2 of table 10"]
