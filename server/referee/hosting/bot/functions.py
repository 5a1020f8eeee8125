"""Python functions as bots: `mybot.py:decide` names a function or a class in a file, which is no program of its own.

In this process it is loaded and called. Where a bot has to be a program, a line of Python runs it.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

from referee.hosting.bot import folders
from referee.rules.game import WrongUse

WRITTEN = re.compile(r"(.+\.py):([^\W\d]\w*)")
PROGRAM = "import arena, runpy, sys; arena.run(runpy.run_path(sys.argv[1])[sys.argv[2]], [])"


def written_as(text: str) -> tuple[Path, str] | None:
    """The file and the name in it, if a text is written as a function."""
    found = WRITTEN.fullmatch(text.strip())
    return (Path(found[1]), found[2]) if found else None


def load(text: str) -> Any:
    """The function or class itself; WrongUse says what is wrong with the file."""
    path, name = _there(text)
    try:
        module = folders.run_file(f"referee_function_{path.stem}", path, path.parent)
    except (Exception, SystemExit) as error:
        raise WrongUse(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    bot = getattr(module, name, None)
    if not callable(bot):
        raise WrongUse(f"{path}: there is no function or class {name}")
    return bot


def as_program(text: str) -> str:
    """The same as a command that connects with the SDK."""
    path, name = _there(text)
    load(text)
    return shlex.join([sys.executable, "-c", PROGRAM, str(path), name])


def _there(text: str) -> tuple[Path, str]:
    found = written_as(text)
    assert found is not None
    path, name = found
    if not path.is_file():
        raise WrongUse(f"{text!r}: there is no file {path}")
    return path.resolve(), name
