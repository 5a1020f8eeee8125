"""The same leaderboard everywhere: one match at once or many, SQLite or PostgreSQL, left alone or killed, here or on a
server.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from ..waiting import eventually
from .tournament_hall import ENVIRONMENT, Hall

pytestmark = pytest.mark.xdist_group("same")  # one worker: what its tests share takes long to make

ROUNDS = 40
PLAN = ("league", "--game", "flip7", "--players", 3, "--rounds", ROUNDS, "--repeatable", "--seed", "same")
BOTS = ("--bots", "random,cautious,random,random")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the tournament played one match after the other."""
    hall = Hall(tmp_path_factory.mktemp("alone"))
    digest = played(hall, hall.db, "--concurrency", 1)
    assert digest in hall.referee("tournament", "rerate", "league", "--db", hall.db)
    assert digest in hall.referee("verify", "league", "--db", hall.db, "--digest", digest)
    return digest


def played(hall: Hall, db: str, *words: object) -> str:
    hall.referee("tournament", "create", *PLAN, *BOTS, "--db", db)
    return digest_in(hall.referee("tournament", "start", "league", "--db", db, *words))


def digest_in(text: str) -> str:
    found = re.search(r"digest ([0-9a-f]{64})", text)
    assert found, text
    return found[1]


def test_eight_matches_at_once_or_as_many_as_there_are(hall: Hall, expected: str) -> None:
    assert played(hall, hall.db, "--concurrency", 8) == expected
    assert played(hall, str(hall.folder / "many.db")) == expected


def test_on_postgresql(hall: Hall, expected: str, postgres_address: str) -> None:
    assert played(hall, postgres_address, "--concurrency", 8) == expected
    assert expected in hall.referee("verify", "league", "--db", postgres_address)


def test_killed_in_the_midst_and_resumed(hall: Hall, expected: str) -> None:
    hall.referee("tournament", "create", *PLAN, *BOTS, "--db", hall.db)
    for share in (0.1, 0.3):  # much is left, however late a kill comes
        words = ["-m", "referee", "tournament", "start", "league", "--db", hall.db, "--concurrency", "5"]
        process = subprocess.Popen([sys.executable, *words], stderr=subprocess.DEVNULL, env=ENVIRONMENT)
        eventually(lambda share=share: hall.count() >= share * ROUNDS)  # type: ignore[misc]
        process.kill()
        process.wait()
        assert hall.count() < ROUNDS, "it was over before it could be killed"
    assert digest_in(hall.referee("tournament", "resume", "league", "--db", hall.db)) == expected


def test_on_a_server_that_is_killed_too(hall: Hall, expected: str) -> None:
    hall.start("--concurrency", "8")
    hall.steer("create", *PLAN, *BOTS, "--start")
    eventually(lambda: hall.count() > 3)
    hall.kill()
    hall.start("--concurrency", "3")
    hall.wait_for("league")
    assert hall.standings("league")["digest"] == expected


def test_other_cards_other_digest(hall: Hall, expected: str) -> None:
    hall.referee("tournament", "create", *PLAN[:-1], "another", *BOTS, "--db", hall.db)
    assert digest_in(hall.referee("tournament", "start", "league", "--db", hall.db)) != expected
