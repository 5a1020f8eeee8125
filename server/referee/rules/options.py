"""The options of a game: what they are called, what they may be, and one clear sentence when they are not.

A resolved set of options is complete (defaults filled in) and plain JSON (files are read, not named), so that a record
replays anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its default, what it means, and how a given value is read.

    `read(value, base)` returns the checked value as plain JSON or raises ValueError with a sentence that begins
    with what the value must be; `base` is the folder that file names are relative to. `examples` are the values
    that the laws try.
    """

    default: Any
    about: str
    read: Callable[[Any, Path | None], Any]
    examples: tuple[Any, ...] = ()


def resolve(options: Mapping[str, Option], given: Mapping[str, Any], base: Path | None) -> dict[str, Any]:
    """All options with their values; ValueError on an unknown name or a value that will not do."""
    for name in given:
        if name not in options:
            near = get_close_matches(name, options, 1)
            known = ", ".join(sorted(options)) or "none"
            hint = f"; did you mean {near[0]!r}?" if near else f" (known options: {known})"
            raise ValueError(f"unknown option {name!r}{hint}")
    resolved = {}
    for name, option in options.items():
        if name not in given:
            resolved[name] = option.default
            continue
        try:
            resolved[name] = option.read(given[name], base)
        except ValueError as error:
            raise ValueError(f"option {name!r}: {error}") from None
    return resolved


def choice(default: str, *others: str, about: str) -> Option:
    """An option that is one of a few words."""
    words = (default, *others)

    def read(value: Any, base: Path | None) -> str:
        if value not in words or not isinstance(value, str):
            raise ValueError(f"must be one of {', '.join(map(repr, words))}, not {value!r}")
        return value

    return Option(default, about, read, examples=words)


def whole(default: int, least: int, most: int, *, about: str, examples: tuple[int, ...] = ()) -> Option:
    """An option that is a whole number in a range."""

    def read(value: Any, base: Path | None) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ValueError(f"must be a whole number from {least} to {most}, not {value!r}")
        return value

    return Option(default, about, read, examples or (default,))
