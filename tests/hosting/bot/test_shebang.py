"""The first line of a script, read as the kernel and env read it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from referee.hosting.bot import programs, shebang
from referee.hosting.bot.shebang import Interpreter, UnreadableShebang


def script(folder: Path, first: bytes | str) -> Path:
    path = folder / "my-own-script"
    path.write_bytes((first if isinstance(first, bytes) else first.encode()) + b"\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("line", "interpreter"),
    [
        ("#!/bin/sh", Interpreter("/bin/sh")),
        ("#! /bin/sh -e -u", Interpreter("/bin/sh")),
        ("#!\t/bin/sh\t-e", Interpreter("/bin/sh")),
        ("#!./mylang", Interpreter("./mylang")),
        ("#!/usr/bin/env python3", Interpreter("python3", True)),
        ("#!/bin/env  node ", Interpreter("node", True)),
        ("#!/usr/bin/env -S python3 -u", Interpreter("python3", True)),
        ("#!/usr/bin/env -Spython3 -u", Interpreter("python3", True)),
        ("#!/usr/bin/env -iS python3 -u", Interpreter("python3", True)),
        ("#!/usr/bin/env -vS node --x", Interpreter("node", True)),
        ("#!/usr/bin/env --split-string=node --x 'a b'", Interpreter("node", True)),
        ("#!/usr/bin/env -S -i -u HOME DEBUG=1 node --x", Interpreter("node", True)),
        ("#!/usr/bin/env -S -uHOME --unset PATH --unset=X - -- node", Interpreter("node", True)),
        ("#!/usr/bin/env -S --ignore-environment --debug node", Interpreter("node", True)),
        ("#!/usr/bin/env -S -u /home/host/secret node", Interpreter("node", True)),
        ("#!/usr/bin/env -S -C /tmp ./tool", Interpreter("./tool", False, "/tmp")),
        ("#!/usr/bin/env -S --chdir=sub ./tool", Interpreter("./tool", False, "sub")),
        ("#!/usr/bin/env /usr/bin/awk", Interpreter("/usr/bin/awk")),
        ("#!/elsewhere/env tool", Interpreter("/elsewhere/env")),
    ],
)
def test_what_runs_a_script_is_found_behind_every_option(line: str, interpreter: Interpreter, tmp_path: Path) -> None:
    assert shebang.read(script(tmp_path, line)) == interpreter


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("#!", "names no program"),
        ("#!/usr/bin/env", "names no program"),
        ("#!/usr/bin/env -S", "names no program"),
        ("#!/usr/bin/env -S -u", "nothing behind '-u'"),
        ("#!/usr/bin/env -S -u HOME", "names no program"),
        ("#!/usr/bin/env -S ..", "names no program"),
        ("#!/usr/bin/env -S --", "names no program"),
        ("#!/usr/bin/env python3 -u", "write '#!/usr/bin/env -S python3 -u'"),
        ("#!/usr/bin/env -S -x tool", "the option '-x'"),
        ("#!/usr/bin/env -S -S tool", "the option '-S'"),
        ("#!/usr/bin/env -S --path=/root tool", "the option '--path=/root'"),
        ("#!/usr/bin/env -u HOME tool", "names no program"),
        ("#!/usr/bin/env -S 'a tool'", "quotes"),
        ("#!/usr/bin/env -S ${HOME}/tool", "quotes"),
        ("#!/usr/bin/env -S \\tool", "quotes"),
        ("#!/bin/sh\0/root", "zero byte"),
        (f"#!/bin/{'x' * 300}", "longer than"),
    ],
)
def test_a_line_that_cannot_be_followed_is_refused(line: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableShebang) as refused:
        shebang.read(script(tmp_path, line))
    assert why in str(refused.value)


@pytest.mark.parametrize(
    "line",
    ["#!/usr/bin/env -S sh -e", "#!/usr/bin/env -iS sh", "#!/usr/bin/env -S -u HOME A=1 sh", "#!/usr/bin/env sh"],
)
def test_the_system_itself_starts_what_is_read_from_the_line(line: str, tmp_path: Path) -> None:
    path = script(tmp_path, f"{line}\necho it runs")
    assert shebang.read(path) == Interpreter("sh", True)
    assert subprocess.run([path], capture_output=True, text=True, check=True).stdout == "it runs\n"


def test_what_is_no_script_runs_on_nothing_and_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    assert shebang.read(script(tmp_path, b"\x7fELF")) is None
    assert shebang.read(tmp_path / "missing") is None
    assert shebang.read(tmp_path) is None
    os.mkfifo(tmp_path / "pipe")
    assert shebang.read(tmp_path / "pipe") is None


def test_bytes_that_are_no_text_are_not_found_and_can_be_told(tmp_path: Path) -> None:
    found = shebang.read(script(tmp_path, b"#!/bin/\xff\xfe"))
    assert found is not None
    found.program.encode()
    assert "which is not there" in (programs.trouble(tmp_path / "my-own-script") or "")


@pytest.mark.parametrize("name", ["", ".", "..", "a\0b", "sh\n", "../sh", "/bin/sh", "-", " "])
def test_a_strange_name_is_no_program_on_the_path(name: str) -> None:
    assert programs.on_path(name) is None


def test_a_path_named_relatively_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = script(tmp_path, "#!/bin/sh")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f":.:{os.environ['PATH']}")
    programs.on_path.cache_clear()
    assert programs.on_path(tool.name) is None
    programs.on_path.cache_clear()
