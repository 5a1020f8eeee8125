"""Mounts: the files a bot in the sandbox sees: the system, its own files, and its interpreter, all read-only.

Everything here returns arguments for bubblewrap's command line. Nothing is shown but the bot's own folder, or the
files that the host names on the command line, and what is on the host's list of programs (`toolchains.py`).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from referee.hosting.bot import folders
from referee.hosting.bot.spec import BotSpec
from referee.hosting.sandbox import toolchains
from referee.hosting.sandbox.toolchains import SYSTEM, within_system
from referee.hosting.sandbox.toolchains import SandboxFailed as SandboxFailed

CONFIGURATION = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "localtime",
    "nsswitch.conf",
    "java",
    "ssl/certs",
    "ssl/openssl.cnf",
    "ssl/cert.pem",
)
"""Of /etc/ssl only what is public: keys lie beside it, and the host may belong to the group that reads them."""

COVER = 1 << 16
"""Bytes of a folder that only covers another one."""


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


def readable(spec: BotSpec) -> list[str]:
    """What this bot may read besides: the interpreter it runs on, its folder or files, and the referee if it asks."""
    for path in spec.files:
        if path.is_symlink():
            raise SandboxFailed(f"{path} is a link: name the file it leads to, {os.path.realpath(path)}")
    files = [*([spec.folder] if spec.folder is not None else []), *spec.files, *imported(spec)]
    interpreter = [path for path in toolchains.shown_for(spec) if path not in files]
    covers = covered(spec, interpreter)
    files = [path for path in files if not within_system(path) or toolchains.referee() in path.parents]
    # The bot's own files come last, for a house bot may lie in the package of the referee that is covered.
    closed = [word for path in covers for word in ("--remount-ro", str(path))]
    return [*shown(interpreter), *cover(covers), *shown(files), *closed]


def imported(spec: BotSpec) -> list[Path]:
    """The referee's own package, for a bot that says that it imports it, with the house bots, which belong to it."""
    package, house = toolchains.referee(), folders.house()
    if package.name not in spec.imports:
        return []
    return [package] if package in house.parents else [package, house]


def covered(spec: BotSpec, places: Iterable[Path]) -> list[Path]:
    """Where the referee's own package would be seen among these places, although the bot does not ask for it."""
    if imported(spec):
        return []
    package = toolchains.referee()
    real = {place: Path(os.path.realpath(place)) for place in (*places, *map(Path, SYSTEM))}
    return [place / package.relative_to(home) for place, home in real.items() if home in package.parents]


def cover(paths: Iterable[Path]) -> list[str]:
    """Empty folders in place of these."""
    return [word for path in paths for word in ("--perms", "0755", "--size", str(COVER), "--tmpfs", str(path))]


def own(spec: BotSpec) -> list[Path]:
    """The bot's folder, or its files; of a folder, also the files its command names.

    A link out of the folder names none: people are told to open what is listed here.
    """
    if spec.folder is None:
        return list(spec.files)
    named = [Path(os.path.realpath(spec.folder / word)) for word in spec.argv if "\0" not in word]
    return [spec.folder, *(path for path in named if path.is_file() and spec.folder in path.parents)]


def check_open(paths: Iterable[Path]) -> None:
    """The bot runs under a user id of its own, which has to be able to read what is the bot's."""
    for path in paths:
        needed = stat.S_IROTH | stat.S_IXOTH if path.is_dir() else stat.S_IROTH
        if path.exists() and path.stat().st_mode & needed != needed:
            raise SandboxFailed(f"{path} is closed to others, so its own bot could not read it: 'chmod -R o+rX {path}'")
