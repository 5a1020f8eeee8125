"""Clocks are honest: a bot that answers within its limit is never timed out, one that does not always is."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ..waiting import PATIENCE, eventually
from .tournament_hall import Hall

BOT = """\
import time

import arena


def decide(decision):
    time.sleep({share} * decision.budget)
    return decision.legal[0]


arena.run(decide)
"""


@pytest.fixture
def twice_the_load() -> Iterator[None]:
    """Twice as many processes that never rest as there are cores, for as long as the test takes."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"], start_new_session=True)
        for _ in range(2 * (os.cpu_count() or 1))
    ]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def faults(folder: Path, *, steady: float, late: float, limit: float, rounds: int) -> dict[str, int]:
    """Matches that each bot lost by its clock; two of them take a share of every budget, the third takes none."""
    (folder / "steady.py").write_text(BOT.format(share=steady))
    (folder / "late.py").write_text(BOT.format(share=late))
    # A game in which everybody is asked at once: nobody's card can put the late bot out before its first question.
    words = ["stop_me_go", "steady.py", "late.py", "random", "--no-sandbox", "--rounds", rounds, "--concurrency", 4]
    done = subprocess.run(
        [sys.executable, "-m", "referee", "run", *map(str, words), "--time", f"{limit}s", "--bank", "0s", "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["standings"]
    assert all(row["matches"] == rounds for row in rows)
    return {row["bot"]: row["faults"] for row in rows}


@pytest.mark.alone
def test_a_bot_within_its_limit_is_never_timed_out_and_one_beyond_it_always_is(tmp_path: Path) -> None:
    found = faults(tmp_path, steady=0.05, late=1.7, limit=3.0, rounds=4)
    assert found == {"steady": 0, "late": 4, "random": 0}


LIMIT = 1.0
BOTS = 64
TOGETHER = 4
"""Bots that share a process, and so wait for each other: with all of them in one, they are late by its doing."""
MOVES = 10_000


def ended(folder: Path, share: float, rounds: int) -> dict[str, tuple[int, int]]:
    """A tournament of bots that each take a share of every budget: by how a seat ended, how many, and their moves."""
    hall = Hall(folder)
    try:
        hall.start("--concurrency", str(BOTS))
        names = [f"b{number}" for number in range(BOTS)]
        crowds = [
            hall.crowd(*(f"{name}={share}" for name in names[first : first + TOGETHER]))
            for first in range(0, BOTS, TOGETHER)
        ]
        eventually(lambda: hall.connected() == set(names))
        clock = ("--time", f"{LIMIT}s", "--bank", "0s")
        plan = ("--game", "stop_me_go", "--players", 2, "--rounds", rounds, *clock, "--bots", ",".join(names))
        hall.steer("create", "league", *plan, "--start")
        eventually(
            lambda: hall.state("league") == "finished" or any(crowd.poll() is not None for crowd in crowds),
            40 * PATIENCE,
        )
        with closing(sqlite3.connect(hall.db)) as connection:
            query = "SELECT fault, count(*), sum(decisions) FROM seats GROUP BY fault"
            return {fault: (seats, moves) for fault, seats, moves in connection.execute(query)}
    finally:
        hall.close()


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.xdist_group("clocks")
@pytest.mark.usefixtures("twice_the_load")
def test_on_a_machine_at_twice_its_load_10_000_moves_at_80_percent_of_the_limit_are_all_in_time(tmp_path: Path) -> None:
    found = ended(tmp_path, 0.8, rounds=9)
    assert found.keys() == {"finished"}
    assert found["finished"][1] >= MOVES


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.xdist_group("clocks")
@pytest.mark.usefixtures("twice_the_load")
def test_on_a_machine_at_twice_its_load_10_000_moves_at_120_percent_of_the_limit_are_all_too_late(
    tmp_path: Path,
) -> None:
    rounds = -(-MOVES // BOTS)
    assert ended(tmp_path, 1.2, rounds) == {"timeout": (rounds * BOTS, 0)}
