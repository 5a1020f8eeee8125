"""The password of a database is in no message: every command that takes --db, at a server that cannot be reached."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.cli.commands.serve import _greet

from ..command import Referee
from ..waiting import PATIENCE

Said = Callable[..., tuple[int, str]]
SECRET = "s3cret"
ADDRESSES = {
    "userinfo": "postgresql://ada:s3cret@127.0.0.1:1/league",
    "percent-encoded": "postgresql://ada:%733cret@127.0.0.1:1/league",
    "query": "postgresql://ada@127.0.0.1:1/league?password=s3cret&connect_timeout=2",
    "unknown word in the query": "postgresql://ada@127.0.0.1:1/league?pasword=s3cret",
    "an @ in it": "postgresql://ada:s3cret@s3cret@127.0.0.1:1/league",
    "a slash too few": "postgresql:/ada:s3cret@127.0.0.1:1/league",
    "no port": "postgresql://ada:s3cret@127.0.0.1:x/league",
    "another scheme": "mysql://ada:s3cret@127.0.0.1:1/league",
}
PLAN = ("--game", "stop_me_go", "--bots", "random,patient")
COMMANDS = {
    "serve": ("serve", "--listen", "127.0.0.1:0"),
    "run": ("run", "stop_me_go", "random", "patient", "--rounds", "1"),
    "bot add": ("bot", "add", "ada"),
    "bot list": ("bot", "list"),
    "create": ("tournament", "create", "cup", *PLAN),
    "start": ("tournament", "start", "cup"),
    "pause": ("tournament", "pause", "cup"),
    "join": ("tournament", "join", "cup", "odds"),
    "list": ("tournament", "list"),
    "export": ("tournament", "export", "cup", "--to", "out"),
    "rerate": ("tournament", "rerate", "cup"),
    "leaderboard": ("leaderboard", "--once"),
    "verify": ("verify",),
}


DEBUGGED = """
import sys
from referee.cli.main import main

for address in sys.argv[1:]:
    try:
        main(["tournament", "list", "--db", address])
    except BaseException:
        sys.excepthook(*sys.exc_info())
    print("next", file=sys.stderr)
"""
"""Every address in turn, with whatever Python writes at the end of a program that fails."""


@pytest.fixture
def said(referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Said:
    """The exit code of a command and all that it says."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("REFEREE_DEBUG", raising=False)

    def call(*words: str) -> tuple[int, str]:
        done = referee(*words)
        return done.code, done.out + done.err

    return call


def without_password(text: str) -> bool:
    return not re.search("s3cret|%733cret", text)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_shows_the_password_of_a_server_it_cannot_reach(said: Said, command: str) -> None:
    code, text = said(*COMMANDS[command], "--db", ADDRESSES["userinfo"])
    assert code == 3
    assert without_password(text)
    assert "error: cannot reach postgresql://ada:***@127.0.0.1:1/league (" in text
    assert len(text.splitlines()) == 1


@pytest.mark.parametrize("way", ADDRESSES)
def test_wherever_it_stands_in_the_address_the_password_is_not_shown(said: Said, way: str) -> None:
    code, text = said("tournament", "list", "--db", ADDRESSES[way])
    assert code in (2, 3)
    assert without_password(text)
    assert text.startswith("error: ")
    assert "unexpected" not in text
    assert len(text.splitlines()) == 1


def test_not_even_a_traceback_for_developers_shows_it(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DEBUGGED, *ADDRESSES.values()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env={**os.environ, "REFEREE_DEBUG": "1", "COLUMNS": "200"},
    )
    assert done.stderr.count("next\n") == len(ADDRESSES), done.stderr
    assert without_password(done.stdout + done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        ("serve", ADDRESSES["userinfo"]),
        ("verify", ADDRESSES["userinfo"]),
        ("verify", ADDRESSES["userinfo"], "another"),
        ("tournament", "list", "--server", ADDRESSES["userinfo"]),
        ("tournament", "list", "--bd", ADDRESSES["userinfo"]),
        ("serve", "--listen", ADDRESSES["userinfo"]),
        ("serve", "--config", "list.toml"),
    ],
    ids=lambda words: " ".join(words)[:20],
)
def test_an_address_in_the_wrong_place_is_not_repeated_with_its_password(
    said: Said, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "list.toml").write_text(f'db = ["{ADDRESSES["userinfo"]}"]\n')
    code, text = said(*words)
    assert code in (2, 3)
    assert without_password(text)


@pytest.mark.parametrize("way", ["userinfo", "percent-encoded", "query"])
def test_the_banner_of_the_server_shows_the_address_without_it(way: str) -> None:
    lines: list[str] = []
    _greet(lambda text, **_: lines.append(text), "127.0.0.1:7700", ADDRESSES[way], None, None, [])
    text = "\n".join(lines)
    assert without_password(text)
    assert "database postgresql://ada" in text
    assert re.search(r"referee bot add mybot --db '?postgresql://ada", text)
    assert text.count("***") == 2
