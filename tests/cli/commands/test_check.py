"""`referee check` as an author types it: what it says, and the exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.cli import main


def test_check_ends_with_one_for_a_bot_that_is_not_fit(
    host_of_scripts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["check", str(host_of_scripts / "dead.py"), "--no-sandbox", "--game", "stop"]) == 1
    said = capsys.readouterr().out
    assert "FAIL  handshake" in said
    assert "exited with code 3" in said
    assert "| I never lived" in said
    assert "dead is not fit to play yet" in said


def test_an_error_that_came_several_times_is_shown_once_from_its_first_line_to_its_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = [f"{place} line" for place in ("first", "second", "third", "fourth", "fifth", "sixth")]
    text = "import sys\nsys.stdin.readline()\nfor line in %r: print(line, file=sys.stderr)\nsys.exit(3)\n"
    (tmp_path / "dying.py").write_text(text % trace)
    assert main.main(["check", f"stdio:python3 {tmp_path / 'dying.py'}", "--no-sandbox", "--game", "stop"]) == 1
    said = [line[4:] for line in capsys.readouterr().out.splitlines() if line.startswith("  | ")]
    assert said == trace


def test_why_a_bot_resigned_is_told_without_saying_twice_that_it_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "raising.py").write_text(
        "import arena\ndef decide(decision): raise ValueError('no idea')\narena.run(decide)\n"
    )
    assert main.main(["check", str(tmp_path / "raising.py"), "--no-sandbox", "--game", "stop"]) == 1
    assert "forfeited (resigned): error in decide: ValueError: no idea" in capsys.readouterr().out


@pytest.fixture
def host_of_scripts(tmp_path: Path) -> Path:
    (tmp_path / "dead.py").write_text("import sys\nprint('I never lived', file=sys.stderr)\nsys.exit(3)\n")
    return tmp_path
