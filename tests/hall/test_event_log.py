"""The log of a server tells what is stored, whoever stored it."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from referee.hall.event_log import EventLog
from referee.store import MatchResult, NewEntrant, NewTournament, SeatResult, Store, Tournament, TournamentState
from referee.tournament.schedule.pairing import Pairing


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "league.db", owner="server") as store:
        yield store


def league(store: Store) -> Tournament:
    bots = [store.bots.ensure_house(name) for name in ("ada", "bob")]
    new = NewTournament("league", "flip7", "1.0", 2, {}, hashlib.sha256(b"league").digest())
    tables = [Pairing(number, 1, (0, 1)) for number in (1, 2)]
    made = store.tournaments.create(new, [NewEntrant(bot.id, bot.name) for bot in bots], tables)
    store.tournaments.set_state(made.id, TournamentState.RUNNING)
    return made


def report(store: Store, match: int, fault: str) -> None:
    store.matches.claim(match)
    seats = (SeatResult(0, 1, 200), SeatResult(1, 2, 100, fault=fault))
    assert store.matches.report(MatchResult(match, 1, seats, f"{match:064x}", b"record"))


def texts(log: EventLog) -> list[str]:
    return [event.text for event in log.look()]


def test_what_was_stored_before_is_not_told_and_what_comes_is_told_once(store: Store) -> None:
    store.bots.add("early")
    log = EventLog(store)
    log.skip_to_now()
    assert texts(log) == []
    store.bots.add("late")
    assert texts(log) == ["bot late was registered"]
    assert texts(log) == []


def test_after_a_restart_a_tournament_that_was_paused_goes_on_and_is_not_started(store: Store) -> None:
    made = league(store)
    store.tournaments.set_state(made.id, TournamentState.PAUSED)
    log = EventLog(store)
    log.skip_to_now()
    store.tournaments.set_state(made.id, TournamentState.RUNNING)
    assert texts(log) == ["goes on"]


def test_what_another_process_stores_is_told_too(store: Store, tmp_path: Path) -> None:
    log = EventLog(store)
    log.skip_to_now()
    with Store.open(tmp_path / "league.db") as other:
        other.bots.add("mybot")
    assert texts(log) == ["bot mybot was registered"]


def test_a_tournament_is_told_from_its_creation_to_its_end_with_its_forfeits(store: Store) -> None:
    log = EventLog(store)
    log.skip_to_now()
    made = league(store)
    assert texts(log) == [
        "created: flip7, 2 players a match",
        "entered: ada, bob",
        "2 matches scheduled",
        "started",
    ]
    first, second = (match.id for match in store.matches.page(made.id, 0, 2))
    report(store, first, "finished")
    report(store, second, "timeout")
    store.tournaments.set_state(made.id, TournamentState.FINISHED, reveal=True)
    assert texts(log) == ["bob forfeited match 1: timeout", "finished"]
    assert texts(log) == []


def test_a_damaged_entry_does_not_hide_what_comes_after_it(store: Store, tmp_path: Path) -> None:
    log = EventLog(store)
    log.skip_to_now()
    store.bots.add("ada")
    with closing(sqlite3.connect(tmp_path / "league.db")) as connection, connection:
        connection.execute("UPDATE journal SET entry = '{}' WHERE number = (SELECT max(number) FROM journal)")
    store.bots.add("bob")
    assert texts(log) == ["bot bob was registered"]
    assert texts(log) == []
