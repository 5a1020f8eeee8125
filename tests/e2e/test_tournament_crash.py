"""The server is killed at random moments, again and again: every match is finished once, and the standings hold."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from referee.store import Counts, Store
from referee.tournament.standings import from_store

from .tournament_hall import Hall, eventually

KILLS = 3
MATCHES = 90


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    opened = Hall(tmp_path)
    yield opened
    opened.close()


def test_killed_at_random_moments_a_tournament_goes_on_by_itself_and_loses_nothing(hall: Hall) -> None:
    chance = Random(time.time_ns())
    hall.start()
    hall.crowd("ada=random", "bob=first", "cy=random")
    plan = ("--game", "flip7", "--players", 3, "--rounds", MATCHES, "--bots", "ada,bob,cy,cautious")
    hall.steer("create", "league", *plan, "--start")
    for number in range(KILLS):
        target = (number + 1) * MATCHES // (KILLS + 2)
        eventually(lambda target=target: hall.count() >= target)  # type: ignore[misc]
        time.sleep(chance.uniform(0.0, 0.1))
        hall.kill()
        assert hall.count() < MATCHES, "it was over before it could be killed"
        hall.start()
    hall.wait_for("league")
    final = hall.standings("league")
    hall.kill()
    with Store.open(hall.db, owner="test") as store:
        league = store.tournaments.get("league")
        assert store.tournaments.counts(league.id) == Counts(finished=MATCHES)
        records = dict(store.matches.records_in_schedule_order(league.id))
        assert len(records) == MATCHES
        assert from_store(store, "league").digest == final["digest"] != ""
    assert sum(row["matches"] for row in final["rows"]) == 3 * MATCHES
    assert final["digest"] in hall.referee("tournament", "rerate", "league", "--db", hall.db)
    assert f"results of {MATCHES} matches" in hall.referee("verify", "league", "--db", hall.db)
