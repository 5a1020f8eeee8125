"""Points by rank: one for everyone left behind, a half for everyone level with."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.formats.format import SettledRound, SettledTable
from referee.tournament.formats.tally import as_points, halves_by_rank, tally


@pytest.mark.parametrize(
    ("ranks", "halves"),
    [([1, 2], [2, 0]), ([1, 1], [1, 1]), ([1, 2, 3, 4], [6, 4, 2, 0]), ([2, 1, 2, 4], [3, 6, 3, 0]), ([1], [0])],
)
def test_points_are_bots_left_behind_and_half_of_those_level(ranks: list[int], halves: list[int]) -> None:
    assert halves_by_rank(ranks) == halves


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 5), min_size=2, max_size=8))
def test_a_table_gives_out_the_same_points_whatever_its_ties(shown: list[int]) -> None:
    ranks = [1 + sum(other > own for other in shown) for own in shown]
    assert sum(halves_by_rank(ranks)) == len(shown) * (len(shown) - 1)


def test_points_are_written_as_people_write_them() -> None:
    assert [as_points(halves) for halves in (0, 1, 2, 7)] == ["0", "½", "1", "3½"]


def test_a_table_without_result_is_no_meeting_and_costs_only_who_was_absent() -> None:
    aside = SettledTable((0, 1), None, absent=frozenset({1}))
    void = SettledTable((2, 3), None)
    sums = tally(5, 2, [SettledRound(1, (aside, void), byes=(4,))], bye=1)
    assert sums.halves == [1, 0, 1, 1, 1]
    assert sums.byes == [0, 0, 0, 0, 1]
    assert sum(map(sum, sums.meetings)) == sum(map(sum, sums.sat)) == 0


def test_opposition_is_the_mean_of_those_met_and_a_bye_does_not_lower_it() -> None:
    first = SettledRound(1, (SettledTable((0, 1), (1, 2)),), byes=(2,))
    second = SettledRound(2, (SettledTable((2, 0), (1, 2)),), byes=(1,))
    sums = tally(3, 2, [first, second], bye=0)
    assert sums.halves == [2, 0, 2]
    assert [sums.opposition(entrant) for entrant in range(3)] == [1, 2, 2]
