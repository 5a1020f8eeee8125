"""Advice for authors: what a program's end and its last words tell about a bot that was named or packed wrongly.

Three mistakes look like crashes of the program and are none. It speaks JSON lines but was named without `stdio:`. A
file beside it was left outside the sandbox. A package that it imports is not there. An end with exit code 0 in the
middle of a match looks like none and is one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from referee.hosting.bot import names
from referee.hosting.bot.spec import FOLDER, SCRIPTS, STDIO, BotSpec, Kind, main_file
from referee.rules.spelling import printable

MISSING = re.compile(
    r"No module named|cannot open|can't open|could not open|No such file|not found|Cannot find|cannot load such file|"
    r"Can't locate|Failed to open|does not exist|cannot access|ENOENT|ClassNotFound|NoClassDef|FileNotFound",
    re.IGNORECASE,
)
"""What programs write when a file or a module is not there."""
MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
BY_ITSELF = "It ended by itself while it was wanted: look for what calls exit, or lets main return"
MOST_NEIGHBOURS = 1000
LONGEST_SCRIPT = 1 << 16
NAMED = 3


def after_exit(spec: BotSpec, code: int, lines: list[str], *, sandboxed: bool, arrived: bool) -> str:
    """One or two sentences for the author of a program that ended; nothing if there is nothing to say."""
    missing = [line for line in lines if MISSING.search(line)]
    if sandboxed and missing:
        if left := _left_outside(spec, missing):
            return left
        if lacks := _module(spec, missing):
            return lacks
    if spec.kind is not Kind.STDIO and not arrived and (code == 0 or _should_be_lines(spec)):
        return named_as_lines(spec)
    return BY_ITSELF if arrived and code == 0 else ""


def named_as_lines(spec: BotSpec) -> str:
    """How a bot is named that speaks JSON lines."""
    sure = "It seems to speak JSON lines:" if _reads_lines(spec) else "If it speaks JSON lines,"
    if spec.folder is not None and (spec.folder / "bot.toml").is_file():
        return f'{sure} write kind = "stdio" into {spec.folder / "bot.toml"}'
    return f"{sure} write stdio: before it: '{_named(spec, STDIO)}'"


def _left_outside(spec: BotSpec, missing: list[str]) -> str:
    """What lies beside a lone file, is missed by it, and is not shown in the sandbox."""
    file = main_file(spec)
    if spec.folder is not None or file is None or file.parent in spec.files:
        return ""
    places = dict.fromkeys([file.parent, spec.cwd])
    words = {word for line in missing for word in re.findall(r"[\w.-]+", line)}
    words |= {part for word in words for part in word.split(".")}
    beside = [one for place in places for one in _entries(place) if one not in spec.files]
    missed = [one for one in beside if {one.name, one.stem} & words]
    if not missed:
        return ""
    if _should_be_lines(spec):
        spec = replace(spec, text=_named(spec, STDIO))
    shown = ", ".join(printable(one.name) for one in missed[:NAMED]) + (" …" if len(missed) > NAMED else "")
    return (
        f"In the sandbox a lone file is alone: {shown} beside {file.name} was left outside. "
        f"Name the bot '{_named(spec, FOLDER)}' to bring all of {file.parent}, or make a bot folder (bot.toml)"
    )


def _module(spec: BotSpec, missing: list[str]) -> str:
    """A package of Python that is neither the bot's nor installed for bots."""
    found = [one[1].partition(".")[0] for line in missing if (one := MODULE.search(line))]
    if not found:
        return ""
    file = main_file(spec)
    if found[-1] == "arena" and spec.folder is None and file is not None and len(spec.argv) > 1:
        name, bot = names.given(spec.text or " ".join(spec.argv))
        alone = next((word for word in bot.split() if Path(word).name == file.name), str(file))
        return (
            f"The Python that was named has no SDK of Referee's: name the bot by its file alone, "
            f"'{f'{name}=' if name else ''}{alone}', and it runs with one that has it"
        )
    if found[-1] == "referee":
        return 'A bot may import the rules if its bot.toml says imports = ["referee"]'
    return (
        f"The Python of hosted bots has no package {found[-1]!r}: list it in requirements.txt, and let "
        "'build' in bot.toml install it into the bot's folder (bots/README.md tells how)"
    )


def _should_be_lines(spec: BotSpec) -> bool:
    return spec.kind is not Kind.STDIO and _reads_lines(spec)


def _named(spec: BotSpec, prefix: str) -> str:
    """How a person names the bot, with a prefix; behind the name that it was given."""
    name, bot = names.given(spec.text or " ".join(spec.argv))
    return f"{name}={prefix}{bot}" if name else f"{prefix}{bot}"


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())[:MOST_NEIGHBOURS]
    except OSError:
        return []


def _reads_lines(spec: BotSpec) -> bool:
    """Whether its script looks like a program for JSON lines: it reads stdin, and knows the words of an answer."""
    words = [Path(word) if Path(word).is_absolute() else spec.cwd / word for word in spec.argv]
    for path in words:
        try:
            if path.suffix not in SCRIPTS or not path.is_file():
                continue
            with path.open("rb") as file:
                text = file.read(LONGEST_SCRIPT).decode("utf-8", "replace")
        except (OSError, ValueError):
            continue
        if "decision" in text and "move" in text and "arena" not in text and "REFEREE_" not in text:
            return (
                re.search(r"stdin|readline|\bread\b|\bgets\b|<>|io\.lines|io\.read|fgets", text, re.IGNORECASE)
                is not None
            )
    return False
