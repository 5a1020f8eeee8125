"""The options of a game: what they are called, what they may be, and one clear sentence when they are not.

A resolved set of options is complete (defaults filled in) and plain JSON (files are read, not named), so that a record
replays anywhere.

Options may come from a stranger: a bot sends them over the network, a record holds them. What the reading of an option
promises:
- It opens no file, imports nothing and starts nothing by itself. Where a value may name a file, `files` reads it, and
  refuses where no file may be named (`referee.rules.files`).
- It takes about a millisecond at most whatever it is given: lengths are checked before contents.
- It raises nothing but ValueError.
- What it returns is checked throughout, so nothing in it is longer or deeper than the option allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from referee.rules.files import NO_FILES, Files
from referee.rules.spelling import brief, nearest


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its default, what it means, and how a given value is read.

    `read(value, files)` returns the checked value as plain JSON or raises ValueError with a sentence that begins
    with what the value must be; `files` is the only way to a file that the value names. `examples` are the values
    that the laws try.
    """

    default: Any
    about: str
    read: Callable[[Any, Files], Any]
    examples: tuple[Any, ...] = ()


def resolve(options: Mapping[str, Option], given: Mapping[str, Any], files: Files = NO_FILES) -> dict[str, Any]:
    """All options with their values; ValueError on an unknown name or a value that will not do."""
    if not isinstance(given, Mapping):
        raise ValueError(f"the options must be a table of names and values, not {brief(given)}")
    for name in given:
        if name not in options:
            near = nearest(name, options)
            known = ", ".join(sorted(options)) or "none"
            hint = f"; did you mean {near!r}?" if near else f" (known options: {known})"
            raise ValueError(f"unknown option {brief(name)}{hint}")
    resolved = {}
    for name, option in options.items():
        if name not in given:
            resolved[name] = option.default
            continue
        try:
            resolved[name] = option.read(given[name], files)
        except RecursionError:
            raise ValueError(f"option {name!r}: it is nested too deeply") from None
        except ValueError as error:
            raise ValueError(f"option {name!r}: {error}") from None
    return resolved


def choice(default: str, *others: str, about: str) -> Option:
    """An option that is one of a few words."""
    words = (default, *others)

    def read(value: Any, files: Files) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError(f"must be one of {', '.join(map(repr, words))}, not {brief(value)}")
        return value

    return Option(default, about, read, examples=words)


def whole(default: int, least: int, most: int, *, about: str, examples: tuple[int, ...] = ()) -> Option:
    """An option that is a whole number in a range."""

    def read(value: Any, files: Files) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"must be a whole number from {least} to {most}, not {brief(value)}")
        return value

    return Option(default, about, read, examples or (default,))
