"""A scenario file as text: its TOML, and on which line of the file every key and every script line stands.

The TOML parser of the standard library forgets where a value stood; a failing script line must be named by the line
an editor shows, so the file is scanned a second time for the places alone.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from referee.rules.files import read_bounded, read_toml
from referee.rules.game import Game
from referee.rules.spelling import brief

T = TypeVar("T")
KEYS = ("about", "game", "players", "options", "seed", "chance", "script")
LARGEST = 4 << 20
"""Bytes of a scenario file."""
_REQUIRED = object()


class ScenarioUnreadable(ValueError):
    """A file that is no scenario: which file, which line, and what to write instead."""

    def __init__(self, path: Path, line: int | None, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}" if line else f"{path}: {message}")
        self.path, self.line, self.message = path, line, message


class ScenarioFile:
    """The values of a scenario file and where they stand in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            raise ScenarioUnreadable(path, None, "this is a folder, not a scenario file")
        try:
            text = read_bounded(path, LARGEST, regular=True).decode("utf-8-sig")
        except FileNotFoundError:
            raise ScenarioUnreadable(path, None, "there is no such file") from None
        except OSError as error:
            raise ScenarioUnreadable(path, None, f"cannot be opened: {error.strerror}") from None
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            raise ScenarioUnreadable(path, line, "this is not UTF-8 text") from None
        text = text.replace("\r\n", "\n")
        try:
            self._values = read_toml(text)
        except tomllib.TOMLDecodeError as error:
            found = re.search(r" \(at line (\d+), column \d+\)$", str(error))
            line = int(found[1]) if found else text.count("\n") + 1
            message = str(error).removesuffix(found[0]) if found else str(error)
            raise ScenarioUnreadable(path, line, f"this is not TOML: {message}") from None
        self._places = dict(_places(text))
        self.script_lines: list[int] = []
        if ("script",) in self._places:
            line, written = self._places["script",]
            self.script_lines = list(_content_lines(line, written))

    def line_of(self, *keys: str) -> int:
        """The line of a key, or of the nearest table around it."""
        while keys:
            if keys in self._places:
                return self._places[keys][0]
            longer = [line for path, (line, _) in self._places.items() if path[: len(keys)] == keys]
            if longer:
                return min(longer)
            keys = keys[:-1]
        return 1

    def unreadable(self, message: str, *keys: str) -> ScenarioUnreadable:
        return ScenarioUnreadable(self.path, self.line_of(*keys), message)

    def refuse_unknown_keys(self) -> None:
        for key in self._values:
            if key not in KEYS:
                raise self.unreadable(f"unknown key {brief(key)}{_hint(key, KEYS)}", key)

    def take(self, key: str, kind: type[T], wanted: str, default: Any = _REQUIRED) -> T:
        """The value of a key, of the right kind."""
        if key not in self._values:
            if default is not _REQUIRED:
                result: T = default
                return result
            raise ScenarioUnreadable(self.path, None, f"the key '{key}' is missing; it wants {wanted}")
        value = self._values[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.unreadable(f"'{key}' must be {wanted}, not {brief(value)}", key)
        return value

    def take_chance(self, game: Game[Any]) -> dict[str, list[Any]]:
        """The scripted outcomes by label, of the shape that each label wants."""
        chance = self.take("chance", dict, "a table of outcomes by label", default={})
        for label, outcomes in chance.items():
            if label not in game.labels:
                message = f"unknown label {brief(label)} of chance{_hint(label, game.labels)}"
                raise self.unreadable(message, "chance", label)
            kind = game.labels[label].kind
            if not isinstance(outcomes, list):
                raise self.unreadable(f"chance.{label} must be a list, not {brief(outcomes)}", "chance", label)
            if kind == "orders" and not all(isinstance(order, list) for order in outcomes):
                raise self.unreadable(f"chance.{label} must be a list of lists, one per shuffle", "chance", label)
        return chance


def _hint(name: str, known: Any) -> str:
    near = get_close_matches(name, known, 1)
    return f"; did you mean '{near[0]}'?" if near else f"; there are: {', '.join(known) or 'none'}"


_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'|#[^\n]*|[\n\[\]{}=.,]'
    r"|[^\s\"'#\[\]{}=.,]+|[ \t]+",
    re.DOTALL,
)


def _places(text: str) -> Iterator[tuple[tuple[str, ...], tuple[int, str]]]:
    """Every key of a valid TOML text with its line and the first token of its value, as written."""
    line, depth = 1, 0
    table: tuple[str, ...] = ()
    keys: list[str] = []
    key_line, in_value, first = 1, False, ""
    for token in _TOKEN.findall(text):
        if token == "\n" and depth == 0:
            if in_value:
                yield (*table, *keys), (key_line, first)
            keys, in_value, first = [], False, ""
        elif token[0] in " \t#" or token in (".", ","):
            pass
        elif in_value:
            if not first:
                key_line, first = line, token
            depth += (token in "[{") - (token in "]}")
        elif token == "=":
            in_value = True
        elif token == "[":
            table = ()
            depth = 1
        elif token == "]":
            table, keys, depth = tuple(keys), [], 0
        else:
            keys.append(token.strip("\"'"))
            key_line = line
        line += token.count("\n")
    if in_value:
        yield (*table, *keys), (key_line, first)


def _content_lines(line: int, written: str) -> Iterator[int]:
    """For every line of a string's content, the line of the file it stands on."""
    quotes = written[:3] if written[:3] in ('"""', "'''") else written[:1]
    body = written[len(quotes) : -len(quotes)]
    if len(quotes) == 3 and body.startswith("\n"):  # TOML drops the line break right after the opening quotes
        body, line = body[1:], line + 1
    yield line
    for token in _BREAK.findall(body) if quotes[0] == '"' else re.findall("\n", body):
        line += token.count("\n")
        if token == "\n" or token[1:2] in ("n", "u", "U"):
            yield line


# What matters of an escaped text: line breaks, written out or as escapes, and the backslash that joins two lines. Any
# other escape is passed over in pairs, so that an escaped backslash is not taken for the start of one.
_BREAK = re.compile(r"\\n|\\u000[aA]|\\U0000000[aA]|\\[ \t]*\n\s*|\\[^nuU]|\n")
