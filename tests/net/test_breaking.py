"""Changes of the protocol that would break a bot of the last release are found (`buf breaking`), others pass."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROTO = Path(__file__).resolve().parents[2] / "proto"
BUF = Path(sys.executable).with_name("buf")
BROKEN = 100
"""What `buf breaking` ends with when it has found something."""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PROTO, tmp_path / "proto"))


def compare(folder: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BUF, "breaking", "--against", str(PROTO / "baseline.binpb")],
        cwd=folder,
        env=os.environ | {"BUF_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )


def edit(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / file
    text = path.read_text()
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
    path.write_text(text.replace(old, new))


def test_the_protocol_keeps_what_the_last_release_promised(tmp_path: Path) -> None:
    done = compare(PROTO, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


MATCH, FLIP7 = "arena/v1/match.proto", "arena/games/flip7/v1/flip7.proto"


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        pytest.param(MATCH, "string move_text = 3;", "string move_text = 4;", "move_text", id="a field renumbered"),
        pytest.param(
            MATCH, "string move_text = 3;", "bytes move_text = 3;", "changed type", id="a field of another type"
        ),
        pytest.param(MATCH, "string move_text = 3;", "", "was deleted", id="a field removed"),
        pytest.param(MATCH, "uint32 budget_ms = 6;", "uint32 budget = 6;", "name", id="a field renamed"),
        pytest.param(FLIP7, "uint32 target_score", "uint32 goal", "name", id="a field of a view renamed"),
        pytest.param(MATCH, "rpc Play(", "rpc Join(", "Play", id="a call renamed"),
    ],
)
def test_a_change_that_breaks_bots_is_found(copy: Path, file: str, old: str, new: str, said: str) -> None:
    edit(copy, file, old, new)
    done = compare(copy, copy.parent / "cache")
    assert done.returncode == BROKEN, done.stdout + done.stderr
    assert file in done.stdout
    assert said in done.stdout


def test_a_further_field_breaks_nobody(copy: Path) -> None:
    edit(copy, MATCH, "string move_text = 3;", "string move_text = 3;\n  string remark = 4;")
    done = compare(copy, copy.parent / "cache")
    assert done.returncode == 0, done.stdout + done.stderr
