"""Snapshots in the store: used as long as they fit what is stored, on every database."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import update

from referee.store import MatchResult, MatchState, NewSnapshot, SnapshotKind, Store, Tournament
from referee.store import tables as t

BOARD = SnapshotKind.BOARD
New = Callable[..., Tournament]


@pytest.fixture
def league(store: Store, new_league: New, result_of: Callable[..., MatchResult]) -> Tournament:
    """Six matches: the first two finished, the third set aside."""
    made = new_league(store)
    matches = list(store.matches.in_schedule_order(made.id))
    for match in matches[:2]:
        assert store.matches.claim(match.id) == 1
        assert store.matches.report(result_of(match.id))
    store.matches.set_aside(matches[2].id, MatchState.ABSENT, "not there")
    return made


def keep(store: Store, league: Tournament, through: int = 3, finished: int = 2, aside: int = 1) -> None:
    value = {"through": through, "μ": [25.1, 1 / 3]}
    store.snapshots.keep(league.id, NewSnapshot(BOARD, through, 4, finished, aside, 0, "constants", value))


def fitting(store: Store, league: Tournament, settings: str = "constants") -> int | None:
    found = store.snapshots.fitting(league.id, BOARD, settings)
    return None if found is None else found.through


def test_the_furthest_that_fits_is_read_back_as_it_was_given(store: Store, league: Tournament) -> None:
    assert fitting(store, league) is None
    keep(store, league, 2, 2, 0)
    keep(store, league)
    keep(store, league)  # a second time takes the place of the first
    found = store.snapshots.fitting(league.id, BOARD, "constants")
    assert found is not None
    assert (found.through, found.value) == (3, {"through": 3, "μ": [25.1, 1 / 3]})
    assert [(each.through, each.wrong) for each in store.snapshots.all(league.id)] == [(2, ""), (3, "")]
    assert fitting(store, league, "other constants") is None
    assert store.snapshots.fitting(league.id, SnapshotKind.STRENGTHS, "constants") is None
    assert store.snapshots.fitting(league.id, BOARD, "constants", through=1) is None


def test_one_of_other_results_does_not_fit(store: Store, league: Tournament) -> None:
    keep(store, league, 2, 2, 0)
    keep(store, league, 3, 3, 0)
    assert fitting(store, league) == 2
    assert [(each.through, each.wrong) for each in store.snapshots.all(league.id)] == [(2, "")]  # it is not even kept


def test_a_match_that_is_put_back_drops_those_behind_it(store: Store, league: Tournament) -> None:
    keep(store, league, 2, 2, 0)
    keep(store, league)
    third = next(iter(store.matches.in_schedule_order(league.id, [MatchState.ABSENT])))
    store.matches.put_back({third.id: False})
    assert [each.through for each in store.snapshots.all(league.id)] == [2]


@pytest.mark.parametrize("ruling", ["annul", "replay"])
def test_a_ruling_drops_those_behind_its_match(store: Store, league: Tournament, ruling: str) -> None:
    keep(store, league, 1, 1, 0)
    keep(store, league)
    getattr(store.rulings, ruling)(league.id, 1, "a mistake")
    assert [each.through for each in store.snapshots.all(league.id)] == [1]
    keep(store, league)  # by a program that has not heard of it
    assert fitting(store, league) == 1


def test_one_of_another_journal_does_not_fit(store: Store, league: Tournament) -> None:
    keep(store, league)
    chain = t.journal.c.chain == league.id
    change = update(t.journal).where(chain).values(hash="x")
    store.writer.submit(lambda connection: connection.execute(change).rowcount).result()
    assert fitting(store, league) is None


def test_what_was_set_aside_last_is_found_in_both_states(store: Store, league: Tournament) -> None:
    matches = list(store.matches.in_schedule_order(league.id))
    store.matches.set_aside(matches[4].id, MatchState.VOID, "the game failed")
    store.matches.set_aside(matches[5].id, MatchState.ABSENT, "not there")
    assert [match.ordinal for match in store.matches.last_set_aside(league.id, 2)] == [5, 4]
    assert [match.ordinal for match in store.matches.last_set_aside(league.id)] == [5, 4, 2]


def test_ranks_are_read_without_the_rest_of_a_match(store: Store, league: Tournament) -> None:
    found = store.matches.ranks_before(league.id, 2)
    wanted = store.matches.in_schedule_order(league.id, [MatchState.FINISHED])
    assert found == {
        match.ordinal: (tuple(seat.name for seat in match.seats), tuple(seat.rank for seat in match.seats))
        for match in wanted
    }
    assert list(found) == [0, 1]
