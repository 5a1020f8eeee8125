"""Formats that draw round after round: the same draw and the same leaderboard at any concurrency, on SQLite and
PostgreSQL, in a process that was killed, and on a server with a bot that connects.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from ..waiting import eventually
from .test_tournament_same import digest_in
from .tournament_hall import ENVIRONMENT, Hall

pytestmark = pytest.mark.xdist_group("formats")  # one worker: what its tests share takes long to make

ROUNDS = 8
PLAN = (
    "cup",
    "--game",
    "flip7",
    "--players",
    3,
    "--format",
    "swiss",
    "--rounds",
    ROUNDS,
    "--repeatable",
    "--seed",
    "x",
)
BOTS = ("--bots", ",".join(["cautious", *["random"] * 9]))
START = ("tournament", "start", "cup")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the tournament played one match after the other."""
    hall = Hall(tmp_path_factory.mktemp("alone"))
    return played(hall, hall.db, "--concurrency", 1)


def played(hall: Hall, db: str, *words: object) -> str:
    hall.referee("tournament", "create", *PLAN, *BOTS, "--db", db)
    return digest_in(hall.referee(*START, "--db", db, *words))


def test_many_matches_at_once_and_verified(hall: Hall, expected: str) -> None:
    assert played(hall, hall.db, "--concurrency", 16) == expected
    assert expected in hall.referee("verify", "cup", "--db", hall.db)


@pytest.mark.soak
def test_on_postgresql(hall: Hall, expected: str, postgres_address: str) -> None:
    assert played(hall, postgres_address, "--concurrency", 16) == expected
    assert expected in hall.referee("verify", "cup", "--db", postgres_address)


def test_killed_in_the_midst_and_resumed(hall: Hall, expected: str) -> None:
    hall.referee("tournament", "create", *PLAN, *BOTS, "--db", hall.db)
    for share in (0.1, 0.3):
        if hall.state("cup") == "finished":
            break
        words = [sys.executable, "-m", "referee", *START, "--db", hall.db, "--concurrency", "5"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        eventually(lambda share=share: hall.count() >= share * 3 * ROUNDS)  # type: ignore[misc]
        process.kill()
        process.wait()
    if hall.state("cup") != "finished":  # on a slow machine the second kill may come too late
        hall.referee(*START, "--db", hall.db)
    assert digest_in(hall.referee("tournament", "rerate", "cup", "--db", hall.db)) == expected
    assert expected in hall.referee("verify", "cup", "--db", hall.db)


def test_on_a_server_with_a_bot_that_connects_and_one_that_is_disqualified(hall: Hall) -> None:
    hall.start()
    crowd = hall.crowd("ada=random")
    plan = ("--game", "stop_me_go", "--format", "ladder", "--with", "rounds=6", "--absence", "30s")
    hall.steer("create", "climb", *plan, "--bots", "ada,patient,random,random", "--start")
    hall.steer("disqualify", "climb", "random-2", "--reason", "two of a kind", "--annul")
    hall.wait_for("climb")
    shown = hall.standings("climb")
    assert [place["out"] for place in shown["format"]["places"] if place["bot"] == "random-2"] == ["disqualified"]
    assert any("random-2 was disqualified" in notice for notice in shown["notices"])
    rows = json.loads(hall.referee("matches", "climb", "--server", hall.address, "--json"))["matches"]
    assert all(row["why"] for row in rows)
    crowd.kill()
    crowd.wait()
    hall.kill()
    hall.referee("verify", "climb", "--db", hall.db, "--allow-set-aside", "--allow-new-deals")
