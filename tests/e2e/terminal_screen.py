"""A pseudo-terminal for tests of live screens: what a person would see, and keys that are typed."""

from __future__ import annotations

import os
import re
import select
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from fcntl import ioctl
from termios import TIOCSWINSZ

from ..waiting import PATIENCE
from .tournament_hall import ENVIRONMENT

# It becomes the leader of a session whose terminal this is, as under a shell.
LAUNCH = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


class Screen:
    """A command of `referee` in a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self.master, slave = os.openpty()
        ioctl(self.master, TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))
        environment = {**ENVIRONMENT, "TERM": "xterm-256color"}
        environment.pop("COLUMNS", None)
        self.process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, "-m", "referee", *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=environment,
        )
        os.close(slave)
        self.output = b""

    @property
    def text(self) -> str:
        """All that came so far, without colours."""
        return plain(self.output)

    @property
    def left_behind(self) -> str:
        """What stays on the normal screen after the live one is gone."""
        return plain(self.output.rpartition(b"\x1b[?1049l")[2])

    def read_until(self, seen: Callable[[str], bool]) -> None:
        """Read on until what has come since the last call is as wanted."""
        before, until = len(self.output), time.monotonic() + PATIENCE
        while not seen(plain(self.output[before:])):
            assert time.monotonic() < until, self.text[-1500:]
            ended = self.process.poll() is not None  # before the last look at what it wrote
            if not self._read(0.2) and ended:
                raise AssertionError(f"it ended: {self.text[-1500:]}")

    def type(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def wait(self) -> int:
        """The exit code; what is written until then is read, or it could not end."""
        until = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < until
            self._read(0.1)
        while self._read(0.1):
            pass
        return self.process.returncode

    def _read(self, patience: float) -> bool:
        if not select.select([self.master], [], [], patience)[0]:
            return False
        with suppress(OSError):  # the other end is closed
            self.output += os.read(self.master, 65536)
            return True
        return False

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)


def plain(output: bytes) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output.decode(errors="replace"))
