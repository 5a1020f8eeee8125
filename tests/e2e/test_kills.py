"""SIGKILL at random moments: no finished match is lost or played twice, and the digest is that of the undisturbed run.

The short versions are in `test_tournament_crash.py`, `test_tournament_same.py` and `test_run.py`. Here a server and
`referee run --db` are killed 200 times each in a tournament of 1,000 matches, for `make soak`. `REFEREE_KILL_SEED`
repeats the moments of an earlier run as nearly as a machine can. Most processes are forked from one that has imported
everything already (`warm_start.py`): it is the same program, killed at the same places, in a tenth of the time. Every
tenth is started as a user starts it.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Protocol

import pytest

from ..waiting import PATIENCE
from .test_tournament_same import digest_in
from .tournament_hall import ENVIRONMENT, Hall

MATCHES = int(os.environ.get("REFEREE_KILL_MATCHES", "1000"))
KILLS = int(os.environ.get("REFEREE_KILLS", "200"))
SERVES_AGAIN = 5.0
"""Seconds of processor time within which a server that was killed lets bots in again, started as a user starts it."""
MOST_BETWEEN = 4
"""Matches that may finish between two kills, and those that do in the moments until a kill takes effect."""
COLD = 10
"""Every so many starts is one as a user starts it."""
WARM_START = Path(__file__).with_name("warm_start.py")
pytestmark = [pytest.mark.soak, pytest.mark.xdist_group("soak")]


class Process(Protocol):
    """What can be started and killed."""

    pid: int

    def poll(self) -> int | None: ...
    def kill(self) -> None: ...
    def wait(self) -> int: ...


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


class Warm:
    """Commands that are started without their imports; each is a process of its own, and can be killed."""

    def __init__(self) -> None:
        self._parent = subprocess.Popen(
            [sys.executable, str(WARM_START)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT
        )

    def start(self, words: Sequence[str], output: Path, folder: Path) -> Child:
        assert self._parent.stdin is not None
        wish = {"words": list(words), "output": str(output), "folder": str(folder)}
        self._parent.stdin.write(json.dumps(wish).encode() + b"\n")
        self._parent.stdin.flush()
        return Child(int(self.read()), self)

    def read(self) -> str:
        assert self._parent.stdout is not None
        return self._parent.stdout.readline().decode().strip()

    def close(self) -> None:
        self._parent.communicate(timeout=PATIENCE)


class Child:
    """One such process."""

    def __init__(self, pid: int, warm: Warm) -> None:
        self.pid = pid
        self._warm = warm

    def poll(self) -> int | None:
        """None while it runs; how it ended is told by `wait`."""
        return None if Path(f"/proc/{self.pid}").exists() else 0

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        number, _, code = self._warm.read().split()
        assert int(number) == self.pid
        return int(code)


@pytest.fixture
def warm() -> Iterator[Warm]:
    started = Warm()
    yield started
    started.close()


def processor_seconds(pid: int) -> float:
    """What a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def kill_again_and_again(start: Callable[[int], Process], db: Path, chance: Random) -> None:
    """Start and kill, until it was killed so often; nothing that was stored is lost or changed."""
    began = time.monotonic()
    for number in range(KILLS):
        before = finished(db)
        process = start(number)
        early = chance.random() < 0.3
        # Perhaps before it is ready; but never so late that a quick machine is done before the last kill.
        until = time.monotonic() + (chance.uniform(0.0, 1.5) if early else PATIENCE)
        wanted = len(before) + (MOST_BETWEEN if early else chance.randrange(MOST_BETWEEN))
        while count(db) < wanted and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        if not early:
            assert time.monotonic() < until, f"kill {number}: nothing was played in {PATIENCE:g} s"
            time.sleep(chance.uniform(0.0, 0.02))
        process.kill()
        process.wait()
        after = finished(db)
        assert before.items() <= after.items(), f"kill {number}: a finished match was lost or changed"
        assert all(results == 1 for _, results in after.values()), f"kill {number}: a match has two results"
        assert len(after) < MATCHES, f"it was over after {number} kills, before it could be killed so often"
    print(f"{KILLS} kills in {time.monotonic() - began:.0f} s, {len(finished(db))} matches finished on the way")


def test_a_server_killed_at_random_moments_ends_with_the_digest_of_the_undisturbed_one(hall: Hall, warm: Warm) -> None:
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
    slowest = longest = 0.0
    serve = ["serve", "--listen", hall.address, "--db", hall.db, "--concurrency", "1"]

    def start(number: int) -> Process:
        nonlocal slowest, longest
        if number % COLD:
            return warm.start(serve, hall.folder / "server.log", hall.folder)
        began = time.monotonic()
        hall.start("--concurrency", "1")
        assert hall.server is not None
        slowest = max(slowest, processor_seconds(hall.server.pid))
        longest = max(longest, time.monotonic() - began)
        return hall.server

    kill_again_and_again(start, Path(hall.db), chance)
    hall.start()
    hall.wait_for("league")
    assert hall.standings("league")["digest"] == expected
    hall.kill()
    hall.referee("verify", "league", "--db", hall.db, "--digest", expected)
    print(f"serving again after {slowest:.1f} s of processor time, {longest:.1f} s in all; digest {expected}")
    assert slowest < SERVES_AGAIN, f"it took {slowest:.1f} s of processor time to serve again"


def test_a_run_killed_at_random_moments_ends_with_the_digest_of_the_undisturbed_one(tmp_path: Path, warm: Warm) -> None:
    chance = moments()
    words = ["run", "encore", "tidy", "random", "--rounds", str(MATCHES), "--seed", "kills", "--json"]
    kept = [*words, "--db", "kept.db", "--concurrency", "1"]

    def run(*words: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "referee", *words],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=ENVIRONMENT,
        )

    def start(number: int) -> Process:
        return warm.start(kept, tmp_path / "run.log", tmp_path) if number % COLD else run(*kept)

    whole, _ = run(*words).communicate(timeout=10 * PATIENCE)
    kill_again_and_again(start, tmp_path / "kept.db", chance)
    again, _ = run(*words, "--db", "kept.db").communicate(timeout=10 * PATIENCE)
    assert json.loads(again)["matches"] == MATCHES
    assert json.loads(again)["digest"] == json.loads(whole)["digest"]
    print(f"digest {json.loads(again)['digest']}")
