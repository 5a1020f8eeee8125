"""Bot folders: where they are looked for, their `bot.toml`, and how a Python bot is loaded.

A bot folder holds `bot.toml` and the bot's files:

    name  = "cautious"           # of a house bot, the same as the folder
    games = ["flip7"]            # the games it plays, or ["*"] for every game
    main  = "bot.py"
    about = "Stays as soon as a bust is likelier than not"

A bot in another language says how it is started, and may say more:

    command = "node bot.js"      # instead of main; run in the folder
    kind    = "stdio"            # speaks JSON lines on stdin and stdout; "grpc" (the usual) connects with an SDK
    build   = "npm install"      # run once before the bot is started, in the sandbox and without network
    memory  = 512                # megabytes it may use
    imports = ["referee"]        # a Python bot that uses the rules of the games may import them in the sandbox

Places that hold bot folders are found through the entry point group `referee.bots`: each entry is a path or a callable
that returns one. The house bots are always there.
"""

from __future__ import annotations

import importlib.util
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from referee.rules.files import read_bounded, read_toml
from referee.rules.game import WrongUse
from referee.rules.spelling import brief, nearest

GROUP = "referee.bots"
NEEDED = ("name", "games", "about")
KEYS = (*NEEDED, "main", "command", "kind", "build", "memory", "imports")
KINDS = ("grpc", "stdio")
IMPORTS = ("referee",)
"""Packages of the referee's own that a bot may ask for; others are dependencies, which its build installs."""
LARGEST = 1 << 20
"""Bytes of a `bot.toml`."""
LEAST_MEMORY = 16
SHELL = {"&&", "||", "|", ";", "&", "<", ">", ">>"}
"""Words that only a shell understands."""


@dataclass(frozen=True, slots=True)
class BotFolder:
    """A bot as its folder describes it."""

    path: Path
    name: str
    games: tuple[str, ...]
    main: Path
    """The file that is started; of a bot with a command, the folder's `bot.toml`."""
    about: str
    command: tuple[str, ...] = ()
    kind: str = "grpc"
    build: tuple[str, ...] = ()
    memory: int | None = None
    """Megabytes it asks for; None: whatever is usual."""
    imports: tuple[str, ...] = ()
    """Packages of the referee's own that it may import in the sandbox."""

    def plays(self, game: str) -> bool:
        return game in self.games or "*" in self.games

    @property
    def inside(self) -> bool:
        """Whether it can play inside this process (`load`), or only as a program of its own."""
        return self.main.suffix == ".py" and self.kind == "grpc"


def house() -> Path:
    """The folder of the house bots: in the package when installed, `bots/` in a checkout."""
    package = Path(__file__).resolve().parents[2]
    installed = package / "house"
    return installed if installed.is_dir() else package.parents[1] / "bots"


def names(game: str | None = None, *, inside: bool = False) -> list[str]:
    """The names of all bots, or of those that play a game, in alphabetical order; `inside`: in this process."""
    found = set()
    for name, path in _all():
        if game is not None or inside:
            folder = read(path)
            if (game is not None and not folder.plays(game)) or (inside and not folder.inside):
                continue
        found.add(name)
    return sorted(found)


def find(name: str, game: str | None = None) -> BotFolder:
    """The bot of that name, or `WrongUse` with the nearest name there is; with `game`, one that plays it."""
    for known, path in _all():
        if known == name:
            folder = read(path)
            if game is not None and not folder.plays(game):
                raise WrongUse(f"the bot {name!r} does not play {game}; it plays {', '.join(folder.games)}")
            return folder
    known_names = sorted({*names(game), "random"})
    near = nearest(name, known_names)
    hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(known_names)}"
    raise WrongUse(f"unknown bot {brief(name)}; {hint}")


def read(path: Path, *, anywhere: bool = False) -> BotFolder:
    """The bot of a folder, its `bot.toml` checked; `WrongUse` says what is wrong with it.

    House bots are found by their folders' names; `anywhere` else a folder may be called as it likes, for archives are
    unpacked to names such as mybot-main.
    """
    try:
        seen = (path / "bot.toml").stat()
    except OSError as error:
        raise WrongUse(f"{path / 'bot.toml'}: cannot be read: {error.strerror}") from None
    return _read(path, anywhere, (seen.st_mtime_ns, seen.st_size, seen.st_ino))


