"""Bot specs: the texts with which people name bots on a command line, parsed.

    random                      a house bot (builtin:random, if a folder of that name is in the way)
    bots/cautious               a folder with bot.toml, or with just a bot.py
    mybot.py                    a Python file that calls arena.run
    './target/release/mybot'    any program that connects with an SDK …
    'node bots/x.js --deep'     … with its arguments
    'stdio:awk -f mybot.awk'    any program that speaks JSON lines on stdin and stdout
    folder:mybot.py             a file or a command, with everything in the file's folder (`folder:stdio:lua my.lua`)
    mine=mybot.py               any of these, under a name of your choice

`parse` turns such a text into a `BotSpec` or raises `WrongUse` with a sentence that says what would do.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any

from referee.hosting.bot import folders, names, programs
from referee.hosting.bot.folders import BotFolder
from referee.rules.game import WrongUse

STDIO = "stdio:"
BUILTIN = "builtin:"
FOLDER = "folder:"
SCRIPTS = {
    ".awk", ".bash", ".go", ".jar", ".java", ".jl", ".js", ".lua", ".mjs", ".php", ".pl", ".py", ".rb", ".sh", ".tcl",
    ".ts",
}  # fmt: skip
"""Endings of words that can only mean a file: a missing one is told before anything is started."""
RUN_BY = {
    ".awk": "awk -f", ".bash": "bash", ".go": "go run", ".jar": "java -jar", ".java": "java", ".jl": "julia",
    ".js": "node", ".lua": "lua", ".mjs": "node", ".php": "php", ".pl": "perl", ".r": "Rscript", ".rb": "ruby",
    ".sh": "sh", ".tcl": "tclsh",
}  # fmt: skip
"""What runs a file of this ending, for advice."""
ARCHIVES = {".7z", ".gz", ".tar", ".tgz", ".xz", ".zip"}


class Kind(Enum):
    """How a bot is spoken to."""

    GRPC = "grpc"
    """A program that connects by itself, with an SDK."""
    STDIO = "stdio"
    """A program that speaks JSON lines on stdin and stdout."""
    HOUSE = "house"
    """A house bot in Python: may play inside the referee, or as a program of its own like GRPC."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """A bot, and how it is started."""

    name: str
    argv: tuple[str, ...]
    kind: Kind
    cwd: Path
    """Where it is started."""
    folder: Path | None = None
    """The bot's own folder, all of which it may read; None for a lone file or a command."""
    files: tuple[Path, ...] = ()
    """Files and folders named on its command line, which it may read too; in the sandbox, none that is a link."""
    games: tuple[str, ...] = ()
    """The games it plays; empty: every game."""
    memory: int | None = None
    """Bytes it asks for; None: whatever is usual."""
    build: tuple[str, ...] = ()
    """Run once before the first start (`build.py`)."""
    text: str = ""
    """What the person wrote."""
    names: tuple[str, ...] = ()
    """Names it could have, the shortest first; where several bots are named, these tell them apart (`names.py`)."""
    imports: tuple[str, ...] = ()
    """Packages of the referee's own that it may import in the sandbox (`bot.toml`: imports)."""

    def plays(self, game: str) -> bool:
        return not self.games or game in self.games

    def to_value(self) -> dict[str, Any]:
        """As plain JSON, for a process that need not look at the files again."""
        value = {name: getattr(self, name) for name in self.__slots__}
        folder = None if self.folder is None else str(self.folder)
        files = [str(file) for file in self.files]
        return value | {"kind": self.kind.value, "cwd": str(self.cwd), "folder": folder, "files": files}

    @classmethod
    def from_value(cls, value: Mapping[str, Any]) -> BotSpec:
        """From what `to_value` has made of it."""
        told: dict[str, Any] = {name: tuple(one) if isinstance(one, list) else one for name, one in value.items()}
        folder = None if value["folder"] is None else Path(value["folder"])
        files = tuple(Path(file) for file in value["files"])
        return cls(**told | {"kind": Kind(value["kind"]), "cwd": Path(value["cwd"]), "folder": folder, "files": files})


