"""`referee serve`: the referee's server."""

from __future__ import annotations

import asyncio
import shlex
import socket
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli.arguments import DEFAULT_DB, free_time, seconds
from referee.cli.database import open_store
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import aside
from referee.cli.stopping import Stopping
from referee.masking import shown

DEFAULTS: dict[str, Any] = {
    "listen": "127.0.0.1:7700",
    "db": DEFAULT_DB,
    "tls_cert": None,
    "tls_key": None,
    "insecure": False,
    "time": "1s",
    "bank": "30s",
    "grace": "30s",
    "concurrency": 256,
    "max_bots": 2000,
    "max_connections": 5000,
    "max_per_address": 256,
    "max_watchers": 2000,
    "max_watchers_per_address": 128,
}


def serve(
    listen: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Where to listen.", show_default="127.0.0.1:7700")
    ] = None,
    db: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The database: a file, or a PostgreSQL URL.", show_default=DEFAULT_DB),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Settings as TOML, also the limits below; options given here win."),
    ] = None,
    tls_cert: Annotated[str | None, typer.Option(metavar="FILE", help="Certificate chain (PEM), to speak TLS.")] = None,
    tls_key: Annotated[str | None, typer.Option(metavar="FILE", help="Its private key (PEM).")] = None,
    insecure: Annotated[bool | None, typer.Option("--insecure", help="Allow a public address without TLS.")] = None,
    time: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Free time per decision.", show_default="1s")
    ] = None,
    bank: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Time per match beyond it.", show_default="30s")
    ] = None,
    grace: Annotated[
        str | None, typer.Option(metavar="DURATION", help="How long a match waits for a lost bot.", show_default="30s")
    ] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Most matches at once.", show_default="256")] = None,
    new_admin_token: Annotated[
        bool, typer.Option("--new-admin-token", help="Make a new admin token; the old one is void.")
    ] = False,
) -> None:
    """Run the referee's server: bots connect, tournaments go on, everybody can watch.

    Listens on this machine only, unless told otherwise; a public address needs TLS (or --insecure).
    Ctrl-C waits for running matches, a second Ctrl-C stops at once; nothing that was stored is lost either way.

    Limits, as keys of the --config file: max_bots (2000), max_connections (5000, as far as 'ulimit -n' allows),
    max_per_address (256 connections without a bot), max_watchers (2000), max_watchers_per_address (128). An address
    behind which many people sit, or a proxy, may need higher ones.
    """
    given = {
        "listen": listen,
        "db": db,
        "tls_cert": tls_cert,
        "tls_key": tls_key,
        "insecure": insecure,
        "time": time,
        "bank": bank,
        "grace": grace,
        "concurrency": concurrency,
    }
    settings = DEFAULTS | _read_config(config) | {name: value for name, value in given.items() if value is not None}
    if bool(settings["tls_cert"]) != bool(settings["tls_key"]):
        raise Failure("--tls-cert and --tls-key go together", WRONG_USE)
    asyncio.run(_serve(settings, new_admin_token))


def _read_config(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}", WRONG_USE) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Failure(f"{path}: {error}", WRONG_USE) from None
    for name, value in given.items():
        if name not in DEFAULTS:
            raise Failure(f"{path}: unknown key {name!r}; known are {', '.join(DEFAULTS)}", WRONG_USE)
        wanted = str if DEFAULTS[name] is None else type(DEFAULTS[name])
        if type(value) is not wanted:
            raise Failure(f"{path}: {name} must be a {wanted.__name__}, not {value!r}", WRONG_USE)
        if wanted is int and int(value) < 1:
            raise Failure(f"{path}: {name} must be at least 1, not {value}", WRONG_USE)
    return given


