"""Program lookup: names resolved on the PATH and behind version managers, and scripts with their interpreters."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from referee.hosting.bot import shebang
from referee.rules.spelling import printable

SHIMS = "shims"
"""The folder of pyenv, rbenv, nodenv, asdf, mise and the like that holds a stand-in for every program they manage."""
RUSTUP = "rustup"
"""The stand-in for cargo and rustc: one program under many names."""
ASKING_SECONDS = 10.0


def places() -> list[str]:
    """The folders of the PATH. Those named relatively hold whatever lies where the referee happens to be started."""
    return [place for place in os.get_exec_path() if os.path.isabs(place)]


@cache
def on_path(name: str) -> str | None:
    """The program of that name; of a version manager's, the real one, which starts without the manager."""
    if not name or "/" in name or "\0" in name:
        return None
    found = _which(name, places())
    if found is None or not _is_shim(Path(found)):
        return found
    others = [place for place in places() if Path(place).name != SHIMS]
    return _behind(Path(found)) or _which(name, others) or found


def trouble(path: Path) -> str | None:
    """Why a file cannot be started although it is there, which the kernel tells as "no such file"."""
    try:
        line = shebang.first_line(path)
        if line is not None and line.endswith(b"\r"):
            return f"its lines end as on Windows (CR LF), so it cannot be started: sed -i 's/\\r$//' {path}"
        needed = shebang.read(path)
    except shebang.UnreadableShebang as error:
        return str(error) if sys.platform == "linux" else None  # other kernels split the line in other ways
    if needed is None or (not needed.by_name and not os.path.isabs(needed.program)):
        return None
    found = on_path(needed.program) if needed.by_name else needed.program
    if found is None or not Path(found).exists():
        return f"it is to be run by {printable(needed.program)}, which is not there"
    return None


def _which(name: str, folders: list[str]) -> str | None:
    return shutil.which(name, path=os.pathsep.join(folders)) if folders else None


def _is_shim(found: Path) -> bool:
    return found.parent.name == SHIMS or (found.name != RUSTUP and Path(os.path.realpath(found)).name == RUSTUP)


def _behind(shim: Path) -> str | None:
    """The program a version manager would start; None if it cannot be asked or does not know."""
    root = shim.parent.parent
    manager = root.name.lstrip(".") if shim.parent.name == SHIMS else RUSTUP
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
