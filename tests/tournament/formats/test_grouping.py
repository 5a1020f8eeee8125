"""Tables that cost least, compared with a search through everything."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.formats.grouping import _by_matching, _improved, cheapest_groups, cost_of
from referee.tournament.formats.matching import maximum_matching
from referee.tournament.schedule.draw import Groups


def partitions(members: list[int], k: int) -> Iterator[Groups]:
    """All ways to fill tables of k."""
    if not members:
        yield []
        return
    for others in combinations(members[1:], k - 1):
        rest = [member for member in members[1:] if member not in others]
        for tables in partitions(rest, k):
            yield [[members[0], *others], *tables]


@st.composite
def costs(draw: st.DrawFn, count: int, most: int) -> list[list[int]]:
    weights = [[0] * count for _ in range(count)]
    for a, b in combinations(range(count), 2):
        weights[a][b] = weights[b][a] = draw(st.integers(0, most))
    return weights


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data(), st.sampled_from([(6, 2), (8, 2), (6, 3), (9, 3), (8, 4)]))
def test_few_entrants_get_the_cheapest_tables_there_are(data: st.DataObject, size: tuple[int, int]) -> None:
    count, k = size
    weights = data.draw(costs(count, 9))
    groups, proven = cheapest_groups(count, k, weights, repeat=10)
    assert proven
    assert sorted(entrant for group in groups for entrant in group) == list(range(count))
    assert cost_of(groups, weights) == min(cost_of(tables, weights) for tables in partitions(list(range(count)), k))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(costs(8, 1))
def test_a_matching_has_as_many_pairs_as_there_can_be(weights: list[list[int]]) -> None:
    near = [[b for b in range(8) if b != a and not row[b]] for a, row in enumerate(weights)]
    partner = maximum_matching(near)
    for vertex, other in enumerate(partner):
        assert other < 0 or (other in near[vertex] and partner[other] == vertex)
    most = max(sum(not weights[a][b] for a, b in tables) for tables in partitions(list(range(8)), 2))
    assert sum(other >= 0 for other in partner) == 2 * most


@settings(max_examples=30, deadline=None, derandomize=True)
@given(costs(8, 1))
def test_pairs_for_a_large_field_have_the_fewest_repeats_too(weights: list[list[int]]) -> None:
    fewest = min(cost_of(tables, weights) for tables in partitions(list(range(8)), 2))
    assert cost_of(_by_matching(weights, 1), weights) == fewest


@settings(max_examples=20, deadline=None, derandomize=True)
@given(costs(12, 50), st.sampled_from([2, 3, 4, 6]))
def test_improving_keeps_everyone_and_never_costs_more(weights: list[list[int]], k: int) -> None:
    start = [list(range(at, at + k)) for at in range(0, 12, k)]
    groups = _improved([list(group) for group in start], k, weights)
    assert sorted(entrant for group in groups for entrant in group) == list(range(12))
    assert cost_of(groups, weights) <= cost_of(start, weights)