def parse(text: str, base: Path | None = None) -> BotSpec:
    """The bot meant by a text; paths are relative to `base` (usually the current folder)."""
    base = (base or Path.cwd()).resolve()
    words = text.strip()
    given, bot = ("", words) if _is_there(base / words) else names.given(words)
    spec = replace(_parse(bot, base), text=words)
    if given:
        return replace(spec, name=given, names=(given,))
    return spec if spec.names else replace(spec, names=(spec.name,))


def _parse(text: str, base: Path) -> BotSpec:
    if not text:
        raise WrongUse("a bot is missing: name a house bot, a bot folder, a Python file or a command")
    if text.startswith(BUILTIN):
        return from_folder(folders.find(text.removeprefix(BUILTIN)), house=True)
    if text.startswith(FOLDER):
        return with_folder(_parse(_behind(FOLDER, text), base))
    if text.startswith(STDIO):
        command = _behind(STDIO, text)
        if command.startswith(FOLDER):
            return with_folder(_parse(STDIO + _behind(FOLDER, command), base))
        spec = _from_path(command, base) or _from_command(command, base)
        return replace(spec, kind=Kind.STDIO)
    house_bot = text in folders.names()
    # A folder of that name that holds no bot at all is in nobody's way.
    inside = None if house_bot and _empty_of_bots(base / text) else _from_path(text, base)
    if house_bot:
        house = from_folder(folders.find(text), house=True)
        if inside is not None and inside.folder is not None and inside.folder != house.folder:
            raise WrongUse(f"{text!r} is a house bot and a folder here: write builtin:{text} or mine=./{text}")
        return house
    return inside or _from_command(text, base)


def _behind(prefix: str, text: str) -> str:
    command = text.removeprefix(prefix).strip()
    if not command:
        raise WrongUse(f"{prefix!r} needs a command behind it, such as '{prefix}{EXAMPLES[prefix]}'")
    return command


EXAMPLES = {STDIO: "awk -f mybot.awk", FOLDER: "mybot.py"}


def with_folder(spec: BotSpec) -> BotSpec:
    """The same bot with everything in the folder of its file, which it may read."""
    if spec.folder is not None:
        return spec
    file = main_file(spec)
    if file is None:
        raise WrongUse("'folder:' brings the folder of a bot's file, and this command names no file: make a bot folder")
    folder = file.parent
    homes = [Path(os.path.expanduser("~")).resolve(), Path(tempfile.gettempdir()).resolve(), Path("/")]
    if any(folder in (home, *home.parents) for home in homes):
        raise WrongUse(f"'folder:' would show all of {folder} to the bot: put the bot into a folder of its own")
    return replace(spec, files=(*spec.files, folder))


def main_file(spec: BotSpec) -> Path | None:
    """The file that a lone file or a command is about: the first script it names, or its program if that is its own."""
    files = [path for path in spec.files if path.is_file()]
    return next((path for path in files if path.suffix in SCRIPTS), files[0] if files else None)


def from_folder(folder: BotFolder, *, house: bool = False) -> BotSpec:
    """A bot as its folder describes it."""
    path = folder.path.resolve()
    if folder.command:
        where = f"{path / 'bot.toml'}: 'command'"
        argv = _found(folder.command, path, where, in_folder=True, built=bool(folder.build))
    else:
        argv = _of_file(folder.main.resolve(), built=bool(folder.build))
    kind = Kind.STDIO if folder.kind == "stdio" else Kind.HOUSE if house and not folder.command else Kind.GRPC
    games = () if "*" in folder.games else folder.games
    memory = None if folder.memory is None else folder.memory << 20
    return BotSpec(
        folder.name,
        argv,
        kind,
        path,
        path,
        (),
        games,
        memory,
        folder.build,
        names=(folder.name,),
        imports=folder.imports,
    )


def _from_path(text: str, base: Path) -> BotSpec | None:
    """A bot that is a folder or a file; None if the text names neither."""
    path = Path(os.path.expanduser(text))
    path = path if path.is_absolute() else base / path
    if not _is_there(path):
        return None
    named, path = path.parent.resolve() / path.name, path.resolve()
    if path.is_file():
        known = names.suggested((path.name,), path)
        return BotSpec(known[0], _of_file(path), Kind.GRPC, base, files=(named,), names=known)
    if (path / "bot.toml").is_file():
        return from_folder(folders.read(path, anywhere=True))
    if (path / "bot.py").is_file():
        return BotSpec(names.clean(path.name), _of_file(path / "bot.py"), Kind.GRPC, path, folder=path)
    inner = [one.parent.name for name in ("bot.toml", "bot.py") for one in sorted(path.glob(f"*/{name}"))]
    hint = f"there is one in {Path(text) / inner[0]}" if inner else "'referee new' makes one"
    raise WrongUse(f"{text}: there is no bot in this folder, neither bot.toml nor bot.py ({hint})")


