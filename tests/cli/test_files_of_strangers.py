"""Files that a stranger may have made, in every command that reads one: pipes, devices, nesting and types without end.

Each ends with one sentence and an exit code of its own, never with a wait for ever or a name of a Python error.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text

from ..command import Referee

LEAGUE = Path(__file__).resolve().parents[2] / "sdk" / "go" / "cmd" / "verify" / "testdata" / "league"
Make = Callable[[Path], object]
DEEP = "a = " + "[" * 20_000 + "]" * 20_000
NO_FILES: dict[str, Make] = {
    "a pipe": os.mkfifo,  # whoever opens it never comes back
    "a device without an end": lambda path: path.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
    "a link to itself": lambda path: path.symlink_to(path.name),
}
NO_TOML: dict[str, Make] = {
    "nested too deeply": lambda path: path.write_text(DEEP),
    "tables in tables": lambda path: path.write_text("a = " + "{b=" * 3000 + "1" + "}" * 3000),
    "a long number": lambda path: path.write_text("a = " + "9" * 5000),
    "zero bytes": lambda path: path.write_bytes(bytes(100)),
    "a long text": lambda path: path.write_text(f'game = "{"x" * 200_000}"\nseed = "{"0" * 200_000}"'),
    "a long key": lambda path: path.write_text(f"{'x' * 200_000} = 1"),
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", [*NO_FILES, *NO_TOML])
def test_a_scenario(kind: str, referee: Referee, tmp_path: Path) -> None:
    if kind == "a folder":  # a folder of scenarios is one of the words it takes
        return
    (NO_FILES | NO_TOML)[kind](tmp_path / "x.toml")
    for named in ("x.toml", "."):
        done = referee("scenario", named)
        assert done.code == 2
        assert "cannot be read: " in done.out + done.err
        assert "unexpected" not in done.err
        assert len(done.err) < 2000


@pytest.mark.parametrize("kind", [*NO_FILES, *NO_TOML])
def test_a_bot_toml(kind: str, referee: Referee, tmp_path: Path) -> None:
    (tmp_path / "mybot").mkdir()
    (NO_FILES | NO_TOML)[kind](tmp_path / "mybot" / "bot.toml")
    done = referee("check", "./mybot", "--game", "flip7")
    assert done.code == 2
    assert "unexpected" not in done.err
    assert len(done.err) < 2000


@pytest.mark.parametrize("main", ["a" * 5000, "a/" * 3000, "../../etc/passwd", "."])
def test_a_bot_toml_whose_program_is_no_file(main: str, referee: Referee, tmp_path: Path) -> None:
    (tmp_path / "mybot").mkdir()
    text = f'name = "mybot"\nabout = "A bot."\ngames = ["flip7"]\nmain = "{main}"\n'
    (tmp_path / "mybot" / "bot.toml").write_text(text)
    done = referee("check", "./mybot")
    assert done.code == 2
    assert "is not a file in this folder" in done.err


@pytest.mark.parametrize("kind", [*(kind for kind in NO_FILES if kind != "a pipe"), *NO_TOML])
def test_a_configuration(kind: str, referee: Referee, tmp_path: Path) -> None:
    (NO_FILES | NO_TOML)[kind](tmp_path / "serve.toml")
    done = referee("serve", "--config", "serve.toml")
    assert done.code == 2
    assert "serve.toml" in done.err
    assert "unexpected" not in done.err
    assert len(done.err) < 2000


@pytest.mark.parametrize("kind", NO_FILES)
def test_a_record_of_a_bot_that_is_no_file(kind: str, referee: Referee, tmp_path: Path) -> None:
    NO_FILES[kind](tmp_path / "told.jsonl")
    done = referee("verify", LEAGUE, "--record", "told.jsonl")
    assert done.code == 3
    assert "cannot read told.jsonl: " in done.err


WELCOME = {"type": "welcome", "resumed": [], "heads": [{"tournament": "league", "entries": 1, "head": "00"}]}


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 100_000,
        b"\xff\xfe",
        {**WELCOME, "heads": 5},
        {**WELCOME, "heads": [5]},
        {**WELCOME, "heads": [{"tournament": "league", "entries": float("inf"), "head": "00"}]},
        {**WELCOME, "heads": [{"tournament": "league", "entries": [], "head": {}}]},
        {"type": "start", "match_id": "league/0", "names": 5, "seat": {}, "attempt": "x"},
        {"type": "start", "match_id": "league/" + "9" * 5000},
        {"type": "end", "match_id": "league/0", "result": {"reason": [], "terminations": [5], "ranks": 5, "scores": 5}},
        {"type": "nonces", "tournament": "league"},
        {"type": ["welcome"]},
    ],
    ids=str,
)
def test_a_record_of_a_bot_with_other_values(line: Any, referee: Referee, tmp_path: Path) -> None:
    data = line if isinstance(line, bytes) else json.dumps(line).encode()
    (tmp_path / "told.jsonl").write_bytes(data + b"\n")
    done = referee("verify", LEAGUE, "--record", "told.jsonl")
    assert done.code in (1, 2)
    assert "told.jsonl" in done.err
    assert "unexpected" not in done.err


STEERS = "\x1b]0;title\x07\x1b[2J\u202e\ud800"
"""What steers a terminal, turns what follows around, and half a character."""


def changed(path: tuple[str | int, ...], value: object, target: Path) -> Path:
    """A record with one value in place of another."""
    whole = json.loads((LEAGUE / "records" / "0.json").read_text())
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    target.write_text(json.dumps(whole))
    return target


@pytest.mark.parametrize(
    "path",
    [
        ("match",),
        ("names", 0),
        ("reason",),
        ("texts", 0),
        ("terminations", 0),
        ("record", "game"),
        ("record", "moves", 0),
        ("record", "seed"),
        ("record", "result", "reason"),
    ],
    ids=str,
)
def test_no_text_of_a_record_steers_the_terminal(path: tuple[str | int, ...], referee: Referee, tmp_path: Path) -> None:
    record = changed(path, STEERS, tmp_path / "0.json")
    for words in (("verify", record), ("verify", record, "--json"), ("replay", record), ("replay", record, "--json")):
        done = referee(*words)
        assert done.code in (0, 1, 2)
        assert "unexpected" not in done.err
        shown = done.err if "--json" in words else done.out + done.err
        assert not [letter for letter in STEERS if letter in shown and not letter.isprintable()]


def test_whatever_way_a_text_is_printed_it_does_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    from referee.cli.output import print_error, print_warning, stderr_console, stdout_console

    for console in (stdout_console(), stderr_console()):
        console.print(f"a reason{STEERS}\nand more", markup=False)
        console.print(Text(f"a name{STEERS}", "bold"))
    print_error(f"an error{STEERS}")
    print_warning(f"a warning{STEERS}")
    shown = "".join(capsys.readouterr())
    assert shown.count("and more") == 2
    assert not [letter for letter in STEERS if letter in shown and not letter.isprintable()]


@pytest.mark.parametrize("time", [-1, 10**400, 1 << 60, 1.5, None, True])
def test_times_that_no_match_can_take(time: object, referee: Referee, tmp_path: Path) -> None:
    record = changed(("times_ms", 0, 0), time, tmp_path / "0.json")
    for command in ("verify", "replay"):
        done = referee(command, record)
        assert done.code == 1
        assert "its times are no" in done.err


@pytest.mark.parametrize("decision", [float("inf"), float("nan"), "x", [], None, -1])
def test_mistakes_of_another_kind(decision: object, referee: Referee, tmp_path: Path) -> None:
    found = {"match": "league/0", "costliest": [{"decision": decision, "sentence": "x"}]}
    (tmp_path / "why.json").write_text(json.dumps(found))
    done = referee("replay", LEAGUE / "records" / "0.json", "--mistakes", "why.json")
    assert done.code == 2
    assert "why.json is " in done.err
