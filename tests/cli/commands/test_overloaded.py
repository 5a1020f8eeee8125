"""`referee run` on a machine that cannot start bots: no result, no blame, exit code 3, and the same command goes on."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Referee

OVERLOADED_WORKER = """\
#!/bin/sh
read order
while read -r order; do
  match=${order#*'"match":"'}
  printf '{"say":"unplayed","match":"%s","why":"random had no time"}\\n' "${match%%'"'*}"
done
"""


def test_a_run_that_cannot_start_bots_ends_with_code_3_and_goes_on_later(
    referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "overloaded"
    script.write_text(OVERLOADED_WORKER)
    script.chmod(0o755)
    words = ["run", "stop_me_go", "random", "mixed", "--rounds", "3", "--seed", "s", "--db", tmp_path / "kept.db"]
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr("sys.executable", str(script))
        failed = referee(*words, "--json")
    assert (failed.code, failed.json["exit_code"]) == (3, 3)
    assert failed.json["error"] in failed.err
    assert "too busy to start bots (random had no time), 3 times for " in failed.err
    assert "no bot is blamed" in failed.err
    assert "the same command goes on from here" in failed.err
    assert "Traceback" not in failed.err
    with sqlite3.connect(tmp_path / "kept.db") as connection:
        assert connection.execute("select max(attempt), count(*) from matches where state = 'finished'").fetchone() == (
            None,
            0,
        )
    later = referee(*words, "--json")
    assert later.code == 0
    whole = referee(*words[:-2], "--json")
    assert later.json["matches"] == whole.json["matches"] == 3
    assert json.loads(later.out)["digest"] == whole.json["digest"], "the same deals as if nothing had happened"
