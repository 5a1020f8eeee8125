"""`referee conform`: what it prints and writes, and how it exits."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.conformance import case

if TYPE_CHECKING:
    from tests.cli.conftest import Referee

CONFORMBOT = str(case.folder().parent / "python" / "conformbot.py")
LINES_BOT = str(case.folder() / "lines_bot.py")


def conform(*words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command, in a process of its own: gRPC lives in one event loop only."""
    done = subprocess.run(
        [sys.executable, "-m", "referee", "conform", *words], capture_output=True, text=True, check=False, timeout=150
    )
    return done.returncode, done.stdout, done.stderr


def test_two_sdks_are_compared_and_written_down(tmp_path: Path) -> None:
    good = shlex.join([sys.executable, CONFORMBOT])
    bad = shlex.join([sys.executable, "-c", "raise SystemExit(7)"])
    file = tmp_path / "results.json"
    words = ["--case", "hello_is_first", "--sdk", f"python={good}", "--sdk", f"cobol={bad}", "--json", str(file)]
    code, said, _ = conform(*words)
    assert code == 1
    assert "python: 1 of 1 cases passed" in said
    assert "cobol: 0 of 1 cases passed, 1 failed" in said
    assert "seen: exit code 7" in said
    assert [sdk["ok"] for sdk in json.loads(file.read_text())["sdks"]] == [True, False]


def test_known_failures_are_no_failures(tmp_path: Path) -> None:
    known = tmp_path / "known"
    known.write_text("hello_is_first\n")
    words = ["-c", "hello_is_first", "--known-failures", str(known), "--"]
    code, said, _ = conform(*words, sys.executable, "-c", "raise SystemExit(7)")
    assert (code, "1 known failures" in said) == (0, True)
    code, said, _ = conform(*words, sys.executable, CONFORMBOT)
    assert (code, "take it off the list" in said) == (1, True)


def test_a_program_on_pipes_is_tried_with_lines() -> None:
    code, said, _ = conform("--lines", "-c", "views", "--", sys.executable, LINES_BOT)
    assert (code, "4 of 4 cases passed" in said) == (0, True)


def test_cases_are_listed_without_a_program(referee: Referee) -> None:
    done = referee("conform", "--list", "--slow")
    assert done.code == 0
    for one in case.load():
        assert one.name in done.out


def test_a_program_that_cannot_be_started_is_exit_code_3() -> None:
    code, _, said = conform("-c", "hello_is_first", "--", "/nowhere/conformbot")
    assert (code, said) == (3, "error: cannot start /nowhere/conformbot: No such file or directory\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "say which program to try: referee conform -- CMD, or --sdk NAME=CMD"),
        (["--sdk", "go"], "--sdk: 'go' is not NAME=CMD"),
        (["--sdk", "go='"], "--sdk: "),
        (["--sdk", "go=a", "--sdk", "go=b"], "--sdk: there are two SDKs called 'go'"),
        (["--case", "nonsense", "--", "x"], "no case is called 'nonsense'"),
        (["--lacks", "magic", "--", "x"], "--lacks: there is no feature 'magic'; there are untyped"),
        (["--sdk", "go=a", "--sdk", "c=b", "--lacks", "unix"], "--lacks: 'unix' does not say which SDK it is about"),
        (["--known-failures", "/nowhere", "--", "x"], "--known-failures: cannot read /nowhere"),
        (["--json", "/nowhere/x.json", "--", "x"], "--json: there is no folder /nowhere"),
        (["--cases", "/nowhere", "--", "x"], "there are no cases in /nowhere"),
    ],
)
def test_wrong_use_is_told_in_a_sentence(referee: Referee, words: list[str], sentence: str) -> None:
    done = referee("conform", *words)
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert sentence in done.err