def _empty_of_bots(folder: Path) -> bool:
    return folder.is_dir() and not any((folder / name).exists() for name in ("bot.toml", "bot.py"))


def _from_command(text: str, base: Path) -> BotSpec:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise WrongUse(f"the command {text!r} cannot be read: {error}") from None
    if not words:
        raise WrongUse("a bot is missing: name a house bot, a bot folder, a Python file or a command")
    argv = _found(words, base, f"{text!r}")
    named = [base / word for word in argv[1:] if _means_a_file(word)]
    for path in named:
        if not _is_there(path):
            raise WrongUse(f"{text!r}: there is no file {path}")
    own = [Path(argv[0])] if base in Path(argv[0]).parents else []
    files = [path for word in argv[1:] if _is_there(path := base / word) and not _too_much(path, base)]
    known = names.suggested(words, named[0] if named else None)
    return BotSpec(known[0], argv, Kind.GRPC, base, files=tuple(dict.fromkeys([*own, *files])), names=known)


def _found(
    words: Sequence[str], base: Path, where: str, *, in_folder: bool = False, built: bool = False
) -> tuple[str, ...]:
    """The command with its program's full path; `built`: the program may come into being later."""
    program = words[0]
    if "/" in program:
        path = base / (program if in_folder else os.path.expanduser(program))
        if not path.exists() and not built:
            hint = f"; build it first: make -C {base} build" if in_folder and (base / "Makefile").is_file() else ""
            raise WrongUse(f"{where}: there is no program {path}{hint}")
        if path.is_dir() or (path.exists() and not os.access(path, os.X_OK)):
            raise WrongUse(
                f"{where}: {path} is not a program; make it one (chmod +x) or name its interpreter before it"
            )
        if (why := programs.trouble(path)) is not None:
            raise WrongUse(f"{where}: {why}")
        return (str(path), *words[1:])
    found = programs.on_path(program)
    if found is None:
        raise WrongUse(f"{where}: {_unknown(program, base, alone=len(words) == 1 and not in_folder)}")
    return (found, *words[1:])


def _unknown(word: str, base: Path, *, alone: bool) -> str:
    if _is_there(base / word):
        return f"there is no program {word!r} on the PATH; the one in {base} is meant by './{word}'"
    if not alone:
        return f"there is no program {word!r} on the PATH"
    known = folders.names()
    near = get_close_matches(word, known, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"house bots are: {', '.join(known)}"
    return f"this is neither a house bot nor a folder nor a program on the PATH; {hint}"


def _of_file(path: Path, *, built: bool = False) -> tuple[str, ...]:
    if path.suffix == ".py":
        return (sys.executable, str(path))
    if built and not path.exists():
        return (str(path),)
    if not os.access(path, os.X_OK):
        if path.suffix in ARCHIVES:
            raise WrongUse(f"{path} is an archive: unpack it and name the folder that holds bot.toml")
        runs = RUN_BY.get(path.suffix.lower())
        named = f": '{runs} {path.name}'" if runs else " before it"
        raise WrongUse(f"{path} is not a program; make it one (chmod +x) or name its interpreter{named}")
    if (why := programs.trouble(path)) is not None:
        raise WrongUse(f"{path}: {why}")
    return (str(path),)


def _means_a_file(word: str) -> bool:
    """`bot.js`, but not `--out=x.js` nor a whole script as in `sh -c 'cat | awk -f bot.awk'`."""
    return Path(word).suffix in SCRIPTS and not word.startswith("-") and not any(map(str.isspace, word))


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # far too long, or no path at all: part of a command
        return False


def _too_much(path: Path, base: Path) -> bool:
    """A word such as `.` or `..` names a place that holds more than the bot: it does not make it the bot's to read."""
    return path.resolve() == base or path.resolve() in base.parents
