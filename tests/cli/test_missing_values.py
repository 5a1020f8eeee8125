"""An option whose value was forgotten does not swallow the next option."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.cli.main import main


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["export", "league", "--csv", "--db", "x.db"], "--csv needs FILE: --db is another option"),
        (["export", "league", "--db", "x.db", "--jsonl", "--json"], "--jsonl needs FILE: --json is another option"),
        (["replay", "league/0", "--seat", "--db", "x.db"], "--seat needs N: --db is another option"),
        (["replay", "league/0", "--html", "--public"], "--html needs FILE: --public is another option"),
        (["matches", "-n", "--bot", "ada"], "-n needs a value: --bot is another option"),
        (["tournament", "create", "x", "--game", "--bots", "a,b"], "--game needs a value: --bots is another option"),
        (["tournament", "create", "x", "--game", "--help"], "--game needs a value: --help is another option"),
    ],
)
def test_it_is_told_and_nothing_is_written(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert capsys.readouterr().err == f"error: {said}\n"
    assert list(tmp_path.iterdir()) == []


def test_what_follows_two_dashes_is_a_command_and_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["ask", "x.json", "--seat", "0", "--", "mybot", "--seat", "--db"]) == 2
    assert "there is no file x.json" in capsys.readouterr().err
