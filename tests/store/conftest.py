"""Stores to test with: a real file and a real PostgreSQL database; tests of the verbs run on both."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from referee.store import (
    MatchResult,
    NewEntrant,
    NewTournament,
    SeatResult,
    Store,
    Tournament,
    TournamentState,
)


@dataclass(frozen=True)
class Hall:
    """A fresh, empty database; `kind` is sqlite or postgres."""

    kind: str
    address: str


@dataclass(frozen=True)
class Table:
    """A pairing of the schedule."""

    round: int
    table: int
    seats: tuple[int, ...]


@pytest.fixture(params=["sqlite", "postgres"])
def hall(request: pytest.FixtureRequest, tmp_path: Path) -> Hall:
    if request.param == "sqlite":
        return Hall("sqlite", str(tmp_path / "league.db"))
    return Hall("postgres", request.getfixturevalue("postgres_address"))


@pytest.fixture
def open_store(hall: Hall) -> Iterator[Callable[..., Store]]:
    """Opens the hall's database, as often as a test likes; all are closed at the end."""
    opened: list[Store] = []

    def open_it(**options: object) -> Store:
        store = Store.open(hall.address, **options)  # type: ignore[arg-type]
        opened.append(store)
        return store

    yield open_it
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Callable[..., Store]) -> Store:
    return open_store()


@pytest.fixture
def new_league() -> Callable[..., Tournament]:
    """Creates a tournament of two-seat matches among four house bots, running unless told otherwise."""

    def create(store: Store, matches: int = 6, name: str = "league", state: str = "running") -> Tournament:
        bots = [store.bots.ensure_house(each) for each in ("ada", "bob", "cy", "dee")]
        entrants = [NewEntrant(bot.id, bot.name) for bot in bots]
        new = NewTournament(name, "flip7", "1.0", 2, {"schedule": "full"}, hashlib.sha256(name.encode()).digest())
        tables = (Table(number // 2, number % 2, (number % 4, (number + 1) % 4)) for number in range(matches))
        made = store.tournaments.create(new, entrants, tables)
        if state == "running":
            store.tournaments.set_state(made.id, TournamentState.RUNNING)
        return store.tournaments.get(made.id)

    return create


@pytest.fixture
def result_of() -> Callable[..., MatchResult]:
    """A result for a two-seat match; its record can be told from every other's."""

    def create(match: int, attempt: int = 1, winner: int = 0) -> MatchResult:
        ranks = (1, 2) if winner == 0 else (2, 1)
        seats = tuple(SeatResult(seat, rank, 100 * (3 - rank), decisions=9) for seat, rank in enumerate(ranks))
        return MatchResult(match, attempt, seats, f"{match:064x}", f"record of match {match}\n".encode() * 50)

    return create
