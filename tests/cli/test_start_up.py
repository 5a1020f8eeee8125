"""Commands start at once: none imports what it does not use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli.at_once import AT_ONCE, answered
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


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tournament that is over, and whose table somebody has looked at."""
    path = str(tmp_path_factory.mktemp("over") / "league.db")
    bots = ["random", "patient", "random", "--rounds", "4", "--seed", "x", "--name", "league"]
    assert main(["run", "stop_me_go", *bots, "--db", path, "--json"]) == 0
    assert main(["leaderboard", "--once", "--json", "--db", path]) == 0
    return path


@pytest.fixture(scope="module")
def folder(over: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same tournament, exported."""
    path = str(tmp_path_factory.mktemp("exported") / "league")
    assert main(["export", "league", path, "--db", over]) == 0
    return path


@pytest.mark.parametrize(
    ("command", "used"),
    [
        ("--version", set()),
        ("games --json", GAMES),
        ("rules flip7 --raw", TYPER | GAMES),
        ("games", GAMES | {"rich.console"}),
        ("leaderboard --once --json --db DB", GAMES),
        ("leaderboard --once --db DB", GAMES | {"rich.console"}),
        ("leaderboard league --json --db DB", GAMES),
        ("leaderboard --once --csv --db DB", STORE | {"rich.console"}),
        ("tournament list --json --db DB", STORE),
        ("tournament status league --json --db DB", set()),
        ("tournament show league --json --db DB", set()),
        ("tournament status league --db DB", set()),
        ("tournament status league --db OVER", set()),
        ("leaderboard --once --db OVER", {"rich.console"}),
        ("leaderboard league --db OVER --json", set()),
        ("bot list --json --db DB", STORE),
        ("matches --json --db DB", STORE),
        ("verify FOLDER", TYPER | GAMES | {"rich.console", "structlog"}),
    ],
)
def test_a_command_imports_only_what_it_uses(
    db: str, over: str, folder: str, tmp_path: Path, command: str, used: set[str]
) -> None:
    words = [{"DB": db, "OVER": over, "FOLDER": folder}.get(word, word) for word in command.split()]
    done = subprocess.run(
        [sys.executable, "-c", LOOK, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert (code, set(HEAVY) & set(modules)) == (0, used)


LOOKS = [
    "leaderboard --once --db OVER",
    "leaderboard --json --db OVER",
    "leaderboard league --once --json --db OVER",
    "tournament status league --db OVER",
    "tournament status league --db DB",
    "tournament status league --json --db OVER",
    "tournament status league --json --db DB",
    "tournament show league --json --db OVER",
]


@pytest.mark.parametrize("line", [*map(" ".join, AT_ONCE), *LOOKS])
def test_what_is_answered_without_the_parser_is_what_the_parser_answers(
    line: str, db: str, over: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [{"DB": db, "OVER": over}.get(word, word) for word in line.split()]
    assert answered(words)
    at_once = capsys.readouterr()
    monkeypatch.setattr("referee.cli.main.answered", lambda words: False)
    assert main(words) == 0
    assert capsys.readouterr() == at_once


@pytest.mark.parametrize(
    "line",
    [
        "leaderboard --db OVER",
        "leaderboard --once",
        "leaderboard --once --csv --db OVER",
        "leaderboard --once --help --db OVER",
        "leaderboard --once --once --db OVER",
        "leaderboard league another --once --db OVER",
        "leaderboard another --once --db OVER",
        "leaderboard --once --db OVER --db OVER",
        "leaderboard --once --db",
        "leaderboard --once --server localhost:1 --db OVER",
        "leaderboard another --once --db DB",
        "tournament status --db OVER",
        "tournament status league --once --db OVER",
        "tournament show league --db OVER",
        "tournament show another --json --db OVER",
        "tournament status another --db OVER",
        "tournament list --db OVER",
    ],
)
def test_every_other_line_is_left_to_the_parser(
    line: str, db: str, over: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert not answered([{"DB": db, "OVER": over}.get(word, word) for word in line.split()])
    assert capsys.readouterr() == ("", "")
