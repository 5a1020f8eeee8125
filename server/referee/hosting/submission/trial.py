"""The trial of a submitted bot: built in the sandbox and examined (`referee check`), in a process of its own.

A process of its own keeps the server's loop free and can be ended as a whole. What it writes is the author's log. The
folder of the server is not named in it.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from referee.hosting.bot import names
from referee.hosting.sandbox.launch import plain_environment
from referee.rules.spelling import printable

SECONDS = 1200.0
"""How long building and examining may take together."""
END_SECONDS = 10.0
LONGEST_LOG = 64 << 10
"""Bytes of a log; of a longer one beginning and end are kept."""
FIT, UNFIT, WRONG, ENVIRONMENT = 0, 1, 2, 3
"""Exit codes of `referee check`."""
CUT = "\n[… {} bytes left out …]\n"
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a trial."""

    fit: bool
    reason: str
    """Why it is not taken, in one sentence; empty if it is."""
    log: str
    again: bool = False
    """Whether the machine is to blame: the same bot may be tried again."""


@dataclass(frozen=True, slots=True)
class TrialSettings:
    """How submitted bots are tried."""

    network: bool = False
    """Whether builds may reach the network."""
    matches: int = 2
    """Matches one after the other, per game."""
    seconds: float = SECONDS


async def try_out(name: str, folder: Path, settings: TrialSettings) -> Verdict:
    """Build and examine the bot in a folder; what it is called is only for the log."""
    name = names.clean(name)
    name = name if names.GIVEN.fullmatch(f"{name}=") else "bot"
    # Neither started in the bot's folder nor with it on the path: nothing of the bot is imported outside the sandbox.
    words = [sys.executable, "-P", "-m", "referee", "check", f"{name}={folder}", "--sandbox"]
    words += ["--matches", str(settings.matches), *(["--build-network"] if settings.network else [])]
    nice = shutil.which("nice")
    process = await asyncio.create_subprocess_exec(
        *([nice, "-n", "5"] if nice else []),
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd="/",
        env=_environment(),
        start_new_session=True,
    )
    log = _Log(lambda text: text.replace(str(folder), name))
    try:
        async with asyncio.timeout(settings.seconds):
            assert process.stdout is not None
            while chunk := await process.stdout.read(1 << 14):
                log.add(chunk)
            code = await process.wait()
    except TimeoutError:
        return Verdict(False, f"building and checking it took longer than {settings.seconds:g} seconds", log.text())
    finally:
        await _end(process)
    return _verdict(code, log.text())


def _verdict(code: int, log: str) -> Verdict:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    if code == FIT:
        return Verdict(True, "", log)
    if code == UNFIT:
        failed = next((line.removeprefix("FAIL").strip() for line in lines if line.startswith("FAIL")), "")
        return Verdict(False, f"the check failed: {' '.join(failed.split())}", log)
    errors = [line.removeprefix("error:").strip() for line in lines if line.startswith("error:")]
    said = errors[-1] if errors else f"the check ended with code {code}"
    return Verdict(False, said, log, again=code not in (FIT, UNFIT, WRONG))


def _environment() -> dict[str, str]:
    """Without tokens and passwords, and without colours; with the proxies that a build may need."""
    kept = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
    return plain_environment(os.environ) | kept | {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}


async def _end(process: asyncio.subprocess.Process) -> None:
    """End it with all it has started: it ends its bots when it is asked to."""
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await process.wait()


class _Log:
    """The beginning and the end of what a program writes."""

    def __init__(self, cleaned: Callable[[str], str]) -> None:
        self._cleaned = cleaned
        self._head = b""
        self._tail = b""
        self._left_out = 0

    def add(self, chunk: bytes) -> None:
        room = LONGEST_LOG // 2 - len(self._head)
        if room > 0:
            self._head, chunk = self._head + chunk[:room], chunk[room:]
        self._tail += chunk
        if (over := len(self._tail) - LONGEST_LOG // 2) > 0:
            self._left_out += over
            self._tail = self._tail[over:]

    def text(self) -> str:
        """What is shown: no control characters but line feeds."""
        cut = CUT.format(self._left_out).encode() if self._left_out else b""
        text = _COLOURS.sub("", (self._head + cut + self._tail).decode("utf-8", "replace"))
        text = self._cleaned(text.replace("\r\n", "\n").replace("\r", "\n"))
        return printable(text, 2 * LONGEST_LOG, "\n\t")