async def _serve(settings: dict[str, Any], new_admin_token: bool) -> None:
    from referee.descriptors import raise_limit
    from referee.gc_pauses import short_pauses
    from referee.hall.competition import Competition
    from referee.hall.roster import new_admin_token as make_admin_token
    from referee.hall.tokens import ADMIN_FACT
    from referee.logs import log_to_stderr
    from referee.match.clock import TimeControl
    from referee.net.limits import Limits
    from referee.net.listener import CannotListen, Tls, is_address, is_public
    from referee.net.server import RefereeServer, ServerSettings

    log_to_stderr()
    files = raise_limit()
    listen = settings["listen"]
    tls = Tls(Path(settings["tls_cert"]), Path(settings["tls_key"])) if settings["tls_cert"] else None
    if not is_address(listen):
        raise Failure(
            f"{listen!r} is no address: give HOST:PORT, such as {DEFAULTS['listen']}, or unix:PATH", WRONG_USE
        )
    if is_public(listen) and tls is None and not settings["insecure"]:
        raise Failure(
            f"{listen} can be reached from outside: give --tls-cert and --tls-key, "
            "or --insecure if tokens may be read on the way",
            WRONG_USE,
        )
    control = TimeControl(free_time(settings["time"]), seconds(settings["bank"]), grace=seconds(settings["grace"]))
    say = aside().print
    with open_store(settings["db"], owner="server") as store:
        limits = Limits(
            settings["max_connections"],
            settings["max_per_address"],
            settings["max_watchers"],
            settings["max_watchers_per_address"],
        )
        competition = Competition(store, control=control, concurrency=settings["concurrency"])
        server = RefereeServer(competition, ServerSettings(listen, tls, settings["max_bots"], limits))
        stopping = Stopping()
        competition.director.on_failure = stopping.fail
        async with short_pauses(quiet=lambda: competition.idle):
            try:
                resumed = await server.start()
            except CannotListen as error:
                await server.stop()
                raise Failure(str(error), ENVIRONMENT) from None
            # Made only now: a token is shown once, and a server that could not start would have kept it to itself.
            admin = make_admin_token(store) if new_admin_token or store.fact(ADMIN_FACT) is None else None
            if server.most_connections < settings["max_bots"]:
                say(_too_few(server.most_connections, settings, files), markup=False)
            _greet(say, server.address, settings["db"], settings["tls_cert"], admin, resumed)
            try:
                await stopping.asked.wait()
                if stopping.failure is None:
                    await _first(server.drain(say), stopping.insisted.wait())
            finally:
                await server.stop()
        if stopping.failure is not None:
            raise Failure(f"{stopping.failure} The server has stopped; nothing that was stored is lost.", ENVIRONMENT)
        say("stopped")


async def _first(*works: Any) -> None:
    """Until one of them is done; the others are dropped."""
    tasks = [asyncio.ensure_future(work) for work in works]
    done, open_ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in open_:
        task.cancel()
    for task in done:
        task.result()


def _too_few(connections: int, settings: dict[str, Any], files: int) -> str:
    if connections < settings["max_connections"]:
        why = f"for 'ulimit -n' is {files}: raise the hard limit of open files"
    else:
        why = "for that is max_connections: raise it"
    return f"note: at most {connections} connections at a time, fewer than max_bots ({settings['max_bots']}), {why}"


def _greet(say: Any, address: str, db: str, certificate: str | None, admin: str | None, resumed: list[str]) -> None:
    """Say where the server is and how to go on, ready to paste on this machine."""
    from rich.markup import escape

    from referee import __version__

    server = f"--server {_reach(address)}" + (f" --ca {shlex.quote(certificate)}" if certificate else "")
    db_shown = shown(db)
    where = "" if db == DEFAULT_DB else f" --db {shlex.quote(db_shown)}"
    spoken = " with TLS" if certificate else ""
    say(f"[bold]referee {__version__}[/bold] listens on [bold]{address}[/bold]{spoken}, database {escape(db_shown)}")
    say(f"  a new bot:     referee bot add mybot{where}", markup=False)
    say(f"  connect it:    python mybot/bot.py {server} --token TOKEN", markup=False)
    if certificate:
        say("                 (--tls in place of --ca, if a known authority has signed the certificate)", markup=False)
    say(f"  watch:         referee leaderboard {server}", markup=False)
    if admin is not None:
        say(f"  admin token (shown once):  export REFEREE_ADMIN_TOKEN={admin}", markup=False)
    for name in resumed:
        say(f"  going on with the tournament {name}", markup=False)
    say("Ctrl-C stops it.", markup=False)


def _reach(address: str) -> str:
    """The address to connect to: a server that listens everywhere has none of its own, but the machine has a name."""
    host, _, port = address.rpartition(":")
    return f"{socket.gethostname()}:{port}" if host in ("", "0.0.0.0", "[::]") else address