@lru_cache(maxsize=1024)
def _read(path: Path, anywhere: bool, state: tuple[int, int, int]) -> BotFolder:
    """The same, once per state of the file: a field of hundreds of bots is often a few folders, each entered often."""
    file = path / "bot.toml"
    try:
        # Some editors write a mark at the beginning.
        values = read_toml(read_bounded(file, LARGEST, regular=True).decode("utf-8-sig"))
    except OSError as error:
        raise WrongUse(f"{file}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # no TOML, or no UTF-8
        raise WrongUse(f"{file}: this is not TOML: {error}") from None
    for key in values:
        if key not in KEYS:
            near = nearest(key, KEYS)
            hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(KEYS)}"
            raise WrongUse(f"{file}: unknown key {brief(key)}; {hint}")
    for key in NEEDED:
        if key not in values:
            raise WrongUse(f"{file}: the key {key!r} is missing")
    for key in ("name", "main", "about"):
        if key in values and (not isinstance(values[key], str) or not values[key].strip()):
            raise WrongUse(f"{file}: {key!r} must be a text, not {brief(values[key])}")
    games = values["games"]
    if not isinstance(games, list) or not games or not all(isinstance(game, str) for game in games):
        raise WrongUse(f"{file}: 'games' must be a list of names such as [\"flip7\"], not {brief(games)}")
    if not anywhere and values["name"] != path.resolve().name:
        raise WrongUse(f"{file}: 'name' is {brief(values['name'])} but the folder is called {path.resolve().name!r}")
    if ("main" in values) == ("command" in values):
        raise WrongUse(f"{file}: give either 'main', a Python file or a program, or 'command', how the bot is started")
    kind = values.get("kind", "grpc")
    if kind not in KINDS:
        raise WrongUse(f"{file}: 'kind' is {' or '.join(repr(known) for known in KINDS)}, not {brief(kind)}")
    memory = values.get("memory")
    if memory is not None and (not isinstance(memory, int) or isinstance(memory, bool) or memory < LEAST_MEMORY):
        raise WrongUse(f"{file}: 'memory' is a whole number of megabytes, {LEAST_MEMORY} or more, not {brief(memory)}")
    main = file
    if "main" in values:
        main = path / values["main"].replace("\0", "")
        try:
            there = main.is_file() or ("build" in values and not main.exists())  # a build may make it
        except OSError:  # no file can have such a name
            there = False
        if not there or path.resolve() not in main.resolve().parents:
            raise WrongUse(f"{file}: 'main' names {brief(values['main'])}, which is not a file in this folder")
    command, build = _words(file, "command", values), _words(file, "build", values)
    imports = _imports(file, values)
    return BotFolder(path, values["name"], tuple(games), main, values["about"], command, kind, build, memory, imports)


def _imports(file: Path, values: dict[str, Any]) -> tuple[str, ...]:
    """What a bot asks for by `imports`."""
    value = values.get("imports", [])
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise WrongUse(f"{file}: 'imports' must be a list such as [\"referee\"], not {brief(value)}")
    for name in value:
        if name not in IMPORTS:
            raise WrongUse(
                f"{file}: 'imports' is for the referee's own packages ({', '.join(IMPORTS)}), not {name!r}: "
                "what else a bot needs, its build installs into its folder"
            )
    return tuple(dict.fromkeys(value))


def _words(file: Path, key: str, values: dict[str, Any]) -> tuple[str, ...]:
    """A command line, written as one text or as a list of words."""
    value = values.get(key, [])
    if isinstance(value, str):
        try:
            value = shlex.split(value)
        except ValueError as error:
            raise WrongUse(f"{file}: {key!r} cannot be read: {error}") from None
        if not value:
            raise WrongUse(f"{file}: {key!r} is empty")
        if operators := sorted(SHELL & set(value)):
            raise WrongUse(
                f"{file}: {key!r} is one command, and no shell reads it: for {operators[0]!r} write \"sh -c '…'\", "
                "or call a script"
            )
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value) or (key in values and not value):
        raise WrongUse(f'{file}: {key!r} is a command line such as "node bot.js", not {brief(value)}')
    if any("\0" in word for word in value) or (value and not value[0].strip()):
        raise WrongUse(f"{file}: {key!r} begins with no program, or holds a zero byte")
    return tuple(value)


def check_inside(folder: BotFolder) -> None:
    """WrongUse if this bot cannot play in the referee's own process."""
    if not folder.inside:
        started = " ".join(folder.command) or folder.main.name
        raise WrongUse(
            f"the bot {folder.name!r} is a program of its own ({started}) and cannot play in this process: "
            "let it connect ('referee bridge'), or use 'referee run'"
        )


def load(folder: BotFolder) -> Any:
    """The bot itself, from its Python file: its class `Bot` or its function `decide`."""
    check_inside(folder)
    try:
        module = run_file(f"referee_bot_{folder.name}", folder.main, folder.path)
    except (Exception, SystemExit) as error:
        raise WrongUse(f"the bot {folder.name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    bot = getattr(module, "Bot", None) or getattr(module, "decide", None)
    if not callable(bot):
        raise WrongUse(f"{folder.main}: there is neither a function decide(decision) nor a class Bot")
    return bot


def run_file(name: str, file: Path, folder: Path) -> ModuleType:
    """A Python file as a module of that name; it may import the other files of its bot's folder."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
    return module


def _places() -> Iterator[Path]:
    """Every folder of bot folders, each once, the house first."""
    seen = set()
    for place in (house(), *_registered()):
        if place.resolve() not in seen:
            seen.add(place.resolve())
            yield place


def _registered() -> Iterator[Path]:
    for entry in _installed(tuple(sys.path)):
        try:
            value = entry.load()
            yield Path(value() if callable(value) else value)
        except Exception as error:  # whatever a third party's module does, a person gets one sentence
            raise WrongUse(f"the bots {entry.name!r} cannot be found through {entry.value}: {error}") from error


@lru_cache(maxsize=4)
def _installed(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """What is installed where Python looks for modules; looked up once, for any bot may name a bot that is not."""
    return tuple(sorted(entry_points(group=GROUP), key=lambda entry: entry.name))


def _all() -> Iterator[tuple[str, Path]]:
    for place in _places():
        if place.is_dir():
            for path in sorted(place.iterdir()):
                if (path / "bot.toml").is_file():
                    yield path.name, path
