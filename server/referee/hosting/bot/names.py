"""Names of bots: the one that a person gives (`NAME=BOT`), the one that a command suggests, and telling them apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from referee import names as name_rule
from referee.rules.game import WrongUse

LONGEST_NAME = 32
GIVEN = re.compile(r"([^\W_][\w.-]*)=(.*)", re.DOTALL)
"""A name, an equals sign and a bot; a path with an equals sign begins with ./ or has a slash before it."""


def given(text: str) -> tuple[str, str]:
    """The name that a person has given a bot, and the bot; no name if there is none."""
    found = GIVEN.fullmatch(text)
    if found is None:
        return "", text
    name, bot = found[1], found[2].strip()
    if len(name) > LONGEST_NAME:
        raise WrongUse(f"the name {name[:LONGEST_NAME]}… is too long: a bot's name has at most {LONGEST_NAME} letters")
    if (why := name_rule.trouble(name, "a bot's name")) is not None:
        raise WrongUse(why)
    if not bot:
        raise WrongUse(f"{text!r} gives a name to no bot: write NAME=BOT, such as mine=mybot.py")
    return name, bot


def suggested(words: Sequence[str], file: Path | None) -> tuple[str, ...]:
    """Names for a bot that was given none, the shortest first: a file's name, with its ending, the whole command."""
    if file is None:
        return tuple(dict.fromkeys([clean(Path(words[0]).stem), _command(words)]))
    short = file.parent.name if file.stem == "bot" else file.stem
    return tuple(
        dict.fromkeys([clean(short), clean(file.name), clean(f"{file.parent.name}-{file.name}"), _command(words)])
    )


def telling(bots: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """A name for each bot, given its text and its names, the shortest first.

    Different bots whose short names are the same get longer ones, as far as these tell them apart.
    """
    short = [names[0] for _, names in bots]
    return [
        _longer(name, bots[seat], [bots[other] for other, one in enumerate(short) if one == name])
        for seat, name in enumerate(short)
    ]


def check_own(name: str, text: str, house: Iterable[str], is_it: Callable[[str], bool]) -> None:
    """WrongUse if a bot may not play under this name: it is no name, or looks like that of a house bot it is not.

    `house` are the names of all house bots, `is_it` tells whether this bot is that one.
    """
    advice = f"write NAME=BOT, such as mine={text.partition('=')[2] or text}"
    if (why := name_rule.trouble(name, "a bot's name")) is not None:
        raise WrongUse(f"{why}; {advice}")
    for other in house:
        if name_rule.alike(other, name) and not is_it(other):
            what = "is" if other == name else f"looks like {other},"
            raise WrongUse(f"{name} {what} the name of a house bot, which {text} is not: {advice}")


def check_apart(names: Sequence[str]) -> None:
    """WrongUse if two of these names can be taken for each other."""
    seen: dict[str, str] = {}
    for name in names:
        for looks in sorted(name_rule.skeletons(name)):
            other = seen.setdefault(looks, name)
            if other != name:
                raise WrongUse(f"{name} and {other} look alike: give one of them another name, NAME=BOT")


def _longer(short: str, bot: tuple[str, Sequence[str]], same: Sequence[tuple[str, Sequence[str]]]) -> str:
    """The shortest name of a bot under which it is no other of those with the same short name."""
    texts = {text for text, _ in same}
    for level in range(max(len(names) for _, names in same)):
        if len({_at(names, level) for _, names in same}) == len(texts):
            return _at(bot[1], level)
    return short


def _at(names: Sequence[str], level: int) -> str:
    return names[min(level, len(names) - 1)]


def clean(text: str) -> str:
    """A text as a name: letters, digits, dots, dashes and underscores."""
    return re.sub(r"[^\w.-]+|-{2,}", "-", text).strip("-.")[:LONGEST_NAME].rstrip("-.") or "bot"


def _command(words: Sequence[str]) -> str:
    return clean("-".join([Path(words[0]).name, *words[1:]]))
