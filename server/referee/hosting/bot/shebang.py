"""The first line of a script (`#!`, the shebang): which program runs it, read as the kernel and `env` read it.

The line is the author's text. It is read here only to find the program; whether that program may be had is decided
elsewhere (`sandbox/toolchains.py`), by what the host has.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

LONGEST = 256
"""Bytes of a file that the kernel looks at."""
ALONE = {"i", "v", "0"}
"""Options of env without a word of their own: an empty environment, more to read, an end for listings."""
WITH_WORD = {"u", "C", "a"}
"""Options of env that take a word: a variable to forget, a folder to go to, another name for the program."""
LONG_ALONE = {"ignore-environment", "debug", "null", "list-signal-handling"}
LONG_OPTIONAL = {"default-signal", "ignore-signal", "block-signal"}
"""Options that take a word only behind `=`."""
LONG_WITH_WORD = {"unset": "u", "chdir": "C", "argv0": "a"}
SPLIT, LONG_SPLIT = "S", "split-string"
SPECIAL = set("\\$'\"#")
"""Letters that `env -S` gives a meaning of its own."""


class UnreadableShebang(ValueError):
    """The line cannot be followed: says why, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """What a script runs on."""

    program: str
    """A path, or, if `by_name`, a name to be looked up on the PATH."""
    by_name: bool = False
    folder: str = ""
    """Where env goes before it starts the program; a relative path is meant from there."""


def read(path: Path) -> Interpreter | None:
    """What runs a script, as its first line says; None for anything that is no script."""
    line = first_line(path)
    if line is None:
        return None
    program, _, rest = line.strip(b" \t").replace(b"\t", b" ").partition(b" ")
    if not program:
        raise UnreadableShebang("its first line names no program")
    if os.path.dirname(program) in (b"/usr/bin", b"/bin") and os.path.basename(program) == b"env":
        return _of_env(rest.strip(b" "))
    return Interpreter(_text(program))


def first_line(path: Path) -> bytes | None:
    """What stands behind `#!`; None if there is no such line, or no such file."""
    try:
        # Opened without waiting: what looks like a script may be a pipe that no process ever writes to.
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        head = os.read(file, LONGEST) if stat.S_ISREG(os.fstat(file).st_mode) else b""
    except OSError:
        return None
    finally:
        os.close(file)
    if not head.startswith(b"#!"):
        return None
    line, end, _ = head[2:].partition(b"\n")
    if b"\0" in line or (not end and len(head) == LONGEST):
        raise UnreadableShebang(f"its first line is longer than {LONGEST} bytes, or holds a zero byte")
    return line


def _of_env(argument: bytes) -> Interpreter:
    """The program behind `env`. The kernel hands all the rest of the line to it as one word, which `-S` splits."""
    word = _text(argument)
    split = _to_be_split(word)
    words = [word] if split is None else [_text(one) for one in split.encode().split()]
    folder, given = "", iter(words)
    for one in given:
        if split is not None and SPECIAL & set(one):
            raise UnreadableShebang(
                "its first line has quotes or other signs of 'env -S' before the program: write it plainly"
            )
        if one == "--":
            one = next(given, "")
        elif one == "-":
            continue
        elif one.startswith("-"):
            letter, value = _option(one)
            if letter in WITH_WORD and value is None:
                value = next(given, None)
                if value is None:
                    raise UnreadableShebang(f"its first line has nothing behind {one!r}")
            folder = os.path.join(folder, value) if letter == "C" and value else folder
            continue
        elif "=" in one:
            continue
        return _program(one, folder, split is None)
    raise UnreadableShebang("its first line names no program for 'env' to start")


def _program(word: str, folder: str, whole: bool) -> Interpreter:
    if not word or word in (".", ".."):
        raise UnreadableShebang("its first line names no program for 'env' to start")
    if whole and any(letter.isspace() for letter in word):
        raise UnreadableShebang(f"'env' takes {word!r} for the name of one program: write '#!/usr/bin/env -S {word}'")
    return Interpreter(word, "/" not in word, folder)


def _to_be_split(word: str) -> str | None:
    """What stands behind `-S` (perhaps after other letters) or `--split-string=`; None if nothing is to be split."""
    if word.startswith(f"--{LONG_SPLIT}="):
        return word.partition("=")[2]
    if word.startswith("-") and not word.startswith("--"):
        letters = word[1:].partition(SPLIT)
        if letters[1] and set(letters[0]) <= ALONE:
            return letters[2]
    return None


def _option(word: str) -> tuple[str, str | None]:
    """The letter of an option of env, and its word if that is joined to it."""
    if word.startswith("--"):
        name, joined, value = word[2:].partition("=")
        if name in LONG_WITH_WORD:
            return LONG_WITH_WORD[name], value if joined else None
        if name in LONG_OPTIONAL or (name in LONG_ALONE and not joined):
            return "", None
    else:
        for place, letter in enumerate(word[1:], 2):
            if letter in WITH_WORD:
                return letter, word[place:] or None
            if letter not in ALONE:
                break
        else:
            return "", None
    raise UnreadableShebang(f"its first line gives 'env' the option {word!r}, which is not understood here")


def _text(words: bytes) -> str:
    """Never what could not be printed or stored: a path that is no UTF-8 is then simply not found."""
    return words.decode("utf-8", "replace")
