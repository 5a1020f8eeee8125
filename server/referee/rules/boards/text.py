"""Text in a terminal: display width, clipping, padding, wrapping, ANSI colours, and the same in ASCII.

Texts of a view and names of bots are strangers' texts. `clean` takes out what moves the cursor, changes colours,
turns the direction of writing or has no width of its own, so that a line is as wide as `columns` says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

ELLIPSIS = "…"

_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""Colours, movements of the cursor, titles of the window: sequences that a terminal obeys."""

_ASCII = str.maketrans(
    {
        **dict.fromkeys("─━╌╴╶–—−", "-"),
        **dict.fromkeys("│┃╎", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯", "+"),
        **dict.fromkeys("★✱✶", "*"),
        **dict.fromkeys("·•", "."),
        **dict.fromkeys("●■█▓", "#"),
        **dict.fromkeys("○□", "o"),
        **dict.fromkeys("▶▸→►›", ">"),
        **dict.fromkeys("◀◂←‹", "<"),
        **dict.fromkeys("↓▼", "v"),
        **dict.fromkeys("↑▲", "^"),
        **dict.fromkeys("“”«»", '"'),
        **dict.fromkeys("‘’", "'"),
        "═": "=",
        "░": ".",
        "♥": "h",
        "◆": "+",
        "✗": "x",
        "×": "x",
        "✓": "v",
        "…": "~",
        "±": "+",
    }
)
"""Signs that boards use, each with one of ASCII of the same width."""


def clean(text: str) -> str:
    """A stranger's text as one line of printable characters."""
    if text.isascii() and text.isprintable():
        return text
    return _clean(text)


@lru_cache(maxsize=1024)
def _clean(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for char in _SEQUENCE.sub("", text) if "\x1b" in text else text:
        kind = unicodedata.category(char)
        if kind in ("Mn", "Me"):
            # An accent belongs to the letter before it; more than two are an attempt to write over other lines.
            marks += 1
            if kept and marks <= 2 and not 0xFE00 <= ord(char) <= 0xFE0F:
                kept.append(char)
            continue
        marks = 0
        if kind in ("Cc", "Zl", "Zp"):
            if char in "\t\n\r\x0b\x0c\x85\u2028\u2029":
                kept.append(" ")
        elif kind in ("Cs", "Cn"):
            kept.append("\ufffd")
        elif kind != "Cf":
            kept.append(char)
    return "".join(kept)


def columns(text: str) -> int:
    """How many columns of a terminal this text takes: wide characters count two, combining ones none."""
    return len(text) if text.isascii() else _columns(text)


@lru_cache(maxsize=4096)
def _columns(text: str) -> int:
    return sum(map(_char_columns, text))


@lru_cache(maxsize=4096)
def _char_columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def clip(text: str, width: int) -> str:
    """The text, cut to this many columns; an ellipsis tells that something is missing."""
    if columns(text) <= width:
        return text
    if width <= 0:
        return ""
    kept: list[str] = []
    left = width - 1
    for char in text:
        left -= _char_columns(char)
        if left < 0:
            break
        kept.append(char)
    return "".join(kept) + ELLIPSIS


def pad(text: str, width: int, align: str = "<") -> str:
    """The text in exactly this many columns: `<` left, `>` right, `^` centred, cut if it is longer."""
    text = clip(text, width)
    free = width - columns(text)
    if align == ">":
        return " " * free + text
    if align == "^":
        return " " * (free // 2) + text + " " * (free - free // 2)
    return text + " " * free


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """The text in lines of at most this many columns, broken at spaces; lines after the first begin with `indent`."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        for piece in _pieces(word, max(1, width - columns(indent))):
            if not line or (line == indent and lines):
                line += piece
            elif columns(line) + 1 + columns(piece) <= width:
                line += " " + piece
            else:
                lines.append(line)
                line = indent + piece
    if line or not lines:
        lines.append(line)
    return lines


def _pieces(word: str, width: int) -> Iterator[str]:
    """A word, broken where it is longer than a line."""
    while columns(word) > width:
        taken, used = 0, 0
        while taken < len(word) and used + _char_columns(word[taken]) <= width:
            used += _char_columns(word[taken])
            taken += 1
        taken = max(1, taken)
        yield word[:taken]
        word = word[taken:]
    yield word


def to_ascii(text: str) -> str:
    """The text in ASCII, every character as wide as it was; letters lose their accents, unknown signs become `?`."""
    if text.isascii():
        return text
    text = text.translate(_ASCII)
    return text if text.isascii() else "".join(map(_ascii_char, text))


@lru_cache(maxsize=4096)
def _ascii_char(char: str) -> str:
    if char.isascii():
        return char
    wide = _char_columns(char)
    plain = "".join(part for part in unicodedata.normalize("NFKD", char) if part.isascii() and part.isprintable())
    return plain if len(plain) == wide else "?" * wide


def listed(words: Iterable[str]) -> str:
    """Words in a row: `a`, `a and b`, `a, b and c`."""
    items = list(words)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def plural(count: int, one: str, many: str = "") -> str:
    """A count with its noun: `1 card`, `3 cards`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
