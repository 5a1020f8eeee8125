"""Real processes for tests of tournaments: a server that can be killed, and a crowd of bots that come back."""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from referee.cli.main import main
from referee.hall.roster import new_admin_token
from referee.store import Counts, Store
from referee.tournament.standings import from_store

from ..waiting import PATIENCE, eventually

HARDSHIP = Path(__file__).with_name("tournament_hardship.py")
CROWD = Path(__file__).with_name("tournament_crowd.py")
ENVIRONMENT = {**os.environ, "GRPC_ENABLE_FORK_SUPPORT": "0", "COLUMNS": "200"}


class Hall:
    """A database, a port, and the processes around them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.db = str(folder / "hall.db")
        # Bound, never listening: while the server is down nobody else gets its port.
        self._port = socket.socket()
        self._port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._port.bind(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._port.getsockname()[1]}"
        with Store.open(self.db) as store:
            self.admin_token = new_admin_token(store)
        self.environment = {"REFEREE_ADMIN_TOKEN": self.admin_token, "COLUMNS": "200"}
        self.server: subprocess.Popen[bytes] | None = None
        self._processes: list[subprocess.Popen[bytes]] = []

    def start(self, *words: str) -> None:
        """Start the server and wait until it listens."""
        self._serve(["-m", "referee"], words)

    def start_under(self, hardship: str, *words: str) -> None:
        """The same under a hardship."""
        self._serve([str(HARDSHIP), hardship], words)

    def _serve(self, program: Sequence[str], words: Sequence[str]) -> None:
        log = (self.folder / "server.log").open("ab")
        self.server = self._start(
            [*program, "serve", "--listen", self.address, "--db", self.db, *words], log, stdout=log
        )
        log.close()
        host, _, port = self.address.partition(":")
        eventually(lambda: self._answers(host, int(port)), why=self._log)

    def kill(self) -> None:
        """As a power cut would."""
        assert self.server is not None
        self.server.kill()
        self.server.wait()

    def crowd(self, *bots: str) -> subprocess.Popen[bytes]:
        """Bots in a process of their own, each `name=style`; registered if they are not yet."""
        words = []
        with Store.open(self.db) as store:
            for bot in bots:
                name, _, style = bot.partition("=")
                made = store.bots.add(name) if store.bots.find(name) is None else store.bots.rotate(name)
                words.append(f"{name}={style}={made.token}")
        return self._start([str(CROWD), self.address, *words], subprocess.DEVNULL)

    def connected(self) -> set[str]:
        """The bots that the server has welcomed."""
        bots = json.loads(self.referee("bot", "list", "--server", self.address, "--json"))
        return {bot["name"] for bot in bots if bot["connected"]}

    def referee(self, *words: object, code: int = 0) -> str:
        """Run a command in this process; returns what it says, which goes to stderr if it failed."""
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err), patch.dict(os.environ, self.environment):
            found = main([str(word) for word in words])
        assert found == code, err.getvalue()
        return out.getvalue() if code == 0 else err.getvalue()

    def steer(self, *words: object, code: int = 0) -> str:
        """A `referee tournament` command on the running server."""
        return self.referee("tournament", *words, "--server", self.address, code=code)

    def standings(self, name: str) -> Any:
        return json.loads(self.referee("leaderboard", name, "--server", self.address, "--json"))

    def count(self, state: str = "finished") -> int:
        """Matches in this state, read beside the server."""
        with closing(sqlite3.connect(f"file:{self.db}?mode=ro", uri=True, timeout=20)) as connection:
            query = "SELECT count(*) FROM matches WHERE tournament_id IS NOT NULL AND state = ?"
            number: int = connection.execute(query, (state,)).fetchone()[0]
            return number

    def state(self, name: str) -> str:
        with closing(sqlite3.connect(f"file:{self.db}?mode=ro", uri=True, timeout=20)) as connection:
            state: str = connection.execute("SELECT state FROM tournaments WHERE name = ?", (name,)).fetchone()[0]
            return state

    def wait_for(self, name: str, state: str = "finished") -> None:
        eventually(lambda: self.state(name) == state, PATIENCE, why=self._log)

    def close(self) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        self._port.close()

    def _start(self, words: Sequence[str], stderr: Any, stdout: Any = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, *words], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=ENVIRONMENT
        )
        self._processes.append(process)
        return process

    def _log(self) -> str:
        return (self.folder / "server.log").read_text()[-3000:]

    def _answers(self, host: str, port: int) -> bool:
        assert self.server is not None
        assert self.server.poll() is None, self._log()
        try:
            socket.create_connection((host, port), timeout=1).close()
        except OSError:
            return False
        return True


def kill_again_and_again(hall: Hall, kills: int, matches: int, longest: float) -> None:
    """Kill a server in the midst of a tournament, so many times; every match is finished once, and all holds."""
    seed = time.time_ns()
    print(f"moments of the kills: Random({seed})")  # shown when the test fails
    chance = Random(seed)
    hall.start()
    hall.crowd("ada=random", "bob=first", "cy=random")
    plan = ("--game", "flip7", "--players", 3, "--rounds", matches, "--bots", "ada,bob,cy,cautious")
    hall.steer("create", "league", *plan, "--start")
    for number in range(kills):
        target = (number + 1) * matches // (3 * kills)  # two thirds are left to the last, however late a kill comes
        eventually(lambda target=target: hall.count() >= target)  # type: ignore[misc]
        time.sleep(chance.uniform(0.0, longest))
        hall.kill()
        assert hall.count() < matches, "it was over before it could be killed"
        hall.start()
    hall.wait_for("league")
    final = hall.standings("league")
    hall.kill()
    with Store.open(hall.db, owner="test") as store:
        league = store.tournaments.get("league")
        assert store.tournaments.counts(league.id) == Counts(finished=matches)
        records = [store.matches.record(match.id) for match in store.matches.results_in_schedule_order(league.id)]
        assert len(records) == matches
        assert all(records)
        assert from_store(store, "league").digest == final["digest"] != ""
    assert sum(row["matches"] for row in final["rows"]) == 3 * matches
    assert final["digest"] in hall.referee("tournament", "rerate", "league", "--db", hall.db)
    verified = hall.referee("verify", "league", "--db", hall.db, "--allow-new-deals")
    assert f"results of {matches} matches" in verified.replace(",", "")


def run_referee(*words: object, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`referee` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "referee", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=ENVIRONMENT | (env or {}),
    )
