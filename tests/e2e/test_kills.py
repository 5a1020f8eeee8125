"""SIGKILL at random moments: no finished match is lost or played twice, and the digest is that of the undisturbed run.

The short versions are in `test_tournament_crash.py`, `test_tournament_same.py` and `test_run.py`. Here a server and
`referee run --db` are killed 200 times each in a tournament of 1,000 matches, for `make soak`. `REFEREE_KILL_SEED`
repeats the moments of an earlier run as nearly as a machine can.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from ..waiting import PATIENCE, eventually
from .test_tournament_same import digest_in
from .tournament_hall import ENVIRONMENT, Hall

MATCHES = int(os.environ.get("REFEREE_KILL_MATCHES", "1000"))
KILLS = int(os.environ.get("REFEREE_KILLS", "200"))
SERVES_AGAIN = 5.0
"""Seconds within which a server that was killed lets bots in again."""
pytestmark = [pytest.mark.soak, pytest.mark.xdist_group("soak")]


def moments() -> Random:
    seed = os.environ.get("REFEREE_KILL_SEED") or str(time.time_ns())
    print(f"moments of the kills: REFEREE_KILL_SEED={seed}")  # shown when the test fails
    return Random(seed)


def finished(db: Path) -> dict[int, tuple[str, int]]:
    """What is stored of finished matches: the hash of the record, and how many results the journal has of each."""
    if not db.exists():
        return {}
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True, timeout=20)) as connection:
        try:
            rows = connection.execute(
                "SELECT ordinal, sha256, (SELECT count(*) FROM journal WHERE chain = tournament_id "
                "AND entry LIKE '%\"kind\":\"result\"%' AND entry LIKE '%\"match\":' || ordinal || ',%') "
                "FROM matches JOIN records ON records.match_id = matches.id WHERE state = 'finished'"
            ).fetchall()
        except sqlite3.OperationalError:  # killed before the tables were made
            return {}
    return {ordinal: (record, results) for ordinal, record, results in rows}


def count(db: Path) -> int:
    if not db.exists():
        return 0
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True, timeout=20)) as connection:
        try:
            [(number,)] = connection.execute("SELECT count(*) FROM matches WHERE state = 'finished'").fetchall()
        except sqlite3.OperationalError:
            return 0
    return int(number)


def kill_again_and_again(start: Callable[[], subprocess.Popen[bytes]], db: Path, chance: Random) -> None:
    """Start and kill, until it was killed so often; nothing that was stored is lost or changed."""
    for number in range(KILLS):
        before = finished(db)
        process = start()
        if chance.random() < 0.3:
            time.sleep(chance.uniform(0.0, 1.5))  # perhaps before it is ready
        else:
            wanted = len(before) + chance.randrange(4)
            eventually(lambda wanted=wanted, process=process: count(db) >= wanted or process.poll() is not None)  # type: ignore[misc]
            time.sleep(chance.uniform(0.0, 0.05))
        process.kill()
        process.wait()
        after = finished(db)
        assert before.items() <= after.items(), f"kill {number}: a finished match was lost or changed"
        assert all(results == 1 for _, results in after.values()), f"kill {number}: a match has two results"
        assert len(after) < MATCHES, f"it was over after {number} kills, before it could be killed so often"


def test_a_server_killed_at_random_moments_ends_with_the_digest_of_the_undisturbed_one(hall: Hall) -> None:
    chance = moments()
    plan = ("--game", "encore", "--players", 2, "--rounds", MATCHES // 2, "--bots", "tidy,random,tidy,random")
    create = ("tournament", "create", "league", *plan, "--seed", "kills", "--repeatable", "--db")
    whole = str(hall.folder / "whole.db")
    hall.referee(*create, whole)
    expected = digest_in(hall.referee("tournament", "start", "league", "--db", whole))
    hall.referee(*create, hall.db)
    hall.start()
    hall.steer("start", "league")
    hall.kill()
    slowest = 0.0

    def start() -> subprocess.Popen[bytes]:
        nonlocal slowest
        began = time.monotonic()
        hall.start("--concurrency", "1")
        slowest = max(slowest, time.monotonic() - began)
        assert hall.server is not None
        return hall.server

    kill_again_and_again(start, Path(hall.db), chance)
    hall.start()
    hall.wait_for("league")
    assert hall.standings("league")["digest"] == expected
    hall.kill()
    hall.referee("verify", "league", "--db", hall.db, "--digest", expected)
    print(f"{KILLS} kills, serving again after at most {slowest:.1f} s, digest {expected}")
    # Last, for a machine that does other things besides breaks it.
    assert slowest < SERVES_AGAIN, f"it took {slowest:.1f} s to serve again"


def test_a_run_killed_at_random_moments_ends_with_the_digest_of_the_undisturbed_one(tmp_path: Path) -> None:
    chance = moments()
    words = ["run", "encore", "tidy", "random", "--rounds", str(MATCHES), "--seed", "kills", "--json"]

    def run(*more: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "referee", *words, *more],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
        )

    whole, _ = run().communicate(timeout=10 * PATIENCE)
    kept = ("--db", "kept.db", "--concurrency", "1")
    kill_again_and_again(lambda: run(*kept), tmp_path / "kept.db", chance)
    again, _ = run("--db", "kept.db").communicate(timeout=10 * PATIENCE)
    assert json.loads(again)["matches"] == MATCHES
    assert json.loads(again)["digest"] == json.loads(whole)["digest"]
    print(f"{KILLS} kills, digest {json.loads(again)['digest']}")
