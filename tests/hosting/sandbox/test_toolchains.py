"""What is seen in the sandbox is decided by the host: no text of a bot opens a place of the host's."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from referee.hosting.bot import programs
from referee.hosting.bot.spec import parse
from referee.hosting.sandbox import mounts
from referee.hosting.sandbox.bubblewrap import Sandbox, SandboxFailed
from referee.hosting.sandbox.launch import Link
from referee.match.result import Termination
from referee.rules.game import WrongUse

if TYPE_CHECKING:
    from tests.hosted_bots import Host, Nobody

    from referee.workers.bot_host import HostedBot

FIRST_LEGAL = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if question["type"] == "decide":
        print(json.dumps({"decision": question["decision"], "move": question["legal"][0]}), flush=True)
"""


@pytest.fixture(autouse=True)
def fresh_path() -> None:
    programs.on_path.cache_clear()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where bots lie beside a secret of the host's, passable for everybody."""
    for folder in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        folder.chmod(0o755)
    (tmp_path / "secret" / "bin").mkdir(parents=True)
    (tmp_path / "secret" / "lib").mkdir()
    (tmp_path / "secret" / "referee.db").write_text("the root of all deals")
    tool = tmp_path / "secret" / "bin" / "tool"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    return tmp_path


def lone(place: Path, first: str, body: str = "") -> Path:
    path = place / "entry"
    path.write_text(f"{first}\n{body}")
    path.chmod(0o755)
    return path


def folder(place: Path, command: str, **files: str) -> Path:
    path = place / "bots" / "entry"
    path.mkdir(parents=True)
    (path / "bot.toml").write_text(
        f'name = "entry"\ngames = ["*"]\nabout = "x"\nkind = "stdio"\ncommand = {command!r}\n'
    )
    for name, text in files.items():
        (path / name).write_text(text)
        (path / name).chmod(0o755)
    return path


def shown(text: str, base: Path) -> set[Path]:
    argv = Sandbox().wrap(parse(text, base), Link()).argv
    binds = ("--bind", "--ro-bind", "--dev-bind")
    return {Path(argv[place + 1]) for place, word in enumerate(argv) if word in binds}


FIRST_LINES = [
    "#!/usr/bin/env -S -u {secret} sh",
    "#!/usr/bin/env -S -u {secret}/referee.db sh",
    "#!/usr/bin/env -S --unset={secret} sh",
    "#!/usr/bin/env -S -C {secret} sh",
    "#!/usr/bin/env -S A={secret} sh",
    "#!/usr/bin/env -S sh {secret}",
    "#!/bin/sh {secret}",
]


@pytest.mark.parametrize("line", FIRST_LINES)
def test_a_first_line_opens_no_place_by_the_words_around_its_program(line: str, place: Path, bubblewrap: None) -> None:
    honest = shown(str(lone(place, "#!/bin/sh")), place)
    assert shown(str(lone(place, line.format(secret=place / "secret"))), place) == honest
    assert not [path for path in honest if place / "secret" in (path, *path.parents) or path in (place, place.parent)]


@pytest.mark.parametrize(
    "line",
    [
        "#!/usr/bin/env -S {secret}",
        "#!/usr/bin/env {secret}/bin/tool",
        "#!{secret}/bin/tool",
        "#!{secret}/referee.db",
        "#!{secret}",
        "#!/usr/bin/../..{secret}/bin/tool",
        "#!secret/bin/tool",
        "#!./link",
        "#!/usr/bin",
        "#!/etc/passwd",
        "#!/bin/sh/..",
        "#!/usr/bin/env -S -C secret/bin ./tool",
        "#!./entry",
    ],
)
@pytest.mark.parametrize("kind", ["lone file", "folder"])
def test_an_interpreter_is_a_program_of_the_hosts_list_or_of_the_bots_own(
    line: str, kind: str, place: Path, bubblewrap: None
) -> None:
    first = line.format(secret=place / "secret")
    if kind == "lone file":
        (place / "link").symlink_to(place / "secret" / "bin" / "tool")
        path = lone(place, first)
    else:
        path = folder(place, "./entry", entry=f"{first}\n")
        (path / "link").symlink_to(place / "secret" / "bin" / "tool")
    with pytest.raises((SandboxFailed, WrongUse)) as refused:
        shown(str(path), place)
    assert any(
        sentence in str(refused.value)
        for sentence in (
            "the sandbox keeps it out",
            "is not a program that can be started",
            "too long a way",
            "not there",
        )
    ), refused.value


@pytest.mark.parametrize(
    "command", ["{up}/secret/bin/tool", "{secret}/bin/tool", "./link", "./inner/bin/tool", "~/tool", "./pipe"]
)
def test_a_command_of_a_folder_starts_nothing_outside(
    command: str, place: Path, bubblewrap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(place / "secret" / "bin"))
    path = folder(place, command.format(up="../..", secret=place / "secret"))
    (path / "link").symlink_to("../../secret/bin/tool")
    (path / "inner").symlink_to(place / "secret")
    os.mkfifo(path / "pipe", 0o755)
    with pytest.raises((SandboxFailed, WrongUse), match=r"keeps it out|there is no program|not a program that can"):
        shown(str(path), place)


