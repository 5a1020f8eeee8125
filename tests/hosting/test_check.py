"""`referee check` and `referee new`: what an author types before submitting."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.cli import main
from referee.conformance import examination
from referee.hosting.bot.spec import BotSpec, Kind, parse
from referee.hosting.sandbox.launch import OpenAir, Quarters
from referee.match.clock import TimeControl
from referee.rules.game import WrongUse

if TYPE_CHECKING:
    from tests.hosting.conftest import Host

SHORT = TimeControl(limit=0.5, bank=0.5, grace=5.0)


@pytest.fixture(autouse=True)
def commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "COMMANDS", ("games", "check", "new"))


async def test_a_good_bot_passes_every_check(quarters: Quarters) -> None:
    report = await examination.check(parse("builtin:random"), quarters, ["stop_me_go"], matches=2)
    assert report.ok, report.findings
    assert [finding.check for finding in report.findings] == [
        "handshake",
        "plays",
        "several_at_once",
        "refused_move",
        "reconnect",
        "still_there",
    ]
    assert report.matches == 2 + 8 + 1 + 1
    assert report.decisions > 0
    assert report.strikes == 1
    assert 0 <= report.p50_ms <= report.p99_ms <= report.slowest_ms
    assert 1 < report.memory_mb < 200


async def test_a_program_over_pipes_is_checked_without_a_stream_to_break() -> None:
    report = await examination.check(parse("builtin:awk"), OpenAir(), ["stop"], matches=1)
    assert report.ok, report.findings
    assert "reconnect" not in {finding.check for finding in report.findings}


@pytest.mark.parametrize(
    ("vice", "check", "text"),
    [
        ("crashes", "plays", "forfeited (crash): the bot exited with code 3"),
        ("sleeps", "plays", "forfeited (timeout)"),
        ("illegal", "plays", "forfeited (illegal)"),
        ("twice", "plays", "forfeited (illegal)"),
    ],
)
async def test_a_bad_bot_fails_where_it_is_bad(host: Host, vice: str, check: str, text: str) -> None:
    spec = host.bad("babbles.py", vice)
    report = await examination.check(spec, OpenAir(), ["stop_me_go"], matches=1, control=SHORT)
    assert not report.ok
    [finding] = [finding for finding in report.findings if finding.check == check]
    assert not finding.ok
    assert text in finding.text


async def test_a_bot_whose_answers_stay_in_a_buffer_is_told_so_and_not_waited_for_again(tmp_path: Path) -> None:
    buffered = tmp_path / "buffered.sh"
    buffered.write_text("#!/bin/sh\nprintf 'an answer without an end'\ncat >/dev/null\n")
    buffered.chmod(0o755)
    report = await examination.check(parse(f"stdio:{buffered}"), OpenAir(), ["stop_me_go"], matches=3, control=SHORT)
    [plays] = [finding for finding in report.findings if finding.check == "plays"]
    assert "flush its output" in plays.text
    assert report.matches == 1


async def test_a_program_that_exits_before_it_connects_may_be_one_that_speaks_json_lines(tmp_path: Path) -> None:
    report = await examination.check(parse("sh -c 'exit 0'", tmp_path), OpenAir(), ["stop_me_go"])
    assert "exited with code 0 without connecting; if it speaks JSON lines, write stdio:" in report.findings[0].text


async def test_a_bot_that_gives_up_when_it_is_refused_fails_that_check(tmp_path: Path) -> None:
    meek = tmp_path / "meek.py"
    meek.write_text(
        "import sys, json\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if m['type'] == 'decide':\n"
        "        print(json.dumps({'decision': m['decision'], 'move': m['legal'][0]}), flush=True)\n"
    )
    report = await examination.check(parse(f"stdio:{meek}"), OpenAir(), ["stop_me_go"], matches=1, control=SHORT)
    failed = [finding.check for finding in report.findings if not finding.ok]
    assert "refused_move" in failed
    assert "plays" not in failed


async def test_a_bot_that_never_connects_is_told_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "ARRIVE_SECONDS", 0.3)
    silent = BotSpec("silent", ("/bin/sleep", "60"), Kind.GRPC, Path("/"))
    report = await examination.check(silent, OpenAir(), ["stop_me_go"])
    assert not report.ok
    assert "does it call arena.run" in report.findings[0].text


async def test_a_game_the_bot_does_not_play_is_wrong_use() -> None:
    with pytest.raises(WrongUse, match="cautious does not play stop; it plays flip7"):
        await examination.check(parse("builtin:cautious"), OpenAir(), ["stop"])


@pytest.mark.parametrize("lang", ["python", "sh"])
def test_a_new_bot_is_fit_to_play_as_it_is(
    lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["new", "mybot", "--game", "stop_me_go", "--lang", lang]) == 0
    assert "referee check ./mybot" in capsys.readouterr().out
    [source] = [path for path in (tmp_path / "mybot").iterdir() if path.stem == "bot" and path.suffix != ".toml"]
    assert [mark for mark in ("(1)", "(2)", "(3)") if source.read_text().count(mark) == 1] == ["(1)", "(2)", "(3)"]
    assert "@" not in source.read_text().replace("$@", "")
    assert main.main(["check", "mybot", "--json", "--matches", "1", "--no-sandbox"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["ok"]
    assert report["bot"] == "mybot"
    assert {finding["game"] for finding in report["findings"]} == {"", "stop_me_go"}


def test_what_to_type_next_can_be_typed_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main.main(["new", "my bots/mine", "--game", "flip7"]) == 0
    said = capsys.readouterr().out
    assert "referee check 'my bots/mine'" in said
    assert "python 'my bots/mine/bot.py'" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["there", "--game", "flip7"], "there is there already"),
        (["file", "--game", "flip7"], "file is there already"),
        (["x", "--game", "flop7"], "did you mean 'flip7'?"),
        (["x", "--game", "flip7", "--lang", "pyhton"], "did you mean 'python'?"),
        (["x", "--game", "flip7", "--lang", "cobol"], "there are: python, sh"),
        (["bad name", "--game", "flip7"], "is no name for a bot"),
        (["x"], "--game"),
    ],
)
def test_new_refuses_in_one_sentence_and_leaves_everything_as_it_was(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine").write_text("precious")
    (tmp_path / "file").write_text("precious")
    assert main.main(["new", *words]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "mine", "there"]


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
