"""Tries to close the socket that all bots of a worker share to the others, and to change whatever else is shared."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

SOCKET = os.environ["REFEREE_SERVER"].removeprefix("unix:")


def attempt(what: str, do: Callable[[], object]) -> None:
    try:
        do()
        print(f"DONE {what}", file=sys.stderr, flush=True)
    except OSError as error:
        print(f"denied {what}: {error}", file=sys.stderr, flush=True)


def change_times() -> None:
    os.utime(SOCKET, (0, 0))
    if os.stat(SOCKET).st_mtime != 0:
        raise OSError("granted, and it has kept its time")


attempt("close the socket", lambda: os.chmod(SOCKET, 0))
attempt("give it away", lambda: os.chown(SOCKET, os.getuid(), os.getgid()))
attempt("change its times", change_times)
attempt("remove it", lambda: os.unlink(SOCKET))
attempt("put another in its place", lambda: os.rename(SOCKET, SOCKET + ".old"))
attempt("mark it", lambda: os.setxattr(SOCKET, "user.mark", b"x"))
attempt("close its own folder", lambda: os.chmod(Path(__file__).parent, 0))
attempt("close its own file", lambda: os.chmod(__file__, 0))
attempt("close /dev/null", lambda: os.chmod("/dev/null", 0))
attempt("close /dev/random", lambda: os.chmod("/dev/random", 0))
attempt("close /dev/urandom", lambda: os.chmod("/dev/urandom", 0))

import arena  # noqa: E402 - it plays on, for all the world to see

arena.run(lambda decision: decision.legal[0])
