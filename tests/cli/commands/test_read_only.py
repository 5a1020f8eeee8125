"""A database on a read-only medium: every command that only reads works on it, and leaves nothing beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..conftest import Referee

BOUND = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-all"]
"""Root without the right to pass over permissions; others have none to lose."""
COMMANDS = (
    ("luck", "league", "--rollouts", "1", "--workers", "2", "--learn", "10", "--json"),
    ("leaderboard", "league", "--once"),
    ("tournament", "list"),
    ("tournament", "status", "league"),
    ("tournament", "show", "league"),
    ("tournament", "rerate", "league"),
    ("tournament", "extend", "cup", "--rounds", "2", "--dry-run"),
    ("tournament", "undo", "cup", "--dry-run"),
    ("matches", "league"),
    ("show", "league/0"),
    ("replay", "league/0", "--json"),
    ("events",),
    ("bot", "list"),
    ("admin", "list"),
    ("invite", "list"),
    ("webhook", "list"),
    ("prune", "--before", "9999-01-01", "--dry-run"),
    ("verify", "league"),
)
RUNNING = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from referee.cli.main import main

if __name__ == "__main__":
    told = []
    for words in json.loads(sys.argv[1]):
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*words, "--db", sys.argv[2]])
        told.append([code, err.getvalue() if code else ""])
    print(json.dumps(told))
"""


@pytest.fixture
def medium(referee: Referee, tmp_path: Path) -> Iterator[Path]:
    """A folder that cannot be written to, with a database in it."""
    folder = tmp_path / "medium"
    folder.mkdir()
    db = ("--db", folder / "league.db")
    plan = ("--game", "stop_me_go", "--bots", "patient,random", "--rounds", "24")
    for words in (("create", "league", *plan), ("start", "league"), ("create", "cup", *plan)):
        assert referee("tournament", *words, *db).code == 0
    assert referee("tournament", "extend", "cup", "--rounds", "1", *db).code == 0
    (folder / "league.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder / "league.db"
    folder.chmod(0o755)


def test_every_command_that_only_reads_works_on_a_read_only_medium(medium: Path, tmp_path: Path) -> None:
    script = tmp_path / "running.py"
    script.write_text(RUNNING)
    bound = BOUND if os.geteuid() == 0 else []
    words = [*bound, sys.executable, str(script), json.dumps(COMMANDS), str(medium)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    ended = dict(zip(COMMANDS, json.loads(done.stdout.splitlines()[-1]), strict=True))
    assert {command: why for command, (code, why) in ended.items() if code} == {}
    assert [each.name for each in medium.parent.iterdir()] == ["league.db"]
