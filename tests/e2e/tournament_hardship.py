"""`python tournament_hardship.py HARDSHIP WORDS…`: the command `referee WORDS…` under a hardship.

`nobody`: root becomes nobody first, for nothing is read-only to root. A number: no file may grow beyond so many bytes.
"""

from __future__ import annotations

import importlib
import os
import resource
import sys
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from referee.cli.main import COMMANDS, main

if __name__ == "__main__":
    hardship, words = sys.argv[1], sys.argv[2:]
    if hardship == "nobody":
        # Commands import what they need when they need it, and nobody may not read that: let them do it now.
        for command in COMMANDS:
            importlib.import_module(f"referee.cli.commands.{command.replace('-', '_')}")
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
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(hardship), int(hardship)))
    sys.exit(main(words))
