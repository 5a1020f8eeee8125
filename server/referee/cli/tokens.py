"""Tokens and codes of a command: from the environment, a file or a hidden prompt, so that none is on a command line.

What stands on a command line can be read by every user of the machine and stays in the shell's history.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure

TOKEN, ADMIN_TOKEN, INVITATION = "REFEREE_TOKEN", "REFEREE_ADMIN_TOKEN", "REFEREE_INVITATION"
LARGEST_FILE = 4096


def in_file(path: Path, name: str) -> str:
    """A secret alone in a file, or in a line `NAME=…` as shells read it; `-` is stdin."""
    try:
        if str(path) == "-":
            text = sys.stdin.read(LARGEST_FILE)
        else:
            with path.open(encoding="utf-8") as file:
                text = file.read(LARGEST_FILE)
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}", WRONG_USE) from None
    except UnicodeDecodeError:
        raise Failure(f"{path} holds no token: it is not text", WRONG_USE) from None
    lines = [line.strip().removeprefix("export ").strip() for line in text.splitlines() if line.strip()]
    named = [line.removeprefix(f"{name}=").strip("'\"") for line in lines if line.startswith(f"{name}=")]
    found = named or lines
    if len(found) != 1:
        raise Failure(f"{path} holds no token: write it alone into the file, or as {name}=…", WRONG_USE)
    return found[0]


def asked(what: str, otherwise: str) -> str:
    """A secret that is typed unseen; where nobody can type, Failure with what to do instead."""
    import typer

    if not sys.stdin.isatty():
        raise Failure(otherwise, WRONG_USE)
    return str(typer.prompt(what, hide_input=True, err=True)).strip()


def admin_token(given: str | None) -> str | None:
    """The admin token for a call that needs one: as it was given, or typed; None where nobody can type."""
    if given or not sys.stdin.isatty():
        return given
    return asked("The admin token", "")


def keep(path: Path, name: str, token: str) -> None:
    """Write a token into a new file that only its owner can read, as shells and `--token-file` read it."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as file:
            file.write(f"{name}={token}\n")
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror}", ENVIRONMENT) from None


def check_new_file(path: Path | None) -> None:
    """Before a token is made that would have no place: Failure if the file is there, or its folder is not."""
    if path is None:
        return
    if path.exists():
        raise Failure(f"{path} exists already: name a new file", WRONG_USE)
    if not path.parent.is_dir():
        raise Failure(f"the folder {path.parent} is not there: make it first, or name another file", WRONG_USE)
