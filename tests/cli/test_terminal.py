"""Terminals that show little: without letters beyond ASCII, or with fewer columns than a board has with its indent."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.cli import terminal
from referee.rules import registry
from referee.rules.boards.text import columns
from referee.rules.game import seed_bytes
from referee.rules.playout import playout, random_chooser

BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "decide":
        print(json.dumps({"decision": message["decision"], "move": message["legal"][-1]}), flush=True)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a record of STOP me GO and a bot."""
    game = registry.find("stop_me_go")
    choosers = [random_chooser(b"ascii", seat) for seat in range(2)]
    record = playout(game, 2, game.resolve_options(), seed_bytes(3), choosers).record
    (tmp_path / "record.json").write_bytes(record.to_bytes())
    (tmp_path / "mybot.py").write_text(BOT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


ASK = ["ask", "record.json", "--seat", "0", "--no-sandbox", "--boards", "--", f"stdio:{sys.executable} mybot.py"]
WHY = ["why", "record.json", "--seat", "0", "--rollouts", "4", "--workers", "1"]


@pytest.mark.parametrize(
    "words", [ASK, WHY, ["replay", "record.json"], ["rules", "stop_me_go"]], ids=lambda one: one[0]
)
def test_where_only_ascii_can_be_shown_a_command_shows_the_same_in_ascii(
    words: list[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = subprocess.run([sys.executable, "-m", "referee", *words], capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()
    assert done.stdout.count(b"\n") > 20


def test_an_interval_is_no_sum_in_ascii() -> None:
    with io.BytesIO() as page:
        stream = io.TextIOWrapper(page, encoding="ascii")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdout", stream)
            terminal.spell_plainly()
        stream.write("0.50 ± 0.98 … Zoë → 李")
        stream.flush()
        assert page.getvalue() == b"0.50 +/- 0.98 ~ Zoe > ??"


@pytest.mark.parametrize("words", [ASK, WHY], ids=lambda one: one[0])
def test_a_board_that_is_indented_is_no_wider_than_the_terminal(
    words: list[str], here: Path, referee: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = referee(*words)
    assert done.code == 0, done.err
    boards = [line for line in done.out.splitlines() if line[:2] == "  " and "after decision" not in line]
    assert max(map(columns, boards)) == 80


def test_tables_for_programs_are_utf_8_whatever_the_terminal_shows(
    tmp_path: Path, referee: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = str(tmp_path / "league.db")
    bots = ["random", "patient", "--rounds", "1", "--seed", "x", "--name", "Zoë", "--workers", "1"]
    assert referee("run", "stop_me_go", *bots, "--db", db).code == 0
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    command = [sys.executable, "-m", "referee", "export", "Zoë", "--csv", "-", "--db", db]
    done = subprocess.run(command, capture_output=True, check=True)
    assert "Zoë" in done.stdout.decode()


def test_ask_ends_when_nobody_reads_its_output_any_more(here: Path) -> None:
    """The bot is not to blame: it was asked for half a minute, and its connection lost each time."""
    command = [sys.executable, "-m", "referee", *ASK]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.readline()
        running.stdout.close()
        said = running.stderr.read()
        assert (running.wait(), said) == (0, b"")
