"""`referee prune`: one thing at a time, counted first, and told by `verify` and `events` afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import Referee


def test_records_are_counted_pruned_and_told(referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("tournament", "create", "league", "--game", "stop_me_go", "--rounds", "2", "--bots", "random,random")
    assert referee(*words).code == 0
    assert referee("tournament", "start", "league").code == 0
    would = referee("prune", "--before", "9999-01-01", "--dry-run").out
    assert would.startswith("would remove 2 records with ")
    assert referee("prune", "--before", "9999-01-01").out == would.replace("would remove", "removed")
    held = referee("verify", "--db", "referee.db")
    assert (held.code, "2 results as the journal tells them, for their records were pruned" in held.out) == (0, True)
    assert "wrote league with 0 records to " in referee("export", "league", "exported").out
    assert "2 records pruned" in referee("events", "league").out
    assert referee("prune", "--tournament", "league").out == "removed tournament league with 2 matches\n"
    assert "tournament league was removed" in referee("events").out
    done = referee("events", "--kind", "action").out
    for what in ("started the tournament league", "removed 2 records with", "removed tournament league with 2 matches"):
        assert f" (this machine) {what}" in done
    for wrong in ((), ("--before", "soon"), ("--bot", "a", "--tournament", "b"), ("--bot", "nobody")):
        assert referee("prune", *wrong).code == 2
