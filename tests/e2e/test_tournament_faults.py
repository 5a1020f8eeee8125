"""Whatever is wrong with a database: every command says so in one sentence, exits with 3 and leaves it alone."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from referee.store import Store
from referee.store.migrate import VERSION_TABLE

from ..waiting import PATIENCE
from .tournament_hall import ENVIRONMENT, Hall

HARDSHIP = Path(__file__).with_name("tournament_hardship.py")
PLAN = ("--game", "stop_me_go", "--players", 2, "--rounds", 120, "--bots", "random,patient,random")
COMMANDS = {
    "serve": ("serve", "--listen", "127.0.0.1:0"),
    "create": ("tournament", "create", "cup", *PLAN),
    "start": ("tournament", "start", "league"),
    "pause": ("tournament", "pause", "league"),
    "list": ("tournament", "list"),
    "rerate": ("tournament", "rerate", "league"),
    "leaderboard": ("leaderboard", "league", "--once"),
    "live leaderboard": ("leaderboard", "league"),
    "verify": ("verify", "league"),
}
WRITING = ("serve", "create", "start", "pause")


@pytest.fixture
def hall(hall: Hall) -> Hall:
    """With a tournament that is ready to start."""
    hall.referee("tournament", "create", "league", *PLAN, "--db", hall.db)
    return hall


def under(hardship: str, *words: object) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, str(HARDSHIP), hardship, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        cwd="/",
        env=ENVIRONMENT,
    )
    return done.returncode, done.stderr


def refused(hall: Hall, command: str) -> str:
    said = hall.referee(*COMMANDS[command], "--db", hall.db, code=3)
    [line] = [line for line in said.splitlines() if line]
    assert line.startswith("error: ")
    return line


def test_a_newer_database_is_not_touched(hall: Hall) -> None:
    with closing(sqlite3.connect(hall.db)) as connection:
        connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
        connection.commit()
    before = Path(hall.db).read_bytes()
    for command in COMMANDS:
        assert "newer" in refused(hall, command)
        assert Path(hall.db).read_bytes() == before


def test_a_file_that_is_something_else_is_not_touched(hall: Hall) -> None:
    contents = b"Dear diary, today nothing was a database.\n" * 300
    for path in hall.folder.glob("hall.db*"):
        path.unlink()
    Path(hall.db).write_bytes(contents)
    for command in COMMANDS:
        assert "restore it from a copy, or choose another file" in refused(hall, command)
        assert Path(hall.db).read_bytes() == contents


def test_a_file_that_another_program_has_locked_is_waited_for_and_then_said(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(Store.open.__func__.__kwdefaults__, "timeout", 0.2)  # type: ignore[attr-defined]
    with closing(sqlite3.connect(hall.db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for command in WRITING:
            assert "is locked by another program: wait until it is done" in refused(hall, command)
        other.execute("ROLLBACK")
    assert "league is created" in hall.referee("tournament", "status", "league", "--db", hall.db)


def test_a_second_server_on_the_same_file_is_refused(hall: Hall) -> None:
    hall.start()
    try:
        for command in ("serve", "start", "pause"):
            assert "already running on" in refused(hall, command)
        assert "league" in hall.referee("tournament", "list", "--db", hall.db)
        assert hall.standings("league")["state"] == "created"
    finally:
        hall.close()


def test_a_read_only_file_is_not_played_on(open_folder: Path) -> None:
    hall = Hall(open_folder)
    hall.referee("tournament", "create", "league", *PLAN, "--db", hall.db)
    Path(hall.db).chmod(0o444)
    before = Path(hall.db).read_bytes()
    open_folder.chmod(0o777)
    code, said = under("nobody", *COMMANDS["start"], "--db", hall.db)
    assert code == 3, said
    assert "is read-only: make the file and its folder writable" in said
    assert len(said.splitlines()) == 1
    assert Path(hall.db).read_bytes() == before


def test_on_a_full_disk_it_stops_and_later_goes_on_as_if_nothing_had_been(hall: Hall) -> None:
    whole = str(hall.folder / "whole.db")
    hall.referee("tournament", "create", "league", *PLAN, "--seed", "x", "--repeatable", "--db", whole)
    expected = hall.referee("tournament", "start", "league", "--db", whole).splitlines()[-1]
    tight = str(hall.folder / "tight.db")
    hall.referee("tournament", "create", "league", *PLAN, "--seed", "x", "--repeatable", "--db", tight)
    room = Path(tight).stat().st_size + 60_000
    code, said = under(str(room), "tournament", "start", "league", "--db", tight)
    assert code == 3
    assert "no room left to write" in said
    assert "Traceback" not in said
    stored = hall.referee("tournament", "status", "league", "--db", tight)
    assert "league is running: 0 of" not in stored
    assert "league is running: 120 of" not in stored
    resumed = hall.referee("tournament", "resume", "league", "--db", tight)
    assert resumed.splitlines()[-1] == expected
    assert expected.startswith("digest ")
