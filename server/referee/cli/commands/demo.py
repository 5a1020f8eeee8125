"""`referee demo`: a server, bots in processes of their own, a tournament of every game and the leaderboard."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.backend import ServerBackend
from referee.cli.database import open_store
from referee.cli.errors import ENVIRONMENT, INTERRUPTED, Failure
from referee.cli.output import stderr_console

if TYPE_CHECKING:
    from referee_leaderboard import Standings

LINE_UP = {
    "flip7": (("odds", "cautious", "random"), 40),
    "encore": (("planner", "tidy", "random"), 12),
    "stop_me_go": (("mixed", "patient", "random"), 60),
    "stop": (("auctioneer", "frugal", "random"), 30),
}
"""Who plays what, and how many rounds."""
ARRIVAL_SECONDS = 60.0
TOURNAMENT_SECONDS = 120.0


def demo(
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="FOLDER", help="Keep the database in this (new) folder.")
    ] = None,
) -> None:
    """Play a short tournament of every game between the house bots, over the network, and show the leaderboards."""
    if keep is not None and keep.exists():
        raise Failure(f"{keep} exists already: name a new folder")
    with tempfile.TemporaryDirectory(prefix="referee-demo-") as temporary:
        folder = keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        _demo(folder, kept=keep is not None)


def _demo(folder: Path, *, kept: bool) -> None:
    say = stderr_console().print
    began = time.monotonic()
    db = str(folder / "demo.db")
    tokens, admin = _prepare(db)
    address = f"127.0.0.1:{_free_port()}"
    say(f"[bold]1.[/bold] a server: referee serve --listen {address} --db {db}")
    with _programs(folder / "server.log") as start:
        server = start("serve", [sys.executable, "-m", "referee", "serve", "--listen", address, "--db", db], {})
        _wait_for_server(address, server, folder / "server.log")
        say(f"[bold]2.[/bold] {len(tokens)} bots, each a program of its own: {', '.join(tokens)}")
        for bot, token in tokens.items():
            start(bot, _command(bot), {"REFEREE_SERVER": address, "REFEREE_TOKEN": token})
        hall = ServerBackend(address, admin)
        _wait_for_bots(hall, len(tokens))
        say(f"[bold]3.[/bold] a round-robin of each game: {', '.join(LINE_UP)}")
        finals = [_play(hall, game) for game in LINE_UP]
    for standings in finals:
        say(f"{standings.tournament:<16} digest {standings.digest}", markup=False)
    me = _myself()
    say(f"\nAll of it took {time.monotonic() - began:.0f} seconds. What to type next:")
    say(f"  {me} rules flip7    the rules, the moves and what a bot sees", markup=False)
    say(f"  {me} new mybot --game flip7    a bot of your own, ready to run", markup=False)
    say(f"  {me} run flip7 ./mybot odds cautious random --no-sandbox    and how it fares", markup=False)
    if kept:
        say(f"  {me} leaderboard demo-flip7 --db {db}    what you have just seen", markup=False)


def _myself() -> str:
    """How this command is called from here: by its name if that finds it, else by its path."""
    found = shutil.which("referee")
    mine = Path(sys.argv[0])
    if mine.name != "referee" or (found is not None and Path(found).samefile(mine)):
        return "referee"
    return os.path.relpath(mine)


def _prepare(db: str) -> tuple[dict[str, str], str]:
    """Register the bots and create the tournaments; returns the bots' tokens and the admin's."""
    from referee.hall.roster import Roster, new_admin_token
    from referee.tournament import lifecycle
    from referee.tournament.plan import Plan

    with open_store(db) as store:
        bots = list(dict.fromkeys(bot for line_up, _ in LINE_UP.values() for bot in line_up))
        tokens = {bot: store.bots.add(bot).token or "" for bot in bots}
        roster = Roster(store)
        for game, (line_up, rounds) in LINE_UP.items():
            plan = Plan(game=game, players=3, rounds=rounds, limit=2.0)
            lifecycle.create(store, f"demo-{game}", plan, roster.entrants(line_up, game))
        return tokens, new_admin_token(store)


def _play(hall: ServerBackend, game: str) -> Standings:
    """One tournament from start to end, watched."""
    from referee_leaderboard import State

    name = f"demo-{game}"
    hall.start(name)
    asyncio.run(asyncio.wait_for(hall.watch(name), TOURNAMENT_SECONDS))
    standings = hall.standings(name)
    if standings.state is not State.FINISHED:
        raise Failure(f"{name} was left before its end", INTERRUPTED)
    return standings


Start = Callable[[str, list[str], Mapping[str, str]], "subprocess.Popen[bytes]"]


@contextmanager
def _programs(log: Path) -> Iterator[Start]:
    """Starts programs, and ends all of them afterwards; what the server says goes to a log."""
    running: list[subprocess.Popen[bytes]] = []

    def start(name: str, argv: list[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        program = subprocess.Popen(
            argv,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors if name == "serve" else subprocess.DEVNULL,
            start_new_session=True,
        )
        running.append(program)
        return program

    try:
        with log.open("wb") as errors:
            yield start
    finally:
        for program in reversed(running):
            program.terminate()
        for program in running:
            try:
                program.wait(timeout=10)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()


def _command(bot: str) -> list[str]:
    from referee.hosting.bot import folders

    return [sys.executable, str(folders.find(bot).main), "--quiet"]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for_server(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    host, _, port = address.rpartition(":")
    until = time.monotonic() + ARRIVAL_SECONDS
    while time.monotonic() < until:
        if server.poll() is not None:
            raise Failure(f"the server did not start: {log.read_text(errors='replace').strip()}", ENVIRONMENT)
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise Failure("the server did not answer in time", ENVIRONMENT)


def _wait_for_bots(hall: ServerBackend, wanted: int) -> None:
    until = time.monotonic() + ARRIVAL_SECONDS
    while time.monotonic() < until:
        if sum(bot["connected"] for bot in hall.bots()) >= wanted:
            return
        time.sleep(0.2)
    raise Failure("not all bots have connected in time", ENVIRONMENT)
