"""The conformance kit as it is run: bots that hang, die or are not there, known failures, features, and its report."""

from __future__ import annotations

import json
import re
import signal
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from referee.conformance import case as cases
from referee.conformance import report
from referee.conformance.bot_under_test import CannotStart
from referee.conformance.kit import Run, Sdk, read_known_failures, run, try_case
from referee.conformance.outcome import CaseOutcome, CaseVerdict
from referee.rules.game import WrongUse

from ..waiting import soon

QUICK = 1.0
"""Patience with bots that are known to hang."""
PATIENCE = 60.0
GREET = cases.Case("greet", "says hello", ({"greet": {}},), "test")
PYTHON = (sys.executable, str(cases.folder().parent / "python" / "conformbot.py"))


def program(text: str, **fields: frozenset[str]) -> Sdk:
    return Sdk("bad", (sys.executable, "-c", text), **fields)


def alive(note: Path) -> bool:
    """Whether the process whose number is in a file runs; the dead that are not yet buried do not."""
    try:
        return ") Z " not in Path(f"/proc/{note.read_text()}/stat").read_text()
    except OSError:
        return False


async def test_a_bot_that_hangs_is_killed_and_said_so(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    text = f"import os, time, pathlib; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); time.sleep(600)"
    outcome = await try_case(program(text), GREET, patience=QUICK)
    assert outcome.verdict is CaseVerdict.FAILED
    assert "opens a stream\nseen: it hung for 3 s and was killed; nothing on stderr" in outcome.reason
    assert not alive(note)


async def test_what_a_bot_has_started_is_killed_with_it(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    child = f"import os, time, pathlib; pathlib.Path({str(note)!r}).write_text(str(os.getpid())); time.sleep(600)"
    text = (
        f"import subprocess, sys, time, pathlib; subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        f"while not pathlib.Path({str(note)!r}).exists(): time.sleep(0.01)"
    )
    outcome = await try_case(program(text), GREET, patience=PATIENCE)
    assert "exit code 0" in outcome.reason
    await soon(lambda: not alive(note))


async def test_a_bot_that_dies_at_once_is_told_with_its_last_words() -> None:
    text = "import sys; sys.stderr.write('no such module\\n'); sys.exit(7)"
    outcome = await try_case(program(text), GREET, patience=PATIENCE)
    began, seen, started = outcome.reason.splitlines()
    assert (began, seen) == (
        "step 1: expected that the bot opens a stream",
        "seen: exit code 7; last on stderr: no such module",
    )
    assert re.fullmatch(r"started as: .* --server localhost:\d+ --token conformance-token", started)


async def test_a_bot_that_is_killed_is_told() -> None:
    outcome = await try_case(program("import os; os.kill(os.getpid(), 9)"), GREET, patience=PATIENCE)
    assert "seen: an end by signal 9; nothing on stderr" in outcome.reason


@pytest.mark.parametrize("lines", [False, True])
async def test_a_program_that_is_not_there_stops_the_run(lines: bool) -> None:
    sdk = Sdk("none", ("/nowhere/conformbot",))
    with pytest.raises(CannotStart, match="cannot start /nowhere/conformbot: No such file or directory"):
        await run(Run([GREET], [sdk], lines=lines, patience=PATIENCE))


async def test_over_lines_a_bot_that_hangs_dies_or_babbles_is_told() -> None:
    (one,) = cases.choose(cases.load(), ["one_question"])
    hung = await try_case(program("import time; time.sleep(600)"), one, lines=True, patience=QUICK)
    assert "seen: it hung for 3 s and was killed" in hung.reason
    dead = await try_case(program("import sys; sys.stdin.readline(); sys.exit(7)"), one, lines=True, patience=PATIENCE)
    assert "exit code 7" in dead.reason
    text = "import sys\nfor line in sys.stdin: print('hello', flush=True)"
    babble = await try_case(program(text), one, lines=True, patience=PATIENCE)
    assert "'hello' on stdout is not JSON" in babble.reason
    answer = json.dumps({"decision": 1, "move": "hit"})
    text = f"import sys, time\nfor line in sys.stdin:\n  if 'decide' in line: print({answer!r}, flush=True)\n"
    for patience in (2 * QUICK, PATIENCE):  # more, if the machine is so busy that even the answer takes longer
        stays = await try_case(program(f"{text}time.sleep(600)"), one, lines=True, patience=patience)
        if "that the program exits" in stays.reason:
            break
    assert "expected that the program exits once stdin has ended" in stays.reason


async def test_known_failures_and_features() -> None:
    dead = "raise SystemExit(7)"
    known = await try_case(program(dead, known_failures=frozenset(["greet"])), GREET, patience=PATIENCE)
    assert (known.verdict, known.verdict.ok) == (CaseVerdict.KNOWN, True)
    passing = Sdk("python", PYTHON, known_failures=frozenset(["greet"]))
    mended = await try_case(passing, GREET, patience=PATIENCE)
    assert (mended.verdict, mended.verdict.ok) == (CaseVerdict.MENDED, False)
    assert "take it off the list" in mended.reason
    needy = cases.Case("needy", "needs a feature", GREET.script, "test", feature="unix")
    lacking = await try_case(program(dead, lacks=frozenset(["unix"])), needy, patience=PATIENCE)
    assert (lacking.verdict, lacking.verdict.ok) == (CaseVerdict.LACKING, True)


async def test_a_client_without_flags_is_told_the_server_in_the_environment_and_its_words_are_its_own() -> None:
    text = """
import os, sys
import arena
sys.argv = sys.argv[:1]
class Bot:
    def decide(self, decision): return decision.legal[0]
arena.run(Bot, quiet=True)
"""
    sdk = program(text, lacks=frozenset(["flags", "sentences"]))
    told = cases.Case("told", "says that it is connected", GREET.script, "test", stderr=("connected to",))
    assert (await try_case(sdk, told, patience=PATIENCE)).verdict is CaseVerdict.PASSED
    assert (await try_case(program(text), told, patience=PATIENCE)).verdict is CaseVerdict.FAILED
    for needy in (
        cases.Case("flag", "needs a flag", GREET.script, "test", args=("--quiet",)),
        cases.Case("waits", "waits for a sentence", (*GREET.script, {"stderr": "connected to"}), "test"),
    ):
        assert (await try_case(sdk, needy, patience=PATIENCE)).verdict is CaseVerdict.LACKING


def test_what_the_conformbot_itself_writes_is_no_sentence_of_the_sdk() -> None:
    own = cases.Case("own", "waits for the bot", ({"stderr": "conformbot: start m/1"},))
    other = cases.Case("other", "waits for the SDK", ({"stderr": "connected to"},))
    assert (own.needs, other.needs) == (frozenset(), frozenset(["sentences"]))


RESIGNS = {"hear": {"resign": {"match_id": "m/1", "reason": "~^given up"}}}
FAILING = (
    *GREET.script,
    {"start_all": 1},
    {"say": {"decide": {"match_id": "m/1", "decision": 1, "legal": ["fail"]}}},
    RESIGNS,
)


async def test_the_reason_of_a_resignation_is_a_sentence_and_shown_as_the_pattern_it_is() -> None:
    text = """
import arena
class Bot:
    def decide(self, decision): raise ValueError("in words of its own")
arena.run(Bot)
"""
    resigns = cases.Case("resigns", "gives a reason", FAILING, "test")
    other = await try_case(program(text), resigns, patience=PATIENCE)
    assert "expected resign match_id='m/1' reason=(a text like ^given up)" in other.reason
    worded = await try_case(program(text, lacks=frozenset(["sentences"])), resigns, patience=PATIENCE)
    assert worded.verdict is CaseVerdict.PASSED, worded.reason


async def test_a_failure_says_how_a_feature_that_cannot_be_had_is_declared() -> None:
    needy = cases.Case("needy", "needs a feature", GREET.script, "test", feature="signals")
    outcome = await try_case(program("raise SystemExit(7)"), needy, patience=PATIENCE)
    assert outcome.reason.endswith("an SDK that cannot have this declares it with --lacks signals")


def test_a_list_of_known_failures_names_cases_that_exist(tmp_path: Path) -> None:
    file = tmp_path / "known"
    file.write_text("# a remark\n\ngreet  # not yet\n")
    assert read_known_failures(file, ["greet"]) == {"greet"}
    with pytest.raises(WrongUse, match="names 'greet', and there is no such case"):
        read_known_failures(file, ["help"])
    with pytest.raises(WrongUse, match=r"--known-failures: cannot read .*No such file"):
        read_known_failures(tmp_path / "none", [])


OUTCOMES = {
    "go": [CaseOutcome("greet", CaseVerdict.PASSED), CaseOutcome("needy", CaseVerdict.LACKING)],
    "cobol": [
        CaseOutcome("greet", CaseVerdict.FAILED, "step 1: expected this\nseen: that"),
        CaseOutcome("needy", CaseVerdict.KNOWN),
    ],
}
SHOWN = [GREET, cases.Case("needy", "needs a feature", (), "other")]


def test_the_table_shows_cases_by_sdks_and_the_reason_of_each_failure() -> None:
    text = StringIO()
    report.show(Console(file=text, width=80), report.table(SHOWN, OUTCOMES, {"go": ["sentences"]}))
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    assert lines == [
        "theme  case   go    cobol",
        "test   greet  pass  FAIL",
        "other  needy  -     known",
        "",
        "greet (cobol): says hello",
        "  step 1: expected this",
        "  seen: that",
        "",
        "go: 1 of 2 cases passed, 1 not tried for lack of a feature, sentences were not compared",
        "cobol: 0 of 2 cases passed, 1 failed, 1 known failures",
    ]


def test_the_result_file_says_everything_a_page_would_show() -> None:
    value = json.loads(json.dumps(report.value(SHOWN, OUTCOMES, {"go": ["sentences"]}, lines=False)))
    assert (value["format"], value["transport"]) == (1, "grpc")
    assert [one["name"] for one in value["cases"]] == ["greet", "needy"]
    go, cobol = value["sdks"]
    assert (go["name"], go["ok"], go["passed"]) == ("go", True, 1)
    assert (cobol["name"], cobol["ok"], cobol["passed"]) == ("cobol", False, 0)
    assert (go["lacks"], cobol["lacks"]) == (["sentences"], [])
    assert cobol["results"][0]["verdict"] == "failed"
    assert cobol["results"][0]["reason"] == "step 1: expected this\nseen: that"


@pytest.mark.parametrize("lines", [False, True])
async def test_a_case_that_says_what_no_referee_says_is_wrong_use(lines: bool) -> None:
    case = cases.Case("odd", "shouts", ({"greet": {}}, {"say": {"shout": {}}}), "mine")
    sdk = Sdk("python", PYTHON)
    with pytest.raises(WrongUse, match=r"mine\.toml, case 'odd', step 2: 'shout' is no body of the referee's"):
        await try_case(sdk, case, lines=lines, patience=PATIENCE)


async def test_a_bot_heeds_ctrl_c_even_if_the_kit_itself_ignores_it() -> None:
    text = "import os, signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN, file=__import__('sys').stderr)"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in the background of a shell script
    try:
        outcome = await try_case(program(text), GREET, patience=PATIENCE)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert "\nseen: exit code 0; last on stderr: False\n" in outcome.reason
