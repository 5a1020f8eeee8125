"""Programs as people name them: found on the PATH, behind version managers, and scripts with what they run on."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

SHIMS = "shims"
"""The folder of pyenv, rbenv, nodenv, asdf, mise and the like that holds a stand-in for every program they manage."""
ASKING_SECONDS = 10.0
FIRST_LINE = 256


@cache
def on_path(name: str) -> str | None:
    """The program of that name; of a version manager's, the real one, which starts without the manager."""
    found = shutil.which(name)
    if found is None or Path(found).parent.name != SHIMS:
        return found
    others = [place for place in os.get_exec_path() if Path(place).name != SHIMS]
    return _behind(Path(found)) or shutil.which(name, path=os.pathsep.join(others)) or found


def interpreter(script: Path) -> str | None:
    """The program that runs a script, as its first line says; None for anything that is no script."""
    words = _first_line(script).rstrip("\r").split()
    if words and Path(words[0]).name == "env":
        named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        return (on_path(named[0]) or named[0]) if named else None
    return words[0] if words else None


def trouble(path: Path) -> str | None:
    """Why a file cannot be started although it is there, which the kernel tells as "no such file"."""
    if _first_line(path).endswith("\r"):
        return f"its lines end as on Windows (CR LF), so it cannot be started: sed -i 's/\\r$//' {path}"
    needed = interpreter(path)
    if needed is not None and not Path(needed).exists():
        return f"it is to be run by {needed}, which is not there"
    return None


def _first_line(path: Path) -> str:
    """What stands behind `#!`, or nothing."""
    try:
        with path.open("rb") as file:
            line = file.read(FIRST_LINE).split(b"\n")[0]
    except OSError:
        return ""
    return line[2:].decode("utf-8", "replace") if line.startswith(b"#!") else ""


def _behind(shim: Path) -> str | None:
    """The program a version manager would start; None if it cannot be asked or does not know."""
    root = shim.parent.parent
    manager = root.name.lstrip(".")
    for program in (root / "bin" / manager, root / "libexec" / manager, shutil.which(manager)):
        if program is not None and os.access(program, os.X_OK):
            try:
                asked = subprocess.run(
                    [str(program), "which", shim.name],
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    timeout=ASKING_SECONDS,
                    check=False,
                )
            except (OSError, ValueError, subprocess.TimeoutExpired):
                return None
            found = asked.stdout.strip()
            return found if asked.returncode == 0 and os.access(found, os.X_OK) else None
    return None
