"""The examination of a bot (`referee check`): what a good bot passes, and where a bad one fails."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.conformance import examination
from referee.hosting.bot import advice, folders
from referee.hosting.bot.spec import BotSpec, Kind, parse
from referee.hosting.sandbox.launch import Launcher, NoSandbox
from referee.match.clock import TimeControl
from referee.rules.game import WrongUse

if TYPE_CHECKING:
    from tests.hosted_bots import Host

SHORT = TimeControl(limit=0.5, bank=0.5, grace=5.0)
"""For bots that never answer."""
TIMED = TimeControl(limit=1.0, bank=0.5, grace=5.0)
"""For bots that start at once, and answer most questions but not all."""
UNHURRIED = TimeControl(limit=10.0, bank=10.0, grace=5.0)


async def test_a_good_bot_passes_every_check(launcher: Launcher) -> None:
    report = await examination.check(parse("builtin:random"), launcher, ["stop_me_go"], matches=2)
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
    report = await examination.check(parse("builtin:awk"), NoSandbox(), ["stop"], matches=1)
    assert report.ok, report.findings
    assert "reconnect" not in {finding.check for finding in report.findings}


@pytest.mark.parametrize(
    ("vice", "control", "text"),
    [
        ("crashes", UNHURRIED, "forfeited (crash): the bot exited with code 3"),
        ("sleeps", SHORT, "forfeited (timeout)"),
        ("illegal", UNHURRIED, "forfeited (illegal)"),
        ("twice", UNHURRIED, "forfeited (illegal)"),
    ],
)
async def test_a_bad_bot_fails_where_it_is_bad(host: Host, vice: str, control: TimeControl, text: str) -> None:
    spec = host.bad("babbles.py", vice)
    report = await examination.check(spec, NoSandbox(), ["stop_me_go"], matches=1, control=control)
    assert not report.ok
    [finding] = [finding for finding in report.findings if finding.check == "plays"]
    assert not finding.ok
    assert text in finding.text


async def test_a_bot_whose_answers_stay_in_a_buffer_is_told_so_and_not_waited_for_again(tmp_path: Path) -> None:
    buffered = tmp_path / "buffered.sh"
    buffered.write_text("#!/bin/sh\nprintf 'an answer without an end'\ncat >/dev/null\n")
    buffered.chmod(0o755)
    report = await examination.check(parse(f"stdio:{buffered}"), NoSandbox(), ["stop_me_go"], matches=3, control=SHORT)
    [plays] = [finding for finding in report.findings if finding.check == "plays"]
    assert "flush its output" in plays.text
    assert report.matches == 1


async def test_a_program_that_exits_before_it_connects_may_be_one_that_speaks_json_lines(tmp_path: Path) -> None:
    report = await examination.check(parse("sh -c 'exit 0'", tmp_path), NoSandbox(), ["stop_me_go"])
    assert "exited with code 0 without connecting; if it speaks JSON lines, write stdio:" in report.findings[0].text


async def test_a_program_that_names_its_mistake_before_it_connects_is_quoted(tmp_path: Path) -> None:
    program = "sh -c 'echo error: --serverr: there is no such flag\\; did you mean --server? >&2; exit 2'"
    report = await examination.check(parse(program, tmp_path), NoSandbox(), ["stop_me_go"])
    said = "it says: --serverr: there is no such flag; did you mean --server?"
    assert report.findings[0].text == f"the program exited with code 2 without connecting; {said}"


async def test_a_program_that_ends_in_a_match_as_if_all_were_done_is_told_what_to_look_for(tmp_path: Path) -> None:
    bot = tmp_path / "leaves.py"
    bot.write_text("import os\nimport arena\narena.run(lambda decision: os._exit(0))\n")
    report = await examination.check(parse(str(bot)), NoSandbox(), ["stop_me_go"], matches=1)
    [plays] = [finding for finding in report.findings if finding.check == "plays"]
    assert plays.text == f"forfeited (crash): the bot exited with code 0. {advice.BY_ITSELF}"


@pytest.mark.alone
async def test_a_bot_that_gives_up_when_it_is_refused_fails_that_check(meek: BotSpec) -> None:
    report = await examination.check(meek, NoSandbox(), ["stop_me_go"], matches=1, control=TIMED)
    failed = {finding.check: finding.text for finding in report.findings if not finding.ok}
    assert not failed.keys() & {"plays", "several_at_once"}
    assert "did not answer again after its move" in failed["refused_move"]
    assert "was refused (refused_once)" in failed["refused_move"]


@pytest.fixture
def meek(tmp_path: Path) -> BotSpec:
    """The house bot in shell, which takes no more than a moment to start, without its answer to a rejection."""
    source = (folders.house() / "shell" / "bot.sh").read_text()
    heeds = """ | '{"type":"rejected"'*'"legal":['*"""
    assert source.count(heeds) == 1
    (tmp_path / "meek.sh").write_text(source.replace(heeds, ""))
    (tmp_path / "meek.sh").chmod(0o755)
    return parse(f"stdio:{tmp_path / 'meek.sh'}")


async def test_a_bot_that_never_connects_is_told_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examination, "ARRIVE_SECONDS", 0.3)
    silent = BotSpec("silent", ("/bin/sleep", "60"), Kind.GRPC, Path("/"))
    report = await examination.check(silent, NoSandbox(), ["stop_me_go"])
    assert not report.ok
    assert "does it call arena.run" in report.findings[0].text


async def test_a_game_the_bot_does_not_play_is_wrong_use() -> None:
    with pytest.raises(WrongUse, match="cautious does not play stop; it plays flip7"):
        await examination.check(parse("builtin:cautious"), NoSandbox(), ["stop"])


PRINTS = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if "legal" in message:
        print("thinking about it")
        print(json.dumps({"decision": message["decision"], "move": message["legal"][0]}), flush=True)
"""


async def test_printing_to_stdout_is_named_as_the_cause_and_named_once(tmp_path: Path) -> None:
    (tmp_path / "prints.py").write_text(PRINTS)
    spec = parse(f"stdio:{tmp_path / 'prints.py'}")
    report = await examination.check(spec, NoSandbox(), ["stop_me_go"], matches=1, control=UNHURRIED)
    failed = [finding for finding in report.findings if not finding.ok]
    assert [finding.check for finding in failed] == ["plays", "several_at_once", "refused_move"]
    assert "'thinking about it' on stdout is not JSON" in failed[0].text
    assert "answered already" not in failed[0].text
    assert [finding.same_as for finding in failed] == ["", "stop_me_go plays", "stop_me_go plays"]


async def test_the_end_of_the_program_is_no_second_cause(host: Host) -> None:
    spec = host.bad("babbles.py", "crashes")
    report = await examination.check(spec, NoSandbox(), ["stop_me_go"], matches=1, control=UNHURRIED)
    assert [finding.same_as for finding in report.findings if not finding.ok][-1] == "stop_me_go plays"


async def test_it_is_told_what_is_being_done(launcher: Launcher) -> None:
    steps: list[str] = []
    await examination.check(parse("builtin:random"), launcher, ["stop_me_go"], matches=1, doing=steps.append)
    assert steps == [
        "starting random",
        "playing stop_me_go, match 1 of 1",
        "playing stop_me_go, 8 matches at once",
        "playing stop_me_go, with a move refused",
        "playing stop_me_go, with a broken stream",
    ]
