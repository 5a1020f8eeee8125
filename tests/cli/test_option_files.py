"""A sheet that a person names on the command line is read there: bounded, from a file or a pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from referee.store import Store

from .conftest import Referee

SHEET = Path(__file__).parents[1] / "scenarios" / "encore" / "harlequin_sheet.json"
CONTENT: dict[str, Any] = json.loads(SHEET.read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.json").write_bytes(SHEET.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def process(*words: str) -> int:
    """`referee` as a process of its own: a command that plays matches sets up the log of its process."""
    return subprocess.run([sys.executable, "-m", "referee", *words], capture_output=True, timeout=150).returncode


@pytest.mark.parametrize("sheet", ["mine.json", str(SHEET), json.dumps(CONTENT)], ids=["relative", "absolute", "table"])
def test_simulate_plays_on_it(referee: Referee, sheet: str) -> None:
    done = referee("simulate", "encore", "--matches", 1, "--option", f"sheet={sheet}", "--json")
    assert done.code == 0
    assert done.json["options"] == {"sheet": CONTENT}


def test_a_pipe_will_do(referee: Referee, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    writer = threading.Thread(target=lambda: (folder / "pipe").write_bytes(SHEET.read_bytes()))
    writer.start()
    done = referee("simulate", "encore", "--matches", 1, "--option", "sheet=pipe", "--json")
    writer.join()
    assert done.json["options"] == {"sheet": CONTENT}


@pytest.mark.parametrize(
    ("sheet", "words"),
    [
        ("/dev/zero", "it is larger than 65,536 bytes"),
        (".", "Is a directory"),
        ("nowhere.json", "there is no sheet file"),
        ("[" * 100_000, "nested too deeply"),
    ],
    ids=["endless", "folder", "missing", "nested"],
)
@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "encore"),
        ("run", "encore", "tidy", "tidy"),
        ("tournament", "create", "league", "--game", "encore", "--bots", "tidy,tidy"),
        ("match", "encore", "tidy", "tidy", "--server", "127.0.0.1:1"),
    ],
    ids=lambda command: command[0],
)
def test_what_is_no_sheet_file_is_said_in_a_sentence(
    referee: Referee, command: tuple[str, ...], sheet: str, words: str
) -> None:
    done = referee(*command, "--option", f"sheet={sheet}")
    assert (done.code, words in done.err) == (2, True), done.err
    assert len(done.err.splitlines()) == 1


def test_a_tournament_on_the_file_keeps_the_sheet_itself_and_is_played_and_verified(referee: Referee) -> None:
    create = ("tournament", "create", "league", "--game", "encore", "--bots", "tidy,random", "--rounds", 1)
    assert referee(*create, "--option", "sheet=mine.json", "--db", "league.db").code == 0
    Path("mine.json").unlink()
    with Store.open("league.db") as store:
        assert store.tournaments.get("league").settings["options"] == {"sheet": CONTENT}
    assert process("tournament", "start", "league", "--db", "league.db") == 0
    assert referee("verify", "--db", "league.db").code == 0


def test_run_plays_on_it(folder: Path) -> None:
    words = ["run", "encore", "tidy", "random", "--rounds", "1", "--db", "run.db", "--option", "sheet=mine.json"]
    assert process(*words) == 0
    with Store.open(folder / "run.db") as store:
        [tournament] = store.tournaments.all()
        assert tournament.settings["options"] == {"sheet": CONTENT}


def test_verify_refuses_a_record_that_names_a_file(referee: Referee, folder: Path) -> None:
    os.mkfifo(folder / "pipe")  # whoever opens it never comes back
    moves = {"game": "encore", "version": 1, "players": 1, "seed": "00", "moves": [], "result": None}
    for path in ("pipe", "/dev/zero", "mine.json", "nowhere.json"):
        (folder / "record.json").write_text(json.dumps(moves | {"options": {"sheet": path}}))
        done = referee("verify", "record.json")
        assert (done.code, f"must be 'standard' or the sheet itself as a table, not {path!r}" in done.err) == (1, True)


def test_verify_reads_no_device(referee: Referee) -> None:
    done = referee("verify", "/dev/zero")
    assert (done.code, "/dev/zero is not a file" in done.err) == (1, True)
