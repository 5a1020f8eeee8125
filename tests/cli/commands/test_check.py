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


@pytest.fixture
def host_of_scripts(tmp_path: Path) -> Path:
    (tmp_path / "dead.py").write_text("import sys\nprint('I never lived', file=sys.stderr)\nsys.exit(3)\n")
    return tmp_path
