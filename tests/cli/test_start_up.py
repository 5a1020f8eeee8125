"""Commands start at once: none imports what it does not use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli.at_once import AT_ONCE
from referee.cli.main import main

HEAVY = (
    "alembic", "fastapi", "google.protobuf", "grpc", "mpmath", "numpy", "psycopg", "pydantic",
    "referee.games.encore.imagine", "referee.games.encore.picture", "referee.rules.boards.generic", "rich.console",
    "sqlalchemy", "sqlalchemy.orm", "starlette", "structlog", "trueskill", "typer",
)  # fmt: skip
LOOK = (
    "import json, sys; from referee.cli.main import main; code = main(sys.argv[1:]); "
    "sys.stderr.write('\\n' + json.dumps([code, sorted(sys.modules)]))"
)
TYPER = {"typer", "pydantic"}
"""It loads pydantic for the options of a command."""
GAMES = {"google.protobuf"}
"""The rules alone: what draws and imagines is loaded by who draws and imagines."""
STORE = TYPER | GAMES | {"sqlalchemy", "sqlalchemy.orm"}
"""SQLModel brings the object mapper with it."""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("start") / "league.db")
    bots = ["--game", "stop_me_go", "--rounds", "2", "--bots", "random,patient,random", "--seed", "x"]
    assert main(["tournament", "create", "league", *bots, "--db", path]) == 0
    return path


@pytest.mark.parametrize(
    ("command", "used"),
    [
        ("--version", set()),
        ("games --json", GAMES),
        ("rules flip7 --raw", TYPER | GAMES),
        ("games", GAMES | {"rich.console"}),
        ("leaderboard --once --json --db DB", STORE | {"trueskill"}),
        ("leaderboard --once --db DB", STORE | {"trueskill", "rich.console"}),
        ("tournament list --json --db DB", STORE | {"trueskill"}),
        ("tournament status league --json --db DB", STORE | {"trueskill"}),
        ("bot list --json --db DB", STORE),
        ("matches --json --db DB", STORE),
    ],
)
def test_a_command_imports_only_what_it_uses(db: str, tmp_path: Path, command: str, used: set[str]) -> None:
    words = [db if word == "DB" else word for word in command.split()]
    done = subprocess.run(
        [sys.executable, "-c", LOOK, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert (code, set(HEAVY) & set(modules)) == (0, used)


@pytest.mark.parametrize("line", AT_ONCE)
def test_what_is_answered_without_the_parser_is_what_the_parser_answers(
    line: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(line) == 0
    at_once = capsys.readouterr()
    monkeypatch.setattr("referee.cli.main.AT_ONCE", {})
    assert main(line) == 0
    assert capsys.readouterr() == at_once
