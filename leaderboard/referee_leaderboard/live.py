"""The live leaderboard on a terminal: follows a feed, obeys keys, and leaves the terminal as it found it.

Where there is no terminal the same `watch` writes a line of progress now and then and the final table at the end.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterable, Callable
from contextlib import ExitStack, suppress
from functools import partial

from rich.cells import cell_len
from rich.console import Console
from rich.control import Control

from referee_leaderboard.connection import Connection
from referee_leaderboard.drawing.header import plain_progress_line
from referee_leaderboard.feed import Event
from referee_leaderboard.keyboard import Keyboard
from referee_leaderboard.names import clean, widest
from referee_leaderboard.screen import Screen, View, final_table, render
from referee_leaderboard.sheet import Sheet, line
from referee_leaderboard.standings import Standings, State

REDRAW_PAUSE = 0.1
"""Seconds between two redraws at least; more where drawing is slow."""
REDRAW_PAUSE_MOST = 0.5
TICK = 1.0
LOG_PAUSE = 5.0
"""Seconds between two lines of progress where there is no terminal."""

_VIEW_KEYS: dict[str, View] = {
    "1": "table", "t": "table", "2": "crosstable", "c": "crosstable", "3": "seats", "s": "seats",
    "4": "strengths", "p": "strengths", "5": "format", "f": "format",
}  # fmt: skip
_SHORT_HELP = (
    "1 table · 2 crosstable · 3 seats · 4 strengths · ↑↓ scroll · ? more · q quit",
    "1 2 3 4 views · ? more · q quit",
    "q quit",
)
"""The keys, for screens less and less wide: how to leave is said on every one."""
_LONG_HELP = (
    "t c s p views · j k ↑ ↓ PgUp PgDn Home End rows · ← → columns · score = μ − 3σ · q quit",
    "t c s p · j k PgUp PgDn Home End · ← → · score = μ − 3σ · q quit",
    "t c s p · j k ↑↓ · ← → · q quit",
    "q quit",
)
_SHORT_HELP_DRAWN = (
    "1 table · 2 crosstable · 3 seats · 4 strengths · 5 rounds · ? more · q quit",
    "1 2 3 4 5 views · ? more · q quit",
    "q quit",
)
"""The same where a format draws rounds, which have a view of their own."""


async def watch(
    feed: AsyncIterable[Event],
    console: Console | None = None,
    keys: bool = True,
    *,
    linger: bool = False,
    final: bool = True,
) -> None:
    """Show the feed until it ends or q is pressed, then print the final table on the normal screen.

    With `linger` the screen stays after the end of the feed until q: for a wall. Without `final` no table is left
    behind: for a program that prints its own. An error in the feed is raised again once the terminal is restored; so is
    the cancellation that Ctrl-C brings.
    """
    console = console or Console()
    if console.is_terminal and not console.is_dumb_terminal:
        await LiveScreen(console, keys, linger, final).run(feed)
    else:
        await _log(feed, console, final)


class LiveScreen:
    """One showing of a feed on a terminal."""

    def __init__(self, console: Console, keys: bool = True, linger: bool = False, final: bool = True) -> None:
        self.console = console
        self.view: View = "table"
        self.offset = self.across = 0
        self.standings: Standings | None = None
        self.connection = Connection()
        self._linger = linger
        self._final = final
        self._help = False
        self._over = False
        self._killed: signal.Signals | None = None
        self._changed = asyncio.Event()
        self._heard = self._connection_heard = 0.0
        self._shown: Screen | None = None
        self._size = (0, 0)
        self._terminal = _Terminal(console, self.press if keys else None)

    async def run(self, feed: AsyncIterable[Event]) -> None:
        """Show the feed to its end; the terminal is restored in any case."""
        follower = asyncio.create_task(self._follow(feed))
        try:
            with ExitStack() as undo:
                self._catch_signals(undo)
                undo.callback(self._terminal.leave)
                self._terminal.enter()
                await self._show()
            if follower.done():
                await follower
        finally:
            follower.cancel()
            await asyncio.wait([follower])
            if self._final and self.standings is not None:
                with suppress(OSError):
                    _print_final(self.console, self.standings)
        if self._killed is not None:
            # The terminal is sane again; now the signal does what it would have done without this screen.
            os.kill(os.getpid(), self._killed)

    def press(self, key: str) -> None:
        """Obey a key; unknown keys do nothing."""
        page = max(1, self._shown.rows.end - self._shown.rows.first - 1) if self._shown else 1
        steps = {
            "down": 1,
            "j": 1,
            "up": -1,
            "k": -1,
            "page down": page,
            "page up": -page,
            "home": -(10**9),
            "g": -(10**9),
        }
        if key == "q":
            self._over = True
        elif key in _VIEW_KEYS:
            self.view, self.offset, self.across = _VIEW_KEYS[key], 0, 0
        elif key in ("end", "G"):
            self.offset = 10**9
        elif key in steps:
            self.offset = max(0, self.offset + steps[key])
        elif key in ("left", "right"):
            self.across = max(0, self.across + (1 if key == "right" else -1))
        elif key == "?":
            self._help = not self._help
        else:
            return
        self._settle()
        self._changed.set()

    async def _follow(self, feed: AsyncIterable[Event]) -> None:
        clock = asyncio.get_running_loop().time
        try:
            async for event in feed:
                if isinstance(event, Connection):
                    self.connection, self._connection_heard = event, clock()
                else:
                    self.standings, self._heard = event, clock()
                self._changed.set()
        except BaseException:
            self._over = True
            raise
        finally:
            self._over = self._over or not self._linger
            self._changed.set()

    async def _show(self) -> None:
        clock = asyncio.get_running_loop().time
        while not self._over:
            self._changed.clear()
            begun = clock()
            self._draw()
            # The loop may be playing matches too: drawing takes a tenth of its time at most.
            pause = min(REDRAW_PAUSE_MOST, max(REDRAW_PAUSE, 9 * (clock() - begun)))
            await asyncio.sleep(pause)
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK - pause if self._clock_runs() else None):
                    await self._changed.wait()

    def _clock_runs(self) -> bool:
        running = self.standings is not None and self.standings.state is State.RUNNING
        return running or not self.connection.alive or not self._terminal.tells_size

    def _draw(self) -> None:
        size = self._terminal.size()
        if size != self._size:
            self._size = self.console.size = size
            self.console.control(Control.clear(), Control.home())
        self._settle()
        if self._shown is not None:
            self.console.update_screen(self._shown)
        else:
            words = self.connection.sentence or "Waiting for the first standings"
            self.console.update_screen(Sheet([line((clean(words), "italic"))], *size))

    def _settle(self) -> None:
        """Draw the current state into memory, which also brings an offset that went too far back to the last page."""
        if self.standings is None or self._size == (0, 0):
            return
        now = asyncio.get_running_loop().time()
        # While the server is gone the clocks of what was last known stand still.
        standings = self.standings.after(now - self._heard) if self.connection.alive else self.standings
        connection = self.connection.after(now - self._connection_heard)
        short = _SHORT_HELP_DRAWN if standings.format.name else _SHORT_HELP
        footer = widest(_LONG_HELP if self._help else short, self._size[0]) if self._terminal.has_keys else ""
        self._shown = render(
            standings, self.view, *self._size, connection, offset=self.offset, across=self.across, footer=footer
        )
        self.offset, self.across = self._shown.rows.first, self._shown.columns.first

    def _catch_signals(self, undo: ExitStack) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        wanted: dict[str, Callable[[], None]] = {
            "SIGWINCH": self._changed.set,
            "SIGTSTP": self._suspend,
            "SIGTERM": partial(self._kill, "SIGTERM"),
            "SIGHUP": partial(self._kill, "SIGHUP"),
        }
        loop = asyncio.get_running_loop()
        for name, act in wanted.items():
            number = getattr(signal, name, None)
            # A program that handles a signal itself knows better; it cancels this screen when it wants to end.
            if number is None or signal.getsignal(number) not in (signal.SIG_DFL, None):
                continue
            with suppress(NotImplementedError):  # raised by event loops without signals, as on Windows
                loop.add_signal_handler(number, act)
                undo.callback(loop.remove_signal_handler, number)
                self._terminal.tells_size |= name == "SIGWINCH"

    def _kill(self, name: str) -> None:
        self._killed, self._over = signal.Signals[name], True
        self._changed.set()

    def _suspend(self) -> None:
        self._terminal.leave()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._size = (0, 0)
        self._terminal.enter()
        self._changed.set()


class _Terminal:
    """The alternate screen, the hidden cursor and the keyboard, entered and left together."""

    def __init__(self, console: Console, pressed: Callable[[str], None] | None) -> None:
        self._console = console
        self._pressed = pressed
        self._undo: ExitStack | None = None
        self.has_keys = False
        self.tells_size = False

    def enter(self) -> None:
        self._undo = ExitStack()
        self._undo.enter_context(self._console.screen(hide_cursor=True))
        if self._pressed is not None:
            self.has_keys = self._undo.enter_context(Keyboard(self._pressed)).available

    def leave(self) -> None:
        undo, self._undo = self._undo, None
        if undo is not None:
            with suppress(OSError):  # a terminal that hung up cannot be restored
                undo.close()

    def size(self) -> tuple[int, int]:
        """Asked of the terminal itself: COLUMNS and LINES do not follow a resize."""
        with suppress(AttributeError, OSError, ValueError):
            width, height = os.get_terminal_size(self._console.file.fileno())
            if width > 0 and height > 0:
                return width, height
        return self._console.size.width, self._console.size.height


async def _log(feed: AsyncIterable[Event], console: Console, final: bool) -> None:
    clock = asyncio.get_running_loop().time
    newest: Standings | None = None
    said, said_at = "", -LOG_PAUSE
    try:
        async for event in feed:
            if isinstance(event, Connection):
                words = event.sentence or "server is back"
            else:
                newest, words = event, plain_progress_line(event)
                if clock() - said_at < LOG_PAUSE:
                    continue
                said_at = clock()
            if words != said:
                _say(console, words)
                said = words
    finally:
        if final and newest is not None:
            with suppress(OSError):
                _print_final(console, newest)


def _say(console: Console, words: str) -> None:
    console.print(Sheet([line(words)], cell_len(words)), end="", soft_wrap=True)


def _print_final(console: Console, standings: Standings) -> None:
    console.print(final_table(standings, console.width), end="", soft_wrap=True)
