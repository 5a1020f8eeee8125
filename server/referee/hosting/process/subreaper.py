"""Subreaper: the wrapper process around a bot without a sandbox, which ends the bot and all its descendants.

Run as `python -I -S subreaper.py COMMAND…`, in a session of its own. The kernel makes it the parent of every process
that the bot starts and abandons (PR_SET_CHILD_SUBREAPER), so a daemonised grandchild is found too. It ends all of them
when the bot ends, when it is told to stop (SIGTERM, or SIGHUP: at once), and when the referee itself is gone
(PR_SET_PDEATHSIG). It imports nothing but the standard library and does not touch the bot's pipes.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
GRACE = 0.5
"""Seconds between asking the bot to stop and making it stop."""
NOT_FOUND = 127
NOT_STARTED = 126


def main(command: list[str]) -> int:
    parent = os.getppid()
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGHUP, _stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")  # out of memory, the kernel ends a bot and not the referee
    try:
        bot = subprocess.Popen(command)
    except OSError as error:
        print(f"cannot start {command[0]}: {error.strerror}", file=sys.stderr)
        return NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_STARTED
    # The pipes are the bot's alone: when it closes them, the referee must see their end.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    try:
        _heed()
        if os.getppid() != parent:  # the referee died before it could be told so
            raise _Stopped
        code = _wait(bot.pid)
        _heed_no_more()
    except _Stopped as stopped:
        _heed_no_more()
        code = 128 + signal.SIGKILL
        if stopped.grace:
            with suppress(ProcessLookupError):
                os.kill(bot.pid, signal.SIGTERM)
            code = _wait(bot.pid, stopped.grace)
    _sweep()
    return code


class _Stopped(Exception):
    """Told to stop, with so much time for the bot to end by itself."""

    def __init__(self, grace: float = GRACE) -> None:
        self.grace = grace


_early: list[_Stopped] = []
_heeding = False


def _stop(number: int, frame: object) -> None:
    global _heeding
    stopped = _Stopped(GRACE if number == signal.SIGTERM else 0.0)
    if _heeding:
        _heeding = False  # once is enough: a second order, raised while the first is carried out, would cut it short
        raise stopped
    _early.append(stopped)  # while the bot is being started: raised there, it would leave behind a bot that no one ends


def _heed() -> None:
    """From here on an order to stop is obeyed at once, and one that came before is obeyed now."""
    global _heeding
    _heeding = True
    if _early:
        _heeding = False
        raise _early[0]


def _heed_no_more() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)


def _wait(pid: int, seconds: float | None = None) -> int:
    """Until the bot has ended, reaping whatever else ends meanwhile; its exit code as a shell tells it."""
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        try:
            ended, status = os.waitpid(-1, 0 if until is None else os.WNOHANG)
        except ChildProcessError:
            return 0
        if ended == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        if until is not None and ended == 0:
            if time.monotonic() > until:
                return 128 + signal.SIGKILL
            time.sleep(0.01)


def _sweep() -> None:
    """End all that is left; what a dying process leaves behind becomes ours and is ended in the next round."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        children = _children()
        for pid in children:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _children() -> list[int]:
    """Our children. A stopped fork bomb shrinks level by level, since every level's children become ours."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
