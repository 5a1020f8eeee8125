"""The live screen on a real pseudo-terminal: keys, resizing, and a terminal that is sane afterwards in every case."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ..waiting import PATIENCE

DEMO = Path(__file__).with_name("demo.py")
# The demo becomes the leader of a session whose terminal this is, as under a shell.
LAUNCH = (
    "import fcntl, os, signal, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "signal.signal(signal.SIGHUP, signal.SIG_DFL);"  # whatever started the tests may ignore it, as nohup does
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
ENTER, LEAVE, SHOW_CURSOR = b"\x1b[?1049h", b"\x1b[?1049l", b"\x1b[?25h"


class Terminal:
    """A pseudo-terminal with the demo running in it."""

    def __init__(self, *arguments: str, encoding: str = "utf-8") -> None:
        self.master, self.slave = os.openpty()
        self.resize(80, 24)
        self.before = termios.tcgetattr(self.slave)
        environment = {**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": encoding}
        for name in ("COLUMNS", "LINES", "NO_COLOR"):
            environment.pop(name, None)
        self.demo = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(DEMO), "--matches", "100000", *arguments],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env=environment,
        )
        self.output = b""

    def resize(self, width: int, height: int) -> None:
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def read_until(self, seen: Callable[[bytes], bool]) -> bytes:
        """What came since the last call, read until `seen` holds for it."""
        fresh, deadline = b"", time.monotonic() + PATIENCE
        while not seen(fresh):
            assert time.monotonic() < deadline, f"not seen within {PATIENCE} s; the last output was {fresh[-600:]!r}"
            if select.select([self.master], [], [], 0.2)[0]:
                fresh += os.read(self.master, 65536)
        self.output += fresh
        return fresh

    def wait(self) -> int:
        """The demo's exit code; what it writes until then is read, or it could not end."""
        deadline = time.monotonic() + PATIENCE
        while self.demo.poll() is None:
            assert time.monotonic() < deadline, "the demo did not end"
            self._drain(0.1)
        self._drain(0.1)
        return self.demo.returncode

    def _drain(self, patience: float) -> None:
        while select.select([self.master], [], [], patience)[0]:
            self.output += os.read(self.master, 65536)

    def assert_restored(self) -> None:
        assert self.output.count(ENTER) == self.output.count(LEAVE)
        after = self.output.rpartition(LEAVE)[2]
        assert SHOW_CURSOR in after
        assert b"matches played" in after
        assert termios.tcgetattr(self.slave) == self.before

    def close(self) -> None:
        if self.demo.poll() is None:
            self.demo.kill()
            self.demo.wait()
        for descriptor in (self.master, self.slave):
            with contextlib.suppress(OSError):
                os.close(descriptor)


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def start(*arguments: str, encoding: str = "utf-8") -> Terminal:
        opened.append(Terminal(*arguments, encoding=encoding))
        return opened[-1]

    yield start
    for each in opened:
        each.close()


def shows(words: str) -> Callable[[bytes], bool]:
    return lambda output: words.encode() in re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", output)


def test_keys_switch_views_and_q_leaves_a_sane_terminal(terminal: Callable[..., Terminal]) -> None:
    screen = terminal()
    screen.read_until(shows("Latest results"))
    assert termios.tcgetattr(screen.slave) != screen.before
    screen.type(b"2")
    screen.read_until(shows("% of meetings"))
    screen.type(b"s")
    screen.read_until(shows("Seat 3"))
    screen.type(b"?")
    screen.read_until(shows("PgDn"))
    screen.type(b"q")
    assert screen.wait() == 0
    screen.assert_restored()


def test_the_screen_follows_the_size_of_the_terminal(terminal: Callable[..., Terminal]) -> None:
    screen = terminal("--bots", "40")
    screen.read_until(shows("… 28 more"))
    screen.resize(200, 60)
    screen.read_until(shows("Crosstable"))
    screen.resize(60, 20)
    screen.read_until(shows("… 31 more"))
    screen.type(b"q")
    assert screen.wait() == 0
    screen.assert_restored()


def test_a_small_terminal_still_says_how_to_leave(terminal: Callable[..., Terminal]) -> None:
    screen = terminal()
    screen.read_until(shows("1 table · 2 crosstable · 3 seats · 4 strengths · ↑↓ scroll · ? more · q quit"))
    screen.resize(40, 12)
    screen.read_until(shows("1 2 3 4 views · ? more · q quit"))
    screen.type(b"?")
    screen.read_until(shows("t c s p · j k ↑↓ · ← → · q quit"))
    screen.type(b"2")
    screen.read_until(shows("Columns 1–4 of 12; % finished ahead"))
    screen.resize(10, 6)
    screen.read_until(shows("q quit"))
    screen.resize(80, 24)
    screen.read_until(shows("score = μ − 3σ · q quit"))
    screen.type(b"q")
    assert screen.wait() == 0
    screen.assert_restored()


def test_ctrl_c_leaves_a_sane_terminal(terminal: Callable[..., Terminal]) -> None:
    screen = terminal()
    screen.read_until(shows("Latest results"))
    screen.type(b"\x03")
    assert screen.wait() == 130
    screen.assert_restored()
    assert b"Traceback" not in screen.output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_killed_screen_leaves_a_sane_terminal_and_dies_of_the_signal(
    terminal: Callable[..., Terminal], number: signal.Signals
) -> None:
    screen = terminal()
    screen.read_until(shows("Latest results"))
    screen.demo.send_signal(number)
    assert screen.wait() == -number
    screen.assert_restored()


def test_a_broken_feed_leaves_a_sane_terminal(terminal: Callable[..., Terminal]) -> None:
    screen = terminal("--fail-at", "5")
    assert screen.wait() == 1
    screen.assert_restored()
    assert b"the feed broke, as asked for" in screen.output.rpartition(LEAVE)[2]


def test_a_suspended_screen_gives_the_terminal_back_and_returns(terminal: Callable[..., Terminal]) -> None:
    screen = terminal()
    screen.read_until(shows("Latest results"))
    screen.type(b"\x1a")
    screen.read_until(lambda output: LEAVE in output)
    _, status = os.waitpid(screen.demo.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)
    assert termios.tcgetattr(screen.slave) == screen.before
    screen.demo.send_signal(signal.SIGCONT)
    screen.read_until(shows("Latest results"))
    screen.type(b"q")
    assert screen.wait() == 0
    screen.assert_restored()


def test_a_terminal_that_can_only_do_ascii_gets_ascii(terminal: Callable[..., Terminal]) -> None:
    screen = terminal(encoding="ascii")
    screen.read_until(shows("-- Latest results -"))
    screen.type(b"q")
    assert screen.wait() == 0
    assert screen.output.isascii()
    screen.assert_restored()
