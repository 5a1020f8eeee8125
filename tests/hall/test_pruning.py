"""Pruning: records go, ratings stay, and what is left verifies; tournaments and bots are removed with a trace."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from referee.hall.competition import Competition
from referee.rules.game import WrongUse
from referee.store import NotAllowed, Store, Unknown
from referee.store.pruning import in_ranges, ranges
from referee.tournament.audit.database import check_columns, check_installation, from_database, published
from referee.tournament.audit.folder import read, write
from referee.tournament.audit.importing import import_folder
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.audit.verify import verify
from referee.tournament.plan import Plan
from referee.tournament.standings import from_store

from .test_missed import over

LATER = 1 << 50
PLAN = Plan("stop_me_go", 2, rounds=4)


async def league(competition: Competition, name: str = "league") -> None:
    await competition.director.create(name, PLAN, ["random", "random", "random"], None, True)
    await competition.director.wait_until_stopped(name)


async def test_ratings_stay_when_records_go_and_verify_says_what_it_cannot_replay(
    competition: Competition, store: Store, tmp_path: Path
) -> None:
    await league(competition)
    before = from_store(store, "league")
    records, size = store.pruning.records(LATER, dry_run=True)
    assert (records, size > 0) == (4, True)
    assert store.pruning.records(0) == (0, 0)
    assert store.pruning.records(LATER) == (records, size)
    assert store.pruning.records(LATER) == (0, 0)
    check_columns(store, "league")
    check_installation(store)
    verified = verify(from_database(store, "league"))
    assert (verified.replayed, verified.pruned) == (0, 4)
    assert verified.digest == before.digest == from_store(store, "league").digest
    write(published(store, "league"), tmp_path / "league")
    assert verify(read(tmp_path / "league")).pruned == 4
    with Store.open(tmp_path / "other.db") as other, pytest.raises(WrongUse, match="were pruned"):
        import_folder(other, tmp_path / "league")


async def test_a_record_that_is_missing_without_being_pruned_does_not_hold(
    competition: Competition, store: Store, tmp_path: Path
) -> None:
    await league(competition)
    with sqlite3.connect(tmp_path / "hall.db") as file:
        file.execute("DELETE FROM records WHERE match_id = (SELECT max(id) FROM matches)")
    with pytest.raises(DoesNotHold, match="its record is missing"):
        verify(from_database(store, "league"))


async def test_a_result_that_was_changed_after_pruning_does_not_hold(
    competition: Competition, store: Store, tmp_path: Path
) -> None:
    await league(competition)
    store.pruning.records(LATER)
    with sqlite3.connect(tmp_path / "hall.db") as file:
        file.execute("UPDATE seats SET rank = 3 - rank WHERE match_id = (SELECT max(id) FROM matches)")
    with pytest.raises(DoesNotHold):
        verify(from_database(store, "league"))


async def test_what_is_still_being_played_keeps_its_records(competition: Competition, store: Store) -> None:
    await league(competition)
    await competition.director.reopen("league")
    assert store.pruning.records(LATER) == (0, 0)


async def test_a_reopened_tournament_goes_on_without_the_records_of_before(
    competition: Competition, store: Store
) -> None:
    await league(competition)
    store.pruning.records(LATER)
    await competition.director.reopen("league")
    await competition.director.extend("league", 2)
    await competition.director.control("league", "resume")
    await over(competition)
    check_columns(store, "league")
    verified = verify(from_database(store, "league"))
    assert (verified.replayed, verified.pruned, verified.reopened) == (2, 4, 1)


async def test_a_tournament_is_removed_and_the_others_stay(competition: Competition, store: Store) -> None:
    await league(competition)
    await league(competition, "other")
    head = store.journal.head(store.tournaments.get("league").id)
    assert store.pruning.tournament("league") == 4
    assert [one.name for one in store.tournaments.all()] == ["other"]
    assert f'"head":"{head.hash}"' in [entry.entry for entry in store.journal.read(0)][-1]
    check_installation(store)
    assert verify(from_database(store, "other")).replayed == 4
    await league(competition)
    check_installation(store)
    with pytest.raises(Unknown):
        store.pruning.tournament("nothing")


def test_a_bot_is_removed_unless_it_is_part_of_something(competition: Competition, store: Store) -> None:
    ada = store.bots.add("ada").bot
    store.versions.add(ada.id, "a" * 64, 1, 1)
    store.bots.add("bob")
    store.pruning.bot("ada")
    assert [bot.name for bot in store.bots.all()] == ["bob"]
    store.bots.add("ada")
    check_installation(store)
    entrants = competition.roster.entrants(["bob", "random"], "stop_me_go")
    from referee.tournament import lifecycle

    lifecycle.create(store, "league", PLAN, entrants)
    with pytest.raises(NotAllowed, match="referee bot revoke bob"):
        store.pruning.bot("bob")


def test_numbers_as_runs_and_back() -> None:
    numbers = [7, 1, 2, 3, 9, 8, 20]
    assert ranges(numbers) == [[1, 3], [7, 9], [20, 20]]
    assert list(in_ranges(ranges(numbers))) == sorted(numbers)
