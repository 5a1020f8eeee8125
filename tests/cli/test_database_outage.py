"""`referee run` goes on by itself when the database was away for a while."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from ..store.postgres_server import PrivatePostgres
from ..waiting import eventually

TOURNAMENT = ["run", "stop_me_go", "patient", "mixed", "random", "--seed", "7", "--rounds", "60", "--json"]
SLOW = 600.0
"""Seconds: a run starts while other tests do, and notices an outage when it next stores something."""


def referee(*words: str) -> list[str]:
    return [sys.executable, "-m", "referee", *TOURNAMENT, *words]


@pytest.mark.timeout(600)
def test_a_run_whose_connections_are_cut_ends_as_one_that_was_left_alone(postgres_address: str, tmp_path: Path) -> None:
    alone = subprocess.run(referee(), cwd=tmp_path, capture_output=True, check=True)
    # By its name the run's own connections are found: others may use the same PostgreSQL.
    named = make_url(postgres_address).update_query_dict({"application_name": f"outage-{os.getpid()}"})
    log = tmp_path / "run.log"
    with (
        log.open("wb") as said,
        psycopg.connect(postgres_address, autocommit=True) as beside,
        subprocess.Popen(
            referee("--db", named.render_as_string(hide_password=False), "--concurrency", "1"),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=said,
        ) as run,
    ):

        def finished() -> int:
            try:
                row = beside.execute("SELECT count(*) FROM matches WHERE state = 'finished'").fetchone()
            except psycopg.errors.UndefinedTable:
                return 0
            return 0 if row is None else int(row[0])

        for share in (5, 20):
            eventually(lambda share=share: finished() >= share or run.poll() is not None, why=log.read_text)  # type: ignore[misc]
            cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s"
            assert beside.execute(cut, [named.query["application_name"]]).fetchall()
        out, _ = run.communicate()
        assert run.returncode == 0, log.read_text()
    found, wanted = json.loads(out), json.loads(alone.stdout)
    assert (found["digest"], found["matches"], found["faults"]) == (wanted["digest"], 60, [])
    assert "the database can be used again" in log.read_text()


class Locked:
    """A run whose SQLite file another program has locked, so that it can read and not write."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "run.log"
        with self.log.open("wb") as said:
            self.run = subprocess.Popen(
                referee("--db", "cup.db", "--concurrency", "1"), cwd=folder, stdout=subprocess.PIPE, stderr=said
            )
        self._path = folder / "cup.db"
        eventually(lambda: self._finished() or self.run.poll() is not None, SLOW, self.log.read_text)
        self.other = sqlite3.connect(self._path, timeout=SLOW, isolation_level=None)
        self.other.execute("BEGIN IMMEDIATE")
        self.says("waiting until the database can be used")

    def says(self, text: str) -> None:
        eventually(lambda: text in self.log.read_text() or self.run.poll() is not None, SLOW, self.log.read_text)
        assert text in self.log.read_text()

    def _finished(self) -> int:
        try:
            with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)) as beside:
                return int(beside.execute("SELECT count(*) FROM matches WHERE state = 'finished'").fetchone()[0])
        except sqlite3.OperationalError:  # not made yet
            return 0


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Locked]:
    made = Locked(tmp_path)
    with closing(made.other), made.run:
        yield made
        made.run.kill()


@pytest.mark.timeout(900)
def test_a_run_that_can_only_read_says_at_once_that_it_waits_and_goes_on(locked: Locked, tmp_path: Path) -> None:
    alone = subprocess.run(referee(), cwd=tmp_path, capture_output=True, check=True)
    locked.other.execute("ROLLBACK")
    out, _ = locked.run.communicate()
    said = locked.log.read_text()
    assert locked.run.returncode == 0, said
    assert json.loads(out)["digest"] == json.loads(alone.stdout)["digest"]
    assert (said.count("waiting until the database"), said.count("can be used again")) == (1, 1), said


@pytest.mark.timeout(900)
def test_a_person_does_not_wait_for_a_database_that_is_away(locked: Locked) -> None:
    locked.run.send_signal(signal.SIGINT)
    locked.run.communicate()
    said = locked.log.read_text()
    assert locked.run.returncode == 130, said
    assert said.splitlines()[-1].startswith("error: stopped while the database could not be used; the same command"), (
        said
    )


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_a_run_waits_while_postgresql_is_stopped_and_goes_on_by_itself(
    own_postgres: PrivatePostgres, tmp_path: Path
) -> None:
    alone = subprocess.run(referee(), cwd=tmp_path, capture_output=True, check=True)
    log = tmp_path / "run.log"
    words = referee("--db", own_postgres.url, "--concurrency", "1")
    with log.open("wb") as said, subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=said) as run:

        def finished() -> int:
            try:
                with psycopg.connect(own_postgres.url, autocommit=True) as beside:
                    row = beside.execute("SELECT count(*) FROM matches WHERE state = 'finished'").fetchone()
            except psycopg.errors.UndefinedTable:
                return 0
            return 0 if row is None else int(row[0])

        def has_played(matches: int) -> bool:
            return finished() >= matches or run.poll() is not None

        def has_waited(times: int) -> bool:
            return log.read_text().count("waiting until the database can be used") == times

        for stops, share in enumerate((5, 20), 1):
            eventually(partial(has_played, share), SLOW, log.read_text)
            own_postgres.stop()
            eventually(partial(has_waited, stops), SLOW, log.read_text)
            own_postgres.start()
        out, _ = run.communicate()
        assert run.returncode == 0, log.read_text()
    found, wanted = json.loads(out), json.loads(alone.stdout)
    assert (found["digest"], found["matches"], found["faults"]) == (wanted["digest"], 60, [])
    assert "Traceback" not in log.read_text()
