"""Stores to test with: a real file and a real PostgreSQL database; tests of the verbs run on both."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
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
from sqlalchemy.engine import make_url

NO_SERVER = "no PostgreSQL: set REFEREE_TEST_POSTGRES to a server's URL, or install its programs initdb and postgres"
NUMBERS = count(1)


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
        new = NewTournament(name, "flip7", "1.0", 2, {"schedule": "full"}, secrets.token_bytes(32))
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


@pytest.fixture
def postgres_address(postgres_url: str) -> Iterator[str]:
    """A schema of its own on the server: as good as a database of its own, and made in no time."""
    name = f"referee_test_{os.getpid()}_{next(NUMBERS)}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
        url = make_url(postgres_url).update_query_dict({"options": f"-csearch_path={name}"})
        yield url.render_as_string(hide_password=False)
        connection.execute(f"DROP SCHEMA {name} CASCADE".encode())


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL server: the one that is given, else a private one if its programs are installed."""
    given = os.environ.get("REFEREE_TEST_POSTGRES")
    found = _programs()
    if given:
        yield given
    elif found is None:
        pytest.skip(NO_SERVER)
    else:
        with _private_server(*found) as url:
            yield url


def _programs() -> tuple[str, str] | None:
    places = [*os.get_exec_path(), *map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True))]
    initdb, postgres = (shutil.which(name, path=os.pathsep.join(places)) for name in ("initdb", "postgres"))
    return (initdb, postgres) if initdb and postgres else None


@contextmanager
def _private_server(initdb: str, postgres: str) -> Iterator[str]:
    """A fresh cluster in a folder of its own, reached by a unix socket, gone afterwards."""
    # Not pytest's folder: that one is closed to other users, and its path is too long for a socket.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    as_other: list[str] = []
    if os.geteuid() == 0:
        # PostgreSQL refuses to run as root.
        known = {entry.pw_name: entry for entry in pwd.getpwall()}
        other = known.get("postgres") or known["nobody"]
        os.chown(folder, other.pw_uid, other.pw_gid)
        as_other = ["setpriv", f"--reuid={other.pw_uid}", f"--regid={other.pw_gid}", "--clear-groups"]
    cluster = str(folder / "cluster")
    try:
        made = subprocess.run(
            [
                *as_other,
                initdb,
                "-D",
                cluster,
                "-U",
                "referee",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-locale",
                "--no-sync",
            ],
            capture_output=True,
            text=True,
            cwd="/",
            timeout=120,
        )
        assert made.returncode == 0, made.stderr
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [*as_other, postgres, "-D", cluster, "-k", str(folder), "-c", "listen_addresses=", "-c", "fsync=off"],
                stdout=log,
                stderr=log,
                cwd="/",
            )
        try:
            url = f"postgresql://referee@/postgres?host={folder}"
            _wait_until_it_answers(url, server, folder / "log")
            yield url
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=60)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _wait_until_it_answers(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
