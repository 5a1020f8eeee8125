"""Toolchains that a sandboxed bot may run on: an allow-list that the host decides, and never the bot's text.

The list is the system's folders, the Python that runs the referee with the SDK, and the programs on the host's PATH
with the folder they are installed in. A bot picks from it, in `bot.toml` or in the first line of a script: a program by
its name on the PATH, or by a path that lies in the list or among the bot's own files. Whatever else it names is
refused, for a path that was shown because the bot asked for it could be another person's private key.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from referee.hosting.bot import programs, shebang
from referee.hosting.bot.spec import BotSpec
from referee.rules.spelling import printable

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt")
LONGEST_CHAIN = 5
"""Scripts may run on scripts; the kernel gives up after so many."""
COMPILERS = ("cargo", "rustc", "go", "node", "npm", "javac", "mvn", "ruby", "python3")
"""What builds call, also from a script; a version manager may keep them in a place that is not on the PATH."""
INSTALLED = ("lib", "lib64", "libexec", "include", "share", "pyvenv.cfg")
"""One of these lies beside `bin` wherever a program is installed with what belongs to it."""


class SandboxFailed(Exception):
    """There is no sandbox here, or it will not take this bot: says why, and what to do."""


def within_system(path: Path) -> bool:
    return any(Path(folder) in (path, *path.parents) for folder in SYSTEM)


def chain(spec: BotSpec) -> list[Path]:
    """What is started, what that runs on if it is a script, and so on; SandboxFailed if one is not to be had."""
    found = [Path(spec.argv[0])]
    _check(found[0], spec)
    while (needed := _interpreter(found[-1], spec)) is not None:
        if len(found) > LONGEST_CHAIN:
            raise SandboxFailed(
                f"{_told(found[0])} runs on a script that runs on a script, and so on: that is too long a way"
            )
        _check(needed, spec)
        found.append(needed)
    return found


def shown_for(spec: BotSpec) -> list[Path]:
    """What has to be shown so that this bot's programs run, besides the system and the bot's own files."""
    paths: list[Path] = []
    for program in chain(spec):
        for one in (program, Path(os.path.realpath(program))):
            if _where(one).parent in _python_places():
                paths += python()
            elif not _is_below(_where(one), spec) and (one not in spec.files or _is_chosen(one, spec)):
                home = one.parents[1] if one.parent.name == "bin" else None  # X of X/bin/program
                paths += [one, *([home] if home is not None and _is_safe(home, spec) else [])]
    return [path for path in paths if not within_system(path)]


def all_installed(spec: BotSpec) -> list[Path]:
    """Where the programs on the host's PATH are installed, as far as that may be shown."""
    behind = [Path(found).parent for name in COMPILERS if (found := programs.on_path(name)) is not None]
    places = dict.fromkeys([*map(Path, programs.places()), *behind])
    homes = [place.parent for place in places if place.name == "bin"]
    return [home for home in homes if not within_system(home) and home.is_dir() and _is_safe(home, spec)]


@cache
def python() -> tuple[Path, ...]:
    """This interpreter with its packages, and the SDK wherever it is installed; nothing of the referee's own files."""
    paths = [Path(sys.prefix), Path(sys.base_prefix), Path(os.path.realpath(sys.executable))]
    sdk = importlib.util.find_spec("arena")
    if sdk is not None:
        paths += [Path(place) for place in sdk.submodule_search_locations or ()]
    return tuple(path for path in paths if not within_system(path))


@cache
def referee() -> Path:
    """Where the referee's own package is, which a bot may import if it asks for it."""
    return Path(__file__).resolve().parents[2]


