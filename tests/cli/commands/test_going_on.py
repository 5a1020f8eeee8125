"""`referee tournament extend`, `join --dry-run`, `undo` and `reopen`: what a host types to go on, on a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import Referee


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_league_is_extended_joined_taken_back_played_and_reopened(referee: Referee) -> None:
    words = ("tournament", "create", "league", "--game", "stop_me_go", "--rounds", "2", "--allow-join")
    assert referee(*words, "--bots", "random,random,random").code == 0
    assert referee("tournament", "extend", "league", "--rounds", "2", "--dry-run").out == (
        "league would get 2 more matches\n"
    )
    assert referee("tournament", "extend", "league", "--rounds", "2").out == "league gets 2 more matches\n"
    would = referee("tournament", "join", "league", "mixed", "--dry-run").out
    assert would.startswith("mixed would join league: ")
    joined = referee("tournament", "join", "league", "mixed")
    assert joined.out == would.replace("would join", "joins")
    assert "of mixed would be taken back" in referee("tournament", "undo", "league", "--dry-run").out
    assert "of mixed taken back" in referee("tournament", "undo", "league").out
    assert referee("tournament", "undo", "league").out == "league: 2 matches taken back\n"
    nothing = referee("tournament", "undo", "league")
    assert (nothing.code, "nothing to take back" in nothing.err) == (2, True)
    assert referee("tournament", "start", "league").code == 0
    over = referee("tournament", "start", "league")
    assert (over.code, "referee tournament reopen league" in over.err) == (2, True)
    again = referee("tournament", "reopen", "league")
    assert again.out.startswith("league is reopened and paused, with 0 matches to play\n")
    assert referee("tournament", "extend", "league", "--rounds", "1").code == 0
    assert referee("tournament", "resume", "league").code == 0
    held = referee("verify", "--db", "referee.db")
    assert (held.code, "reopened once after its end" in held.out) == (0, True)
