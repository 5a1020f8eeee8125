"""A server in the midst of a tournament is stopped, locked out, filled up, moved in time or cut off from its database.

Each time one sentence tells it, nobody is blamed, nothing is lost, and it goes on by itself where it can.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from referee.hall.roster import new_admin_token
from referee.store import Store

from ..store.postgres_server import PrivatePostgres
from ..waiting import PATIENCE, eventually
from .test_tournament_same import digest_in
from .tournament_hall import Hall

ROUNDS = 30
MATCHES = 2 * ROUNDS
PLAN = ("league", "--game", "stop_me_go", "--players", 2, "--rounds", ROUNDS, "--repeatable", "--seed", "hard")
BOTS = ("--bots", "random,patient,random,mixed")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the tournament, undisturbed."""
    hall = Hall(tmp_path_factory.mktemp("undisturbed"))
    hall.referee("tournament", "create", *PLAN, *BOTS, "--db", hall.db)
    return digest_in(hall.referee("tournament", "start", "league", "--db", hall.db))


def log_of(hall: Hall) -> str:
    return (hall.folder / "server.log").read_text()


def told(hall: Hall, text: str) -> None:
    """The log says this, soon."""
    eventually(lambda: text in log_of(hall), why=lambda: log_of(hall)[-3000:])


def ended_as(hall: Hall, expected: str) -> None:
    """The tournament is over, holds, and has the digest of the undisturbed one."""
    found = hall.referee("verify", "league", "--db", hall.db, "--digest", expected)
    assert expected in found
    assert "Traceback" not in log_of(hall)


@pytest.mark.alone
@pytest.mark.parametrize("seconds", [5.0, pytest.param(65.0, marks=pytest.mark.soak)])
def test_stopped_it_blames_nobody_for_the_time_it_stood_still(hall: Hall, seconds: float) -> None:
    hall.start()
    hall.crowd("ada=random", "bob=first")
    # More than a bot has for a decision, bank and all; and the bots are asked for their answers all the time. The long
    # time is more than the grace of a match, and than a tournament waits for a bot that is not there.
    plan = ("--game", "stop_me_go", "--players", 2, "--rounds", 40, "--bots", "ada,bob", "--time", "2s", "--bank", "1s")
    hall.steer("create", "league", *plan, "--start")
    eventually(lambda: hall.count() >= 5)
    assert hall.server is not None
    hall.server.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    hall.server.send_signal(signal.SIGCONT)
    told(hall, "the server stood still; no bot is charged for it")
    hall.wait_for("league")
    with closing(sqlite3.connect(hall.db)) as connection:
        faults = connection.execute("SELECT DISTINCT fault FROM seats").fetchall()
    assert faults == [("finished",)]
    assert hall.count() == 40
    assert "Traceback" not in log_of(hall)


def test_locked_out_of_its_database_it_says_so_and_goes_on_when_the_lock_is_gone(hall: Hall, expected: str) -> None:
    hall.start_under("impatient", "--concurrency", "2")
    hall.steer("create", *PLAN, *BOTS)
    with closing(sqlite3.connect(hall.db, isolation_level=None)) as other:
        hall.steer("start", "league")
        other.execute("PRAGMA busy_timeout = 60000")
        other.execute("BEGIN IMMEDIATE")
        stored = hall.count()
        if stored < MATCHES:  # else it was quicker than the lock
            told(hall, "is locked by another program")
            assert hall.count() == stored
        other.execute("ROLLBACK")
    hall.wait_for("league")
    hall.kill()
    ended_as(hall, expected)
    assert log_of(hall).count("nothing can be stored; trying again") <= 1


def room_of(hall: Hall) -> int:
    """A size of the database that its file reaches in the midst of the tournament."""
    return Path(hall.db).stat().st_size + 80_000


