"""The replay on a terminal: one step fills the screen, keys go forwards, backwards and from seat to seat.

`ScreenPosition` is where the viewer is and what a key does to that, without a terminal. `run` shows it: on the
alternate screen, redrawn when a key is pressed or the terminal changes its size, with the terminal put back as it was
found.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass

from referee.analysis.replay import PUBLIC, REVEALED, Perspective, Replay, perspectives
from referee.analysis.replay.text import heading, step_lines
from referee.cli.terminal import wants_ascii, wants_colour
from referee.rules.boards.text import clip, plural, to_ascii
from referee_leaderboard.keyboard import Keyboard

ENTER = "\x1b[?1049h\x1b[?25l"
LEAVE = "\x1b[?25h\x1b[?1049l"
LONGEST_NUMBER = 9
HELP = (
    "→ l n    next decision",
    "← h p    the one before",
    "home <   the first",
    "end >    the end of the match",
    "17 enter to decision 17 (from 0, as in the record)",
    "m        the next mistake, rejected answer or forfeit",
    "M        the one before",
    "s S      as the next seat saw it, the seat before",
    "u        as the public saw it",
    "r        everything revealed",
    "↑ ↓      scroll; space and page keys a screenful",
    "?        this help",
    "q        quit",
)
KEYS = (
    "← → step · m mistake · s seat · u public · r revealed · 17 enter go to · ? help · q quit",
    "← → step · m mistake · s u r view · ? help · q quit",
    "← → · ? help · q quit",
    "q quit",
)


@dataclass(slots=True)
class ScreenPosition:
    """Where in a replay the viewer is, and with whose eyes."""

    replay: Replay
    number: int = 0
    perspective: Perspective = REVEALED
    scroll: int = 0
    typed: str = ""
    """Digits of a number that is being typed."""
    help: bool = False
    said: str = ""
    """A word about the last key."""
    over: bool = False

    def press(self, key: str, page: int = 20, lines: int = 0) -> None:
        """What a key does; `page` is how many lines are shown of the step's `lines`."""
        self.said = ""
        if key.isdecimal() and len(self.typed) < LONGEST_NUMBER:
            self.typed += key
            return
        typed, self.typed = self.typed, ""
        if self.help:
            self.help = False
            self.over = key == "q"
            return
        last = len(self.replay) - 1
        if key == "backspace":
            self.typed = typed[:-1]
        elif key in ("enter", "g") and typed:
            self._go(int(typed))
        elif key in ("right", "l", "n", "enter"):
            self._go(self.number + 1)
        elif key in ("left", "h", "p"):
            self._go(self.number - 1)
        elif key in ("home", "<"):
            self._go(0)
        elif key in ("end", ">"):
            self._go(last)
        elif key == "m":
            self._trouble(self.replay.trouble_after(self.number), "after")
        elif key == "M":
            self._trouble(self.replay.trouble_before(self.number), "before")
        elif key in ("s", "S", "u", "r"):
            self._look(key)
        elif key in ("down", "j", "up", "k"):
            self._scroll(1 if key in ("down", "j") else -1, page, lines)
        elif key == "page down" and self.scroll >= lines - page:
            self._go(self.number + 1)
        elif key in ("page down", "page up"):
            self._scroll(page - 1 if key == "page down" else 1 - page, page, lines)
        elif key == "?":
            self.help = True
        elif key == "q":
            self.over = True

    def _go(self, number: int) -> None:
        last = len(self.replay) - 1
        if number > last:
            self.said = f"the match has {last} decisions" if number > last + 1 else "this is the end"
        elif number < 0:
            self.said = "this is the first decision"
        self.number = max(0, min(last, number))
        self.scroll = 0

    def _trouble(self, found: int | None, where: str) -> None:
        if found is None:
            self.said = f"no mistake, rejected answer or forfeit {where} this"
        else:
            self._go(found)

    def _look(self, key: str) -> None:
        """Another perspective: `s` and `S` go round the seats."""
        seats = perspectives(self.replay.match.players)[2:]
        if key in "ur":
            self.perspective = PUBLIC if key == "u" else REVEALED
        elif self.perspective not in seats:
            self.perspective = seats[0 if key == "s" else -1]
        else:
            self.perspective = seats[(seats.index(self.perspective) + (1 if key == "s" else -1)) % len(seats)]
        self.scroll = 0

    def _scroll(self, by: int, page: int, lines: int) -> None:
        self.scroll = max(0, min(self.scroll + by, lines - page))

    def screen(self, width: int, height: int, *, colour: bool = False, ascii: bool = False) -> tuple[list[str], int]:
        """What fills a terminal of this size, and how many lines the whole step has."""
        top = heading(self.replay.match, width, colour=colour, ascii=ascii)[:2]
        room = max(1, height - len(top) - 1)
        body = (
            [clip(line, width) for line in HELP]
            if self.help
            else step_lines(self.replay, self.number, self.perspective, width, colour=colour, ascii=ascii)
        )
        if ascii and self.help:
            body = [to_ascii(line) for line in body]
        first = max(0, min(self.scroll, len(body) - room))
        shown = body[first : first + room]
        more = len(body) - first - len(shown)
        lines = [*top, *shown, *[""] * (room - len(shown)), self._status(width, more, colour, ascii)]
        return lines[-height:] if len(lines) > height else lines, len(body)

    def _status(self, width: int, more: int, colour: bool, ascii: bool) -> str:
        where = f"{self.number}/{len(self.replay) - 1} {self.perspective.word}"
        if self.typed:
            where = f"go to {self.typed}"
        elif self.said:
            where = self.said
        elif more:
            where += f" · {plural(more, 'more line', 'more lines')} ↓"
        keys = next((text for text in KEYS if len(where) + 3 + len(text) <= width), "")
        text = clip(f"{where}   {keys}" if keys else where, width)
        text = to_ascii(text) if ascii else text
        return f"\x1b[7m{text}\x1b[0m" if colour else text


async def run(position: ScreenPosition) -> None:
    """Show the replay until the viewer leaves."""
    loop = asyncio.get_running_loop()
    over = asyncio.Event()
    colour, ascii = wants_colour(), wants_ascii()
    height, lines = 20, 0

    def draw() -> None:
        nonlocal height, lines
        width, height = shutil.get_terminal_size((80, 24))
        shown, lines = position.screen(width, height, colour=colour, ascii=ascii)
        sys.stdout.write("\x1b[H" + "\x1b[K\r\n".join(shown) + "\x1b[K\x1b[J")
        sys.stdout.flush()

    def pressed(key: str) -> None:
        position.press(key, max(1, height - 3), lines)
        if position.over:
            over.set()
        else:
            draw()

    def woken() -> None:
        sys.stdout.write(ENTER)
        draw()

    watched: list[signal.Signals] = []
    sys.stdout.write(ENTER)
    try:
        with Keyboard(pressed) as keyboard:
            with suppress(NotImplementedError, ValueError):  # not every platform has these signals
                for number, call in ((signal.SIGWINCH, draw), (signal.SIGCONT, woken)):
                    loop.add_signal_handler(number, call)
                    watched.append(number)
            draw()
            if keyboard.available:
                await over.wait()
    finally:
        for number in watched:
            loop.remove_signal_handler(number)
        sys.stdout.write(LEAVE)
        sys.stdout.flush()
