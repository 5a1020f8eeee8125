"""What a bot in the sandbox gets to see: the system, its own files, and the interpreter it runs on, all read-only.

Everything here gives words for bubblewrap's command line. Nothing of the host's is shown but what the host has chosen:
programs on its PATH and files it names on the command line.
"""

from __future__ import annotations

import importlib.util
import os
import stat
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from referee.hosting import programs
from referee.hosting.spec import BotSpec

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt")
CONFIGURATION = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "localtime",
    "nsswitch.conf",
    "java",
    "ssl",
)


class SandboxFailed(Exception):
    """There is no sandbox here, or it will not take this bot: says why, and what to do."""


def system() -> list[str]:
    """The system's programs and libraries, read-only, laid out as they are outside."""
    rooms = []
    for folder in map(Path, SYSTEM):
        if folder.is_symlink():
            rooms += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.is_dir():
            rooms += ["--ro-bind", str(folder), str(folder)]
    etc = [Path("/etc") / name for name in CONFIGURATION] + sorted(Path("/etc").glob("java-*"))
    return rooms + shown([path for path in etc if path.exists()])


def shown(paths: Iterable[Path]) -> list[str]:
    """These paths, read-only, at the place where they are outside."""
    ordered = sorted(dict.fromkeys(paths), key=lambda path: len(path.parts))
    rooms = folders_above(ordered)
    for path in ordered:
        rooms += ["--ro-bind", str(path), str(path)]
    return rooms


def folders_above(paths: Iterable[Path]) -> list[str]:
    """The folders above these paths, empty but passable: those that bubblewrap makes by itself are root's alone."""
    rooms = []
    for folder in sorted({parent for path in paths for parent in path.parents}, key=lambda path: len(path.parts)):
        if folder not in (Path("/"), Path("/tmp")) and not within_system(folder):
            rooms += ["--perms", "0755", "--dir", str(folder)]
    return rooms


def readable(spec: BotSpec) -> list[Path]:
    """What this bot may read besides: its folder or files, and the interpreter it runs on."""
    paths = [*([spec.folder] if spec.folder is not None else []), *spec.files]
    for program in programs_of(spec):
        if program.parent == Path(sys.executable).parent:
            paths += _python()
        elif not within_system(program):
            paths += _prefix(program, spec.folder)
    return [path for path in paths if not within_system(path)]


def programs_of(spec: BotSpec) -> list[Path]:
    """What is started, and what that runs on if it is a script."""
    needed = programs.interpreter(Path(spec.argv[0]))
    return [Path(spec.argv[0]), *([Path(needed)] if needed is not None else [])]


@cache
def _python() -> tuple[Path, ...]:
    """This interpreter with its packages, and the SDK wherever it is installed; nothing of the referee's own files."""
    paths = [Path(sys.prefix), Path(sys.base_prefix), Path(os.path.realpath(sys.executable))]
    sdk = importlib.util.find_spec("arena")
    if sdk is not None:
        paths += [Path(place) for place in sdk.submodule_search_locations or ()]
    return tuple(paths)


def _prefix(program: Path, folder: Path | None) -> list[Path]:
    """A program of another place: where it is installed (X of X/bin/program), if that is not somebody's home.

    What a bot's folder names, or links to, its author has chosen: it opens no place that is not on the host's PATH.
    """
    real = Path(os.path.realpath(program))
    if folder is not None and not _chosen_by_host(program):
        for one in (program, real):
            if not (folder in one.parents or within_system(one) or _chosen_by_host(one)):
                raise SandboxFailed(f"{one} is neither in the bot's folder nor on the PATH: the sandbox keeps it out")
    closed = {Path("/"), Path.home(), *Path.home().parents, *Path.cwd().parents, Path.cwd()}
    homes = [one.parents[1] for one in (program, real) if one.parent.name == "bin"]
    return [program, real, *(home for home in homes if home not in closed and not _holds_more(home))]


def _chosen_by_host(program: Path) -> bool:
    """Whether it is a program on the PATH, or lies beside the Python we run on."""
    places = {os.path.realpath(place) for place in (*os.get_exec_path(), os.path.join(sys.base_prefix, "bin"))}
    return os.path.realpath(program.parent) in places or programs.on_path(program.name) == str(program)


def _holds_more(home: Path) -> bool:
    """~/.local, ~/.cargo and the like hold a person's own files beside the programs."""
    return home.parent == Path.home() and home.name.startswith(".") and not (home / "pyvenv.cfg").exists()


def own(spec: BotSpec) -> list[Path]:
    """The bot's folder, or its files; of a folder, also the files its command names."""
    if spec.folder is None:
        return list(spec.files)
    named = [spec.folder / word for word in spec.argv]
    return [spec.folder, *(path for path in named if os.path.isfile(path) and spec.folder in path.parents)]


def check_open(paths: Iterable[Path]) -> None:
    """The bot runs under a user id of its own, which has to be able to read what is the bot's."""
    for path in paths:
        needed = stat.S_IROTH | stat.S_IXOTH if path.is_dir() else stat.S_IROTH
        if path.exists() and path.stat().st_mode & needed != needed:
            raise SandboxFailed(f"{path} is closed to others, so its own bot could not read it: 'chmod -R o+rX {path}'")


def within_system(path: Path) -> bool:
    return any(Path(folder) in (path, *path.parents) for folder in SYSTEM)
