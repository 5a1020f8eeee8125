"""Tournaments of bots that connect, steered by commands while a real server runs."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator

import pytest

from ..waiting import PATIENCE, eventually
from .tournament_hall import Hall

pytestmark = pytest.mark.xdist_group("remote")  # one worker: what its tests share takes long to make

LONG = ("--game", "stop_me_go", "--players", 2, "--rounds", 2000)


ALLOWED = ("--allow-set-aside", "--allow-new-deals")
"""Matches that were broken off are told, and known here."""


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hall]:
    opened = Hall(tmp_path_factory.mktemp("hall"))
    opened.start()
    opened.crowd("ada=random", "bob=random", "cy=slow", "gina=go", "greg=go")
    yield opened
    opened.close()


def rows(hall: Hall, name: str) -> dict[str, dict[str, object]]:
    return {row["bot"]: row for row in hall.standings(name)["rows"]}


def test_two_bots_that_always_draw_stay_level(hall: Hall) -> None:
    plan = ("--game", "stop_me_go", "--players", 2, "--rounds", 10, "--bots", "gina,greg")
    hall.steer("create", "level", *plan, "--start")
    hall.wait_for("level")
    found = rows(hall, "level")
    assert found["gina"]["rank"] == found["greg"]["rank"] == 1
    assert found["gina"]["mu"] == pytest.approx(25.0)
    assert found["gina"]["sigma"] == found["greg"]["sigma"]
    assert (found["gina"]["wins"], found["gina"]["mean_rank"]) == (10, 1.0)


def test_a_bot_that_never_comes_is_shown_as_absent_and_holds_up_nobody(hall: Hall) -> None:
    hall.referee("bot", "add", "nobody", "--server", hall.address)
    eventually(lambda: hall.connected() >= {"ada", "bob"})  # or they would be absent too
    plan = ("--game", "stop_me_go", "--players", 2, "--schedule", "full", "--absence", "1s")
    hall.steer("create", "absent", *plan, "--bots", "ada,bob,nobody", "--start")
    hall.wait_for("absent")
    standings = hall.standings("absent")
    assert (standings["matches_done"], standings["matches_total"], standings["provisional"]) == (6, 6, False)
    assert {row["bot"]: row["matches"] for row in standings["rows"]} == {"ada": 2, "bob": 2, "nobody": 0}
    assert all("nobody not there" in notice for notice in standings["notices"])
    assert standings["digest"] in hall.referee("verify", "absent", "--db", hall.db, "--allow-set-aside")
    told = "6 of 6 matches, 4 of them set aside without a result"
    assert told in hall.steer("status", "absent")
    assert told in hall.referee("tournament", "status", "absent", "--db", hall.db)
    assert "6/6, 4 set aside" in hall.steer("list")


def test_paused_resumed_and_cancelled(hall: Hall) -> None:
    hall.steer("create", "long", *LONG, "--bots", "ada,bob,cy,random")
    assert "has not been started" in hall.steer("resume", "long", code=2)
    assert "not running" in hall.steer("pause", "long", code=2)
    assert "long is running" in hall.steer("start", "long")
    before = hall.count()
    eventually(lambda: hall.count() > before + 20)
    assert "long is paused" in hall.steer("pause", "long")
    eventually(lambda: hall.count("playing") == 0)
    at_rest = hall.count()
    assert "long is paused" in hall.steer("status", "long")
    assert "long is running" in hall.steer("resume", "long")
    assert "long is paused" in hall.steer("pause", "long")  # in the midst of whatever was started just now
    assert "long is running" in hall.steer("resume", "long")
    eventually(lambda: hall.count() > at_rest + 20)
    assert "long is cancelled" in hall.steer("cancel", "long")
    assert hall.count("playing") == 0
    assert "cancelled" in hall.steer("start", "long", code=2)
    shown = json.loads(hall.steer("show", "long", "--json"))
    assert shown["state"] == "cancelled"
    assert shown["root"]
    final = hall.standings("long")
    assert not final["provisional"]
    assert final["digest"] in hall.referee("tournament", "rerate", "long", "--db", hall.db)
    assert final["digest"] in hall.referee("verify", "long", "--db", hall.db, *ALLOWED)


def test_a_bot_joins_while_the_tournament_runs(hall: Hall) -> None:
    hall.referee("bot", "add", "late", "--server", hall.address)
    plan = ("--game", "stop_me_go", "--players", 2, "--rounds", 24, "--allow-join")
    hall.steer("create", "open", *plan, "--bots", "ada,bob,cy,late", "--start")
    assert "more matches" in hall.steer("join", "open", "gina")
    assert "gina plays in open already" in hall.steer("join", "open", "gina", code=2)
    hall.crowd("late=first")  # not before: without it the tournament is not over
    hall.wait_for("open")
    found = rows(hall, "open")
    assert abs(int(str(found["gina"]["matches"])) - int(str(found["ada"]["matches"]))) <= 1
    digest = hall.standings("open")["digest"]
    assert digest in hall.referee("verify", "open", "--db", hall.db)


def test_names_are_checked_before_anything_is_stored(hall: Hall) -> None:
    for bots, words in (
        ("ada,ada", "can enter once"),
        ("ada,adda", "there is no bot 'adda', neither registered nor in the house: did you mean 'ada'?"),
    ):
        assert words in hall.steer("create", "wrong", *LONG, "--bots", bots, code=2)
    assert "slash" in hall.steer("create", "wr/ong", *LONG, "--bots", "ada,bob", code=2)
    assert "no tournament named" in hall.steer("status", "wrong", code=2)
    assert "no tournament named" in hall.steer("start", "wrong", code=2)
    hall.steer("create", "once", *LONG, "--bots", "random,random")
    assert json.loads(hall.steer("show", "once", "--json"))["bots"] == ["random", "random-2"]
    assert "exists already" in hall.steer("create", "once", *LONG, "--bots", "ada,bob", code=2)


def test_what_a_server_owns_is_not_touched_from_beside(hall: Hall) -> None:
    hall.steer("create", "owned", *LONG, "--bots", "ada,bob")
    for action in ("start", "pause", "cancel"):
        assert "--server" in hall.referee("tournament", action, "owned", "--db", hall.db, code=3)
    assert hall.state("owned") == "created"


def test_terminated_it_ends_the_running_matches_and_the_next_server_goes_on(hall: Hall) -> None:
    hall.steer("create", "drained", *LONG, "--bots", "ada,bob,random,cy", "--start")
    before = hall.count()
    eventually(lambda: hall.count() > before + 30)
    assert hall.server is not None
    hall.server.send_signal(signal.SIGTERM)
    assert hall.server.wait(PATIENCE) == 0
    assert hall.count("playing") == 0
    assert hall.state("drained") == "running"
    at_rest = hall.count()
    hall.start()
    eventually(lambda: hall.count() > at_rest + 30)
    hall.steer("cancel", "drained")
