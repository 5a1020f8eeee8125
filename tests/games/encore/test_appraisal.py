"""A position of Encore in numbers: what a sheet lacks, and who is nearer to what both want."""

from __future__ import annotations

from referee.games.encore.state import EncoreState
from referee.rules import registry

ONE_LACKING, TWO_LACKING, RACE = 1, 2, 5


def started() -> EncoreState:
    state = registry.find("encore").start(2, seed=b"appraised")
    assert isinstance(state, EncoreState)
    return state


def test_a_column_counts_with_its_points_by_how_many_boxes_it_lacks() -> None:
    state = started()
    _, number, boxes = state.sheet.columns[3]
    least = boxes & -boxes
    before = state.appraisal().seats[0]
    state.papers[0].marked = boxes & ~least
    after = state.appraisal().seats[0]
    assert after[ONE_LACKING] - before[ONE_LACKING] == state.sheet.column_first[number]
    rest = boxes & ~least
    state.papers[0].marked = rest & ~(rest & -rest)
    assert state.appraisal().seats[0][TWO_LACKING] == state.sheet.column_first[number]


def test_a_column_that_another_has_completed_is_worth_what_is_left_of_it() -> None:
    state = started()
    bit, number, boxes = state.sheet.columns[3]
    state.papers[0].marked = boxes & ~(boxes & -boxes)
    state.columns_taken |= bit
    found = state.appraisal().seats[0]
    assert found[ONE_LACKING] == state.sheet.column_later[number]
    assert found[RACE] == 0


def test_a_race_counts_less_for_the_seat_that_lacks_more() -> None:
    state = started()
    _, _, boxes = state.sheet.columns[0]
    one = boxes & -boxes
    rest = boxes & ~one
    state.papers[0].marked = rest
    state.papers[1].marked = rest & ~(rest & -rest)
    ahead, behind = (seat[RACE] for seat in state.appraisal().seats)
    assert ahead > behind > 0
    state.papers[0].marked = 0
    assert state.appraisal().seats[1][RACE] > behind  # no rival is nearer any more