def test_on_a_full_disk_a_server_waits_with_its_results_and_goes_on_by_itself_when_there_is_room(
    hall: Hall, expected: str
) -> None:
    hall.referee("tournament", "create", *PLAN, *BOTS, "--db", hall.db)
    hall.start_under(str(room_of(hall)), "--concurrency", "2")
    hall.steer("start", "league")
    told(hall, "nothing can be stored; trying again")
    told(hall, "no room left to write")
    assert 0 < hall.count() < MATCHES
    assert hall.server is not None
    # Somebody waits for the answer to a command: it is told at once.
    assert "no room left to write" in hall.referee("bot", "add", "late", "--server", hall.address, code=3)
    resource.prlimit(hall.server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    hall.wait_for("league")
    hall.kill()
    ended_as(hall, expected)
    assert log_of(hall).count("nothing can be stored; trying again") == 1


def test_a_server_whose_disk_stays_full_stops_with_a_sentence_and_goes_on_after_the_next_start(
    hall: Hall, expected: str
) -> None:
    hall.referee("tournament", "create", *PLAN, *BOTS, "--db", hall.db)
    hall.start_under(f"briefly={room_of(hall)}", "--concurrency", "2")
    hall.steer("start", "league")
    assert hall.server is not None
    assert hall.server.wait(PATIENCE) == 3
    last = re.sub(r"\s+", " ", log_of(hall)).rpartition("error: ")[2]
    assert "no room left to write" in last
    assert "the server has stopped, and nothing that was stored is lost" in last
    before = hall.count()
    hall.start()
    hall.wait_for("league")
    assert hall.count() == MATCHES > before
    hall.kill()
    ended_as(hall, expected)


def test_the_wall_clock_may_be_moved_by_an_hour_either_way(hall: Hall, expected: str, tmp_path: Path) -> None:
    clock = tmp_path / "clock"
    clock.write_text("0")
    hall.start_under(f"clock={clock}", "--concurrency", "1")
    hall.steer("create", *PLAN, *BOTS, "--start")
    for share, offset in ((10, 3600), (20, -3600)):
        eventually(lambda share=share: hall.count() >= share)  # type: ignore[misc]
        other = tmp_path / "other"
        other.write_text(str(offset))
        other.rename(clock)
    hall.wait_for("league")
    hall.kill()
    ended_as(hall, expected)
    with closing(sqlite3.connect(hall.db)) as connection:
        [(first, last)] = connection.execute("SELECT min(finished), max(finished) FROM matches").fetchall()
    assert last - first > 3_600_000, "the clock did move"


def test_cut_off_from_postgresql_it_goes_on_by_itself(hall: Hall, expected: str, postgres_address: str) -> None:
    # By its name the server's own connections are found: others may use the same PostgreSQL.
    named = make_url(postgres_address).update_query_dict({"application_name": f"hardship-{os.getpid()}"})
    hall.db = named.render_as_string(hide_password=False)
    with Store.open(hall.db) as store:
        hall.environment["REFEREE_ADMIN_TOKEN"] = new_admin_token(store)
    hall.referee("tournament", "create", *PLAN, *BOTS, "--db", hall.db)
    hall.start("--concurrency", "2")
    with psycopg.connect(postgres_address, autocommit=True) as beside:

        def finished() -> int:
            row = beside.execute("SELECT count(*) FROM matches WHERE state = 'finished'").fetchone()
            assert row is not None
            return int(row[0])

        hall.steer("start", "league")
        for share in (5, 15):
            eventually(lambda share=share: finished() >= share, why=lambda: log_of(hall)[-3000:])  # type: ignore[misc]
            # As when PostgreSQL is started again: all connections of this server are gone at once.
            cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s"
            assert beside.execute(cut, [named.query["application_name"]]).fetchall()

        def state() -> str:
            row = beside.execute("SELECT state FROM tournaments WHERE name = 'league'").fetchone()
            return "" if row is None else str(row[0])

        eventually(lambda: state() == "finished", why=lambda: log_of(hall)[-3000:])
        assert finished() == MATCHES
    assert hall.server is not None
    assert hall.server.poll() is None, log_of(hall)[-3000:]
    hall.kill()
    # What was being played when the connections broke was dealt again, the same to house bots.
    ended_as(hall, expected)


@pytest.mark.soak
def test_postgresql_may_be_stopped_and_started_again(hall: Hall, expected: str, own_postgres: PrivatePostgres) -> None:
    hall.db = own_postgres.url
    with Store.open(hall.db) as store:
        hall.environment["REFEREE_ADMIN_TOKEN"] = new_admin_token(store)
    hall.referee("tournament", "create", *PLAN, *BOTS, "--db", hall.db)
    hall.start("--concurrency", "1")
    hall.steer("start", "league")

    def asked(query: str) -> object:
        with psycopg.connect(hall.db) as connection:
            row = connection.execute(query.encode()).fetchone()
        return None if row is None else row[0]

    finished = "SELECT count(*) FROM matches WHERE state = 'finished'"
    eventually(lambda: asked(finished) != 0, why=lambda: log_of(hall)[-3000:])
    own_postgres.stop()
    said = ("nothing can be stored; trying again", "waits until the database can be used")
    eventually(lambda: any(text in log_of(hall) for text in said), why=lambda: log_of(hall)[-3000:])
    own_postgres.start()
    state = "SELECT state FROM tournaments WHERE name = 'league'"
    eventually(lambda: asked(state) == "finished", why=lambda: log_of(hall)[-3000:])
    assert asked(finished) == MATCHES
    assert hall.server is not None
    assert hall.server.poll() is None, log_of(hall)[-3000:]
    hall.kill()
    ended_as(hall, expected)
