"""Keys from a terminal, one at a time, with the terminal put back as it was found."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

try:
    import termios
    import tty
except ImportError:  # no POSIX terminals here: the screen works, without keys
    termios = None  # type: ignore[assignment]

_SEQUENCE = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b(?![\[O])|[^\x1b]", re.DOTALL)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
_NAMES = {
    b"\x1b[A": "up", b"\x1bOA": "up", b"\x1b[B": "down", b"\x1bOB": "down",
    b"\x1b[C": "right", b"\x1bOC": "right", b"\x1b[D": "left", b"\x1bOD": "left",
    b"\x1b[5~": "page up", b"\x1b[6~": "page down", b" ": "page down",
    b"\x1b[H": "home", b"\x1bOH": "home", b"\x1b[1~": "home", b"\x1b[F": "end", b"\x1bOF": "end", b"\x1b[4~": "end",
    b"\x03": "q", b"\x04": "q", b"\r": "enter", b"\n": "enter", b"\x7f": "backspace", b"\x08": "backspace",
}  # fmt: skip


def parse_keys(typed: bytes) -> tuple[list[str], bytes]:
    """The keys in what was typed, and the beginning of a key whose end has not arrived yet.

    A character key is itself, others are named (`up`, `page down`); keys without a use are passed over.
    """
    unfinished = _UNFINISHED.search(typed)
    whole, rest = (typed[: unfinished.start()], unfinished.group()) if unfinished else (typed, b"")
    keys = []
    for found in _SEQUENCE.findall(whole):
        if name := _NAMES.get(found):
            keys.append(name)
        elif len(found) == 1 and 0x21 <= found[0] <= 0x7E:
            keys.append(found.decode("ascii"))
    return keys, rest


class Keyboard:
    """A context in which every key reaches `pressed` at once and is not echoed.

    Where standard input is no terminal, or belongs to another program in the foreground, there are simply no keys:
    `available` says so. Ctrl-C and Ctrl-Z keep their meaning.
    """

    def __init__(self, pressed: Callable[[str], None], descriptor: int | None = None) -> None:
        self._pressed = pressed
        self._descriptor = _standard_input() if descriptor is None else descriptor
        self._before: list[Any] | None = None
        self._rest = b""

    @property
    def available(self) -> bool:
        """Whether keys can be read."""
        return self._before is not None

    def __enter__(self) -> Keyboard:
        if termios is None or self._descriptor is None or not _in_foreground(self._descriptor):
            return self
        try:
            self._before = termios.tcgetattr(self._descriptor)
            tty.setcbreak(self._descriptor, termios.TCSADRAIN)
            asyncio.get_running_loop().add_reader(self._descriptor, self._read)
        except (termios.error, OSError, NotImplementedError):  # the last from event loops that watch no descriptors
            self._restore()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()

    def _restore(self) -> None:
        if self._before is None or self._descriptor is None:
            return
        before, self._before = self._before, None
        asyncio.get_running_loop().remove_reader(self._descriptor)
        try:
            # What was typed meanwhile was meant for this screen, not for the shell.
            termios.tcsetattr(self._descriptor, termios.TCSAFLUSH, before)
        except (termios.error, OSError):
            return  # the terminal itself is gone

    def _read(self) -> None:
        if self._descriptor is None:
            return
        try:
            typed = os.read(self._descriptor, 1024)
        except OSError:
            typed = b""
        if not typed:
            # The terminal hung up: without this the loop would be woken forever.
            asyncio.get_running_loop().remove_reader(self._descriptor)
            return
        keys, self._rest = parse_keys(self._rest + typed)
        for key in keys:
            self._pressed(key)


def _standard_input() -> int | None:
    try:
        descriptor = sys.stdin.fileno()
    except (AttributeError, OSError, ValueError):
        return None
    return descriptor if os.isatty(descriptor) else None


def _in_foreground(descriptor: int) -> bool:
    # Changing the terminal from the background would stop the whole program.
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return False
