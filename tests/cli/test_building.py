"""Commands that build bots: what is built is shown, built once, and told when it fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.hosting.bot.built_folder import folder

from referee.cli import main


@pytest.mark.parametrize("where", ["--sandbox", "--no-sandbox"])
def test_commands_show_what_they_build_and_build_it_once(
    where: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setattr(main, "GROUPS", {"": ("run", "check")})
    folder(place, "echo built >> log; cp bot.src bot.py")
    words = ["stop_me_go", "./entry", "random", "--workers", "2", "--rounds", "2"]
    assert main.main(["run", *words, where, "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["standings"][0]["faults"] == 0
    how = "no sandbox" if where == "--no-sandbox" else "in the sandbox, without network"
    assert f"building entry ({how}): sh build.sh" in said.err
    assert (place / "entry" / "log").read_text() == "built\n"
    assert main.main(["check", "entry", where, "-g", "stop_me_go", "-m", "1", "--json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["ok"]
    assert said.err.count("sh build.sh") == 1
    assert (place / "entry" / "log").read_text() == "built\nbuilt\n"


@pytest.mark.parametrize("command", ["run", "check"])
def test_commands_show_the_output_of_a_build_that_fails(
    command: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setattr(main, "GROUPS", {"": ("run", "check")})
    folder(place, "echo one; echo 'Could not resolve host: example.invalid'; exit 7")
    words = ["run", "stop_me_go", "./entry", "random", "--rounds", "1"] if command == "run" else ["check", "./entry"]
    assert main.main(words) == 2
    *_, first, second, error = capsys.readouterr().err.splitlines()
    assert [first, second] == ["  | one", "  | Could not resolve host: example.invalid"]
    assert error.startswith("error: entry cannot be built: sh build.sh in ")
    assert error.endswith(
        "failed with code 7; it seems to want the network, which builds do not have: --build-network allows it, "
        "or build it yourself first"
    )


def test_a_build_that_spoils_its_bot_is_told_before_anything_is_played(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setattr(main, "GROUPS", {"": ("run", "check")})
    folder(place, "cp bot.src bot.py; echo nonsense > bot.toml")
    assert main.main(["run", "stop_me_go", "./entry", "random", "--rounds", "1"]) == 2
    assert "this is not TOML" in capsys.readouterr().err