@pytest.mark.parametrize("command", ['["a\\u0000b"]', '[""]', '[" ", "x"]', '["sh", "a\\u0000b"]'])
def test_a_command_without_a_program_or_with_a_zero_byte_is_refused(command: str, place: Path) -> None:
    path = folder(place, "sh")
    (path / "bot.toml").write_text(f'name = "x"\ngames = ["*"]\nabout = "x"\ncommand = {command}\n')
    with pytest.raises(WrongUse, match="begins with no program, or holds a zero byte"):
        parse(str(path), place)


def test_a_file_that_is_a_link_is_not_shown_but_the_file_can_be_named(place: Path, bubblewrap: None) -> None:
    (place / "real.py").write_text("")
    (place / "entry.py").symlink_to(place / "real.py")
    for text in ("entry.py", "stdio:python3 entry.py", "python3 real.py entry.py"):
        with pytest.raises(SandboxFailed, match="is a link: name the file it leads to"):
            shown(text, place)
    assert place / "real.py" in shown("real.py", place)


def test_a_lone_file_in_a_folder_called_bin_does_not_open_what_lies_around_it(place: Path, bubblewrap: None) -> None:
    seen = shown(f"stdio:{place}/secret/bin/tool", place)
    assert place / "secret" / "bin" / "tool" in seen
    assert place / "secret" not in seen


def test_nobody_is_told_to_open_a_file_that_a_bot_only_links_to(place: Path) -> None:
    path = folder(place, "node bot.js ../../secret/referee.db")
    (place / "secret" / "referee.db").chmod(0o600)
    (path / "bot.js").symlink_to(place / "secret" / "referee.db")
    assert mounts.own(parse(f"{path}", place)) == [path]


@pytest.mark.parametrize("kept", ["home", "another home", "cwd", "bots", "hidden", "no installation"])
def test_a_folder_that_holds_more_than_programs_is_not_shown_with_them(
    kept: str, place: Path, bubblewrap: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = place / (".hidden" if kept == "hidden" else "lang")
    path = folder(home if kept == "bots" else place, "mylang")
    for inner in ("bin", "lib"):
        (home / inner).mkdir(parents=True)
    (home / "bin" / "mylang").write_text("#!/bin/sh\n")
    (home / "bin" / "mylang").chmod(0o755)
    monkeypatch.setenv("PATH", f"{home}/bin:{os.environ['PATH']}")
    programs.on_path.cache_clear()
    if kept in ("home", "cwd", "another home", "no installation"):
        assert home in shown(str(path), place)
    if kept == "home":
        monkeypatch.setenv("HOME", str(home / "me"))
    if kept == "another home":
        monkeypatch.setattr("pwd.getpwuid", lambda uid: type("", (), {"pw_dir": str(home)}))
    if kept == "cwd":
        monkeypatch.chdir(home / "bin")
    if kept == "no installation":
        (home / "lib").rmdir()
    seen = shown(str(path), place)
    assert home / "bin" / "mylang" in seen
    assert home not in seen


async def test_scripts_with_options_for_env_play(host: Host, sandbox: Sandbox, place: Path) -> None:
    started_bots: list[HostedBot] = []
    for line in ("#!/usr/bin/env -S python3 -u", "#!/usr/bin/env -S -u HOME A=b python3 -u -B", f"#!{sys.executable}"):
        path = lone(place, line, FIRST_LEGAL)
        named = path.rename(place / f"bot{len(started_bots)}")
        started_bots.append(await host.start_bot(parse(f"stdio:{named}", place), sandbox))
    relative = folder(place, "./first", first="#!./second\n", second="#!/usr/bin/env -S python3 -u\n" + FIRST_LEGAL)
    (relative / "second").write_text("#!/usr/bin/env sh\nexec python3 bot.py\n")
    (relative / "bot.py").write_text(FIRST_LEGAL)
    started_bots.append(await host.start_bot(parse(str(relative), place), sandbox))
    for started in started_bots:
        ending = await host.play(started)
        assert ending.terminations[0] is Termination.FINISHED, started.process.stderr.lines()


def test_a_private_key_stays_private_where_bots_run_under_the_hosts_own_id(nobody: Nobody) -> None:
    """The attack as it was: a lone file plays and sends what it reads; here it says so on stderr."""
    keys = nobody.home / "keys"
    keys.mkdir(mode=0o700)
    (keys / "id").write_text("PRIVATE KEY")
    entry = nobody.home / "entry"
    entry.write_text(f"#!/usr/bin/env -S -u {keys} sh\ncat {keys}/id >&2; ls -a {nobody.home} >&2\n")
    entry.chmod(0o755)
    done = nobody.run(sys.executable, "-m", "referee", "check", "stdio:./entry", "--sandbox", "-g", "stop_me_go")
    assert done.returncode == 1, done.stderr
    assert "PRIVATE KEY" not in done.stdout + done.stderr
    assert "No such file or directory" in done.stdout, done
