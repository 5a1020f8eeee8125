"""`referee` itself: version, help, one clear message for every mistake, the right exit code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from referee import __version__
from referee.cli import main as main_module
from referee.cli.errors import ENVIRONMENT, Failure
from referee.cli.main import COMMANDS, main

COMMAND = [sys.executable, "-c", "import sys; from referee.cli.main import main; sys.exit(main())"]


def test_the_version_is_told(referee: Any) -> None:
    assert referee("--version").out == f"referee {__version__}\n"


def test_the_version_is_told_at_once() -> None:
    """Nothing from outside the standard library is loaded for it; `bench_commands.py` measures how long it takes."""
    script = (
        "import sys; before = set(sys.modules); from referee.cli.main import main; main(['--version']);"
        "print(sorted({name.partition('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names))"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == f"referee {__version__}\n['arena', 'referee']\n"


def test_the_list_of_commands_loads_nothing_heavy() -> None:
    heavy = ["google.protobuf", "grpc", "pydantic", "referee.net", "referee.store", "referee_leaderboard", "sqlalchemy"]
    code = f"import sys; from referee.cli.main import build; build(); print([n for n in {heavy!r} if n in sys.modules])"
    unmeasured = {key: value for key, value in os.environ.items() if not key.startswith("COVERAGE")}
    done = subprocess.run([sys.executable, "-c", code], env=unmeasured, check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_while_the_interpreter_ends_does_not_replace_the_exit_code(name: str) -> None:
    script = (
        "import os, signal, sys; from referee.cli.main import main; sys.argv = ['referee', 'no-such-command'];"
        f"code = main(); os.kill(os.getpid(), signal.{name}); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_alone_it_shows_help_with_every_command(referee: Any) -> None:
    done = referee()
    assert done.code == 0
    for name in COMMANDS:
        assert name in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(referee: Any, command: str) -> None:
    done = referee(command, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"Usage: referee {command}" in done.out


@pytest.mark.parametrize("group", ["bot", "tournament"])
def test_a_group_alone_shows_its_commands_and_says_what_is_missing(referee: Any, group: str) -> None:
    done = referee(group)
    assert done.code == 2
    assert "Commands" in done.out
    assert done.err == f"error: a word is missing: see 'referee {group} --help'\n"


@pytest.mark.parametrize("words", [["add", "x"], ["rotate", "x"], ["revoke", "x"], ["list"]])
def test_a_bot_is_looked_for_in_one_place(referee: Any, words: list[str]) -> None:
    done = referee("bot", *words, "--db", "x.db", "--server", "127.0.0.1:1")
    assert (done.code, done.err) == (2, "error: give --db or --server, not both\n")


@pytest.mark.parametrize("command", ["games", "rules", "simulate", "scenario"])
def test_help_shows_an_example(referee: Any, command: str) -> None:
    assert f"Example: referee {command}" in " ".join(referee(command, "--help").out.split())


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["--nonsense"],
        ["games", "--nonsense"],
        ["games", "extra"],
        ["rules"],
        ["rules", "chess"],
        ["rules", "flip7", "--raww"],
        ["scenario"],
        ["scenario", "nowhere.toml"],
        ["simulate"],
        ["simulate", "chess"],
        ["simulate", "flip7", "--players", "2"],
        ["simulate", "flip7", "--players", "many"],
        ["simulate", "flip7", "--matches", "0"],
        ["simulate", "flip7", "--matches", "-3"],
        ["simulate", "flip7", "--option", "rules"],
        ["simulate", "flip7", "--option", "=faq"],
        ["simulate", "flip7", "--option", "rules=house"],
        ["simulate", "flip7", "--option", "rules=faq", "--option", "rules=faq"],
        ["simulate", "flip7", "--option", "target_score=NaN"],
        ["simulate", "flip7", "--option", "target=1"],
        ["simulate", "encore", "--option", "sheet=nowhere.json"],
        ["simulate", "flip7", "--bots", "nobody"],
        ["simulate", "flip7", "--bots", ""],
        ["simulate", "flip7", "--bots", "random,random,random,random"],
    ],
    ids=" ".join,
)
def test_wrong_use_is_one_clear_line_and_exit_code_2(
    referee: Any, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = referee(*words)
    assert done.code == 2
    assert "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert len(done.err) > 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["submit"], "missing argument 'DIR|ZIP': see 'referee submit --help'"),
        (["nonsense"], "no such command 'nonsense': see 'referee --help'"),
        (["serve", "--time"], "option '--time' requires an argument: see 'referee serve --help'"),
        (["bot", "list", "--nonsense"], "no such option '--nonsense': see 'referee bot list --help'"),
        (["tournament", "annul"], "missing argument 'MATCH': see 'referee tournament annul --help'"),
        (["tournament", "create", "x"], "missing option '--game' / '-g': see 'referee tournament create --help'"),
        (["invite", "--count", "0"], "invalid value for '--count' / '-n': 1 is the least: see 'referee invite --help'"),
        (["tournament", "annul", "league/0"], "missing option '--reason': see 'referee tournament annul --help'"),
        (["runn"], "no such command 'runn'; did you mean 'run'? 'referee --help' lists all"),
        (["bot", "ad"], "no such command 'ad'; did you mean 'add'? 'referee bot --help' lists all"),
        (["run", "--rouds", "3"], "no such option '--rouds'; did you mean '--rounds'? 'referee run --help' lists all"),
        (
            ["run", "--rounds", "x"],
            "invalid value for '--rounds' / '-r': it has to be a whole number: see 'referee run --help'",
        ),
    ],
)
def test_what_the_parser_says_has_the_form_of_all_messages(referee: Any, words: list[str], said: str) -> None:
    """Lower case, no full stop, what to do after a colon."""
    done = referee(*words)
    assert (done.code, done.err) == (2, f"error: {said}\n")


def test_a_number_that_is_none_is_said_in_lower_case(referee: Any) -> None:
    done = referee("serve", "--concurrency", "x")
    assert done.code == 2
    assert re.fullmatch(
        r"error: invalid value for '--concurrency': [a-z].*[^.]: see 'referee serve --help'\n", done.err
    )


def test_a_broken_sheet_file_is_wrong_use(referee: Any, tmp_path: Path) -> None:
    (tmp_path / "sheet.json").write_text('{"columns": ')
    done = referee("simulate", "encore", "--option", f"sheet={tmp_path / 'sheet.json'}", "--matches", "1")
    assert done.code == 2
    assert done.err.startswith("error: encore: option 'sheet'")
    assert len(done.err.splitlines()) == 1


def raising(error: BaseException) -> Any:
    def run(words: Any) -> int:
        raise error

    return run


def test_a_failure_ends_with_its_own_code(referee: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main_module, "build", lambda only: raising_app(Failure("the port\nis taken", ENVIRONMENT)))
    done = referee("rules", "flip7")
    assert (done.code, done.err) == (3, "error: the port is taken\n")


def raising_app(error: BaseException) -> typer.Typer:
    app = typer.Typer()

    @app.callback()
    def front() -> None: ...

    @app.command()
    def rules(game: str) -> None:
        raise error

    return app


def test_a_failing_file_is_a_failing_environment(referee: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    error = PermissionError(13, "Permission denied", "/secret")
    monkeypatch.setattr(main_module, "build", lambda only: raising_app(error))
    done = referee("rules", "flip7")
    assert (done.code, done.err) == (3, "error: /secret: Permission denied\n")


def test_the_unexpected_is_one_line_unless_asked_for(referee: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main_module, "build", lambda only: raising_app(ZeroDivisionError("division by zero")))
    monkeypatch.delenv("REFEREE_DEBUG", raising=False)
    done = referee("rules", "flip7")
    assert done.code == 3
    assert "unexpected ZeroDivisionError" in done.err
    monkeypatch.setenv("REFEREE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["rules", "flip7"])


def test_an_interrupt_is_quiet(referee: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main_module, "_run", raising(KeyboardInterrupt()))
    done = referee("rules", "flip7")
    assert (done.code, done.err) == (130, "")


def test_a_reader_that_goes_away_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([*COMMAND, "games"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
