"""`referee scenario`: which files hold, and the exit code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

HOLDS = 'game = "flip7"\nplayers = 3\nscript = "over = no"\n'
FAILS = 'game = "flip7"\nplayers = 3\nscript = """\nover = no\nover = yes\n"""\n'
UNREADABLE = 'game = "flip7"\nplayers = 3\nscript = """\nover = no\nnonsense\n"""\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {"holds": HOLDS, "fails": FAILS, "unreadable": UNREADABLE}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "case.toml").write_text(text)
    return tmp_path


def test_all_hold(referee: Any, folder: Path) -> None:
    done = referee("scenario", folder / "holds" / "case.toml", folder / "holds")
    assert (done.code, done.out, done.err) == (0, "2 of 2 scenarios hold\n", "")


def test_one_does_not_hold(referee: Any, folder: Path) -> None:
    done = referee("scenario", folder / "holds", folder / "fails")
    assert done.code == 1
    assert f"{folder / 'fails' / 'case.toml'}:5 does not hold" in done.out
    assert "expected: over = yes" in done.out
    assert "seen:     no" in done.out
    assert "1 of 2 scenarios hold, 1 failed" in done.out


def test_one_cannot_be_read_and_the_others_still_run(referee: Any, folder: Path) -> None:
    done = referee("scenario", folder)
    assert done.code == 2
    assert f"{folder / 'unreadable' / 'case.toml'}:5: cannot read 'nonsense'" in done.err
    assert "does not hold" in done.out
    assert "1 of 3 scenarios hold, 1 failed, 1 unreadable" in done.out


def test_as_json(referee: Any, folder: Path) -> None:
    done = referee("scenario", folder, "--json")
    assert done.code == 2
    assert (done.json["ran"], done.json["held"]) == (3, 1)
    [failure] = done.json["failed"]
    assert failure == {
        "file": str(folder / "fails" / "case.toml"),
        "line": 5,
        "expected": "over = yes",
        "seen": "no",
    }
    [error] = done.json["unreadable"]
    assert (error["line"], done.err) == (5, "")


def test_a_folder_without_scenarios_is_wrong_use(referee: Any, tmp_path: Path) -> None:
    done = referee("scenario", tmp_path)
    assert done.code == 2
    assert "no scenario files" in done.err
