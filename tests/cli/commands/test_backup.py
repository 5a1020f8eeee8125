"""`referee backup` copies the database."""

from __future__ import annotations

from pathlib import Path

from ..conftest import Referee


def test_the_copy_verifies_like_the_original(referee: Referee, league: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    done = referee("backup", copy, "--db", league)
    assert done.code == 0, done.err
    assert done.out == f"{copy}: {copy.stat().st_size:,} bytes, checked\n"
    assert referee("matches", "--db", copy, "--json").json == referee("matches", "--db", league, "--json").json


def test_a_file_that_is_there_is_not_replaced(referee: Referee, league: Path) -> None:
    done = referee("backup", league, "--db", league)
    assert done.code == 2
    assert "exists already: name a new file" in done.err
