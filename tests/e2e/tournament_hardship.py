"""`python tournament_hardship.py HARDSHIP WORDS…`: the command `referee WORDS…` under a hardship.

`nobody`: root becomes nobody first, for nothing is read-only to root. A number: no file may grow beyond so many bytes
(until the limit is lifted). `briefly=N`: the same, and a server waits only a moment until there is room.
`impatient`: a locked database is waited for only a moment before that is a fault. `clock=FILE`: the wall clock is off
by as many seconds as FILE says, which may change while the command runs. `read-only=N`: after N transactions SQLite
refuses to write, as on a medium that has become read-only.
"""

from __future__ import annotations

import importlib
import os
import resource
import sys
import time
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, Engine, event

from referee.cli.commands import serve
from referee.cli.main import COMMANDS, main, module_name
from referee.store import Store


def become_nobody() -> None:
    # Commands import what they need when they need it, and nobody may not read that: let them do it now.
    for command in COMMANDS:
        importlib.import_module(f"referee.cli.commands.{module_name(command)}")
    importlib.import_module("referee.net.server")
    with TemporaryDirectory() as folder, redirect_stderr(StringIO()):
        db = str(Path(folder) / "warm.db")
        plan = ["--game", "stop_me_go", "--bots", "random,random", "--rounds", "1", "--db", db]
        main(["tournament", "create", "warm", *plan])
        main(["leaderboard", "--db", db, "--json"])
    sys.stdout.flush()
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def move_the_clock(file: Path) -> None:
    """The wall clock follows a file; the monotonic clock, which no host can set, stays as it is."""
    seconds, nanoseconds = time.time, time.time_ns
    time.time = lambda: seconds() + float(file.read_text())
    time.time_ns = lambda: nanoseconds() + int(float(file.read_text()) * 1e9)


def become_read_only(after: int) -> None:
    """SQLite itself refuses from then on: nothing is read-only to root, and a file that is open stays writable."""
    written = 0

    @event.listens_for(Engine, "begin")
    def begin(connection: Connection) -> None:
        if written >= after:
            connection.exec_driver_sql("PRAGMA query_only = ON")

    @event.listens_for(Engine, "commit")
    def commit(connection: Connection) -> None:
        nonlocal written
        written += 1


if __name__ == "__main__":
    hardship, words = sys.argv[1], sys.argv[2:]
    if hardship == "nobody":
        become_nobody()
    elif hardship == "impatient":
        Store.open.__func__.__kwdefaults__["timeout"] = 0.2  # type: ignore[attr-defined]
    elif hardship.startswith("read-only="):
        become_read_only(int(hardship.removeprefix("read-only=")))
    elif hardship.startswith("clock="):
        move_the_clock(Path(hardship.removeprefix("clock=")))
    else:
        if hardship.startswith("briefly="):
            serve.DATABASE_PATIENCE = 0.5
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(hardship.removeprefix("briefly=")), resource.RLIM_INFINITY))
    sys.exit(main(words))