def _interpreter(script: Path, spec: BotSpec) -> Path | None:
    """The program a script runs on."""
    try:
        needed = shebang.read(script)
    except shebang.UnreadableShebang as error:
        raise SandboxFailed(f"{_told(script)} cannot be started: {error}") from None
    if needed is None:
        return None
    if not needed.by_name:
        return Path(os.path.normpath(spec.cwd), needed.folder, needed.program)
    found = programs.on_path(needed.program)
    if found is None:
        raise SandboxFailed(f"{_told(script)} is to be run by {needed.program!r}: there is no such program on the PATH")
    return Path(found)


def _check(program: Path, spec: BotSpec) -> None:
    """SandboxFailed unless it is an executable file that this bot may have."""
    real = Path(os.path.realpath(program))
    if not (_is_own(program, spec) or _is_hosts(program, spec)):
        named = _told(program) if real == program else f"{_told(program)} ({_told(real)})"
        raise SandboxFailed(
            f"{named} is neither in the bot's folder nor on the PATH: the sandbox keeps it out; name the program "
            "without its folder, or put it on the PATH"
        )
    if not real.is_file() or not os.access(real, os.X_OK):
        raise SandboxFailed(f"{_told(program)} is not a program that can be started: it has to be an executable file")


def _is_own(program: Path, spec: BotSpec) -> bool:
    """Whether it is one of the bot's own files, by whichever links it is named."""
    return all(
        one in spec.files or (spec.folder is not None and spec.folder in one.parents)
        for one in (_where(program), Path(os.path.realpath(program)))
    )


def _is_hosts(program: Path, spec: BotSpec) -> bool:
    """Whether it is on the host's list; a link of the bot's may lead to what is there by its own path."""
    where, real = _where(program), Path(os.path.realpath(program))
    linked = within_system(where) or _is_below(where, spec)
    return _is_chosen(program, spec) or (linked and (within_system(real) or real.parent in _path_places()))


def _is_chosen(program: Path, spec: BotSpec) -> bool:
    """Whether it is on the PATH, beside our Python, or first in a command that the host has typed.

    A lone file is no such command: where it lies opens nothing.
    """
    alone = len(spec.argv) == 1 and program in spec.files
    typed = spec.folder is None and program == Path(spec.argv[0]) and not alone
    on_path = _where(program).parent in _path_places() or programs.on_path(program.name) == str(program)
    return typed or on_path


def _is_below(path: Path, spec: BotSpec) -> bool:
    return spec.folder is not None and spec.folder in path.parents


def _where(program: Path) -> Path:
    """Where it lies, without links and dots on the way; it may be a link itself."""
    return Path(os.path.realpath(program.parent), program.name)


def _path_places() -> set[Path]:
    return {Path(os.path.realpath(place)) for place in programs.places()} | _python_places()


def _python_places() -> set[Path]:
    prefixes = [Path(prefix, "bin") for prefix in (sys.prefix, sys.base_prefix)]
    return {Path(os.path.realpath(place)) for place in (*prefixes, Path(sys.executable).parent)}


def _is_safe(home: Path, spec: BotSpec) -> bool:
    """Whether a folder of programs may be shown as a whole: not if it holds, or may hold, a person's own files."""
    if len(home.parts) <= 2 or not any((home / name).exists() for name in INSTALLED):
        return False
    if home.name.startswith(".") and not (home / "pyvenv.cfg").exists():  # ~/.local, ~/.cargo and the like
        return False
    kept = [*_peoples(home), Path.cwd(), *(path for path in spec.files if str(path) != spec.argv[0])]
    if spec.folder is not None:
        kept.append(spec.folder)
    return not any(home in (path, *path.parents) for path in kept)


def _peoples(home: Path) -> Iterable[Path]:
    """The homes of those who run this, and of the one this folder belongs to."""
    yield Path(os.path.expanduser("~"))
    for uid in {os.getuid(), home.stat().st_uid}:
        try:
            yield Path(pwd.getpwuid(uid).pw_dir)
        except KeyError:  # an id without an account
            continue


def _told(path: Path) -> str:
    """A path for a message: it may be the bot's text."""
    return printable(str(path))
