"""`referee leaderboard` on a pseudo-terminal, while the server it listens to is killed and comes back."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO

import pytest

from ..waiting import eventually
from .terminal_screen import Screen
from .tournament_hall import Hall

PLAN = ("--game", "stop_me_go", "--players", 2, "--rounds", 3000)


def done_of(text: str) -> list[int]:
    """The progress that was shown."""
    return [int(number.replace(",", "")) for number in re.findall(r"([\d,]+)\s*(?:/|of)\s*3,?000", text)]


def test_it_says_that_the_server_is_gone_and_goes_on_when_it_is_back(hall: Hall) -> None:
    hall.start()
    hall.crowd("ada=slow")
    hall.steer("create", "league", *PLAN, "--bots", "ada,random", "--start")
    eventually(lambda: hall.count() > 5)
    screen = Screen("leaderboard", "--server", hall.address)
    try:
        screen.read_until(lambda text: "ada" in text and "running" in text)
        hall.kill()
        screen.read_until(lambda text: "server gone" in text)
        before = hall.count()
        hall.start()
        eventually(lambda: hall.count() > before + 20)
        screen.read_until(lambda text: any(done > before for done in done_of(text)))
        screen.type(b"q")
        assert screen.wait() == 0
        assert "Traceback" not in screen.text
    finally:
        screen.close()


def test_it_follows_the_file_to_the_end_of_the_tournament(hall: Hall) -> None:
    plan = ("--game", "flip7", "--players", 3, "--rounds", 30, "--bots", "random,random,cautious")
    hall.referee("tournament", "create", "league", *plan, "--db", hall.db)
    screen = Screen("leaderboard", "--db", hall.db)
    try:
        screen.read_until(lambda text: "created" in text)
        hall.referee("tournament", "start", "league", "--db", hall.db)
        assert screen.wait() == 0
        assert "30 of 30 matches played" in screen.text
        assert "digest" in screen.text
    finally:
        screen.close()


def test_the_same_table_as_json_csv_page_and_text(hall: Hall) -> None:
    plan = ("--game", "stop_me_go", "--players", 3, "--rounds", 8, "--bots", "random,patient,patient,random")
    hall.referee("tournament", "create", "league", *plan, "--db", hall.db)
    hall.referee("tournament", "start", "league", "--db", hall.db)
    standings = json.loads(hall.referee("leaderboard", "--db", hall.db, "--json"))
    table = list(csv.DictReader(StringIO(hall.referee("leaderboard", "league", "--db", hall.db, "--csv"))))
    text = hall.referee("leaderboard", "--db", hall.db, "--once")
    hall.referee("leaderboard", "--db", hall.db, "--html", hall.folder / "page.html")
    page = (hall.folder / "page.html").read_text()
    names = [row["bot"] for row in standings["rows"]]
    assert sorted(names) == ["patient", "patient-2", "random", "random-2"]
    assert [row["bot"] for row in table] == names
    assert all(name in text and name in page for name in names)
    assert standings["digest"] in text
    with pytest.MonkeyPatch.context() as narrow:
        narrow.setitem(hall.environment, "COLUMNS", "30")
        assert standings["digest"] in hall.referee("leaderboard", "--db", hall.db, "--once")
        assert standings["digest"] in hall.referee("tournament", "rerate", "league", "--db", hall.db)
    assert standings["digest"] in page


def test_what_cannot_be_shown_is_said_in_a_sentence(hall: Hall) -> None:
    assert "no tournament yet" in hall.referee("leaderboard", "--db", hall.db, "--once", code=2)
    assert "no tournament named x" in hall.referee("leaderboard", "x", "--db", hall.db, "--once", code=2)
    assert "no Referee server answers" in hall.referee("leaderboard", "--server", hall.address, "--once", code=3)
    assert "not both" in hall.referee("leaderboard", "--server", hall.address, "--db", hall.db, code=2)
    assert "there is no database" in hall.referee("leaderboard", "--db", hall.folder / "other.db", "--once", code=3)
    assert "choose one" in hall.referee("leaderboard", "--db", hall.db, "--json", "--csv", code=2)
