"""Long runs, for `make soak`: a crowd for a minute, one kill after the other, thousands of matches on end."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from ..waiting import eventually
from .tournament_hall import Hall, kill_again_and_again

# One after the other: each wants the machine for itself.
pytestmark = [pytest.mark.soak, pytest.mark.xdist_group("soak")]

CROWD = 200
PROCESSES = 4
QUICK_MATCHES = 12_000


def test_two_hundred_bots_play_for_a_minute_and_nobody_is_blamed(hall: Hall) -> None:
    hall.start()
    names = [f"bot{number}" for number in range(CROWD)]
    for number in range(PROCESSES):
        hall.crowd(*(f"{name}=random" for name in names[number::PROCESSES]))
    hall.steer(
        "create", "crowd", "--game", "flip7", "--players", 4, "--rounds", 400, "--bots", ",".join(names), "--start"
    )
    eventually(lambda: hall.count() > 0)
    time.sleep(60)
    hall.kill()
    with closing(sqlite3.connect(hall.db)) as connection:
        states = dict(connection.execute("select state, count(*) from matches group by state").fetchall())
        faults = dict(
            connection.execute(
                "select fault, count(*) from seats join matches on matches.id = match_id "
                "where matches.state = 'finished' group by fault"
            ).fetchall()
        )
    assert states.keys() <= {"finished", "playing", "scheduled"}, "nobody was absent, nothing came to nothing"
    assert states["finished"] > CROWD
    assert faults.keys() == {"finished"}


def test_killed_again_and_again_a_tournament_loses_nothing(hall: Hall) -> None:
    kill_again_and_again(hall, kills=20, matches=2000, longest=0.3)


def test_memory_does_not_grow_with_the_matches_played(hall: Hall) -> None:
    hall.start()
    bots = ",".join(["mixed", "patient", "random", "random"])
    plan = ("--game", "stop_me_go", "--players", 4, "--rounds", QUICK_MATCHES, "--bots", bots, "--start")
    hall.steer("create", "long", *plan)
    held = []
    for quarter in (1, 2, 3):
        eventually(lambda quarter=quarter: hall.count() >= quarter * QUICK_MATCHES // 4, patience=600)  # type: ignore[misc]
        assert hall.server is not None
        held.append(int(Path(f"/proc/{hall.server.pid}/statm").read_text().split()[1]) * 4 // 1024)
    assert max(held) - held[0] < 0.05 * held[0], f"megabytes after each quarter: {held}"
