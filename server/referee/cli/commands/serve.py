"""`referee serve`: the gRPC server to which bots and watchers connect."""

from __future__ import annotations

import asyncio
import shlex
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import free_time, seconds
from referee.cli.database import open_store
from referee.cli.defaults import DEFAULT_DB
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import stderr_console
from referee.cli.serve_settings import CHOICES, DEFAULTS, check, example, read_config
from referee.cli.stopping import Stopping
from referee.cli.submissions import submission_plan
from referee.cli.web import Web, check_web, start_web
from referee.cli.webhook_settings import bring_in, configured
from referee.masking import shown

if TYPE_CHECKING:
    from referee.hall.competition import Competition
    from referee.listening import Tls
    from referee.web.server import WebServer

MOST_ADDRESSES = 8
DATABASE_PATIENCE = 120.0
"""Seconds for which a database that is locked or out of reach is waited for before the server stops."""


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
        typer.Option(metavar="FILE", help="All settings as TOML; options given here win."),
    ] = None,
    tls_cert: Annotated[str | None, typer.Option(metavar="FILE", help="Certificate chain (PEM), to speak TLS.")] = None,
    tls_key: Annotated[str | None, typer.Option(metavar="FILE", help="Its private key (PEM).")] = None,
    insecure: Annotated[bool | None, typer.Option("--insecure", help="Allow a public address without TLS.")] = None,
    time: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="Free time per decision of practice matches.", show_default="1s"),
    ] = None,
    bank: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Time per practice match beyond it.", show_default="30s")
    ] = None,
    grace: Annotated[
        str | None, typer.Option(metavar="DURATION", help="How long a match waits for a lost bot.", show_default="30s")
    ] = None,
    concurrency: Annotated[int | None, typer.Option(min=1, help="Most matches at once.", show_default="256")] = None,
    also: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Another address of this server, which bots try when the first does not answer. Repeatable.",
        ),
    ] = None,
    web: Web = None,
    watch_delay: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Show running matches N decisions late, in the page and to all others who watch.",
            show_default="0",
        ),
    ] = None,
    submissions: Annotated[
        bool | None,
        typer.Option("--submissions", help="Take bots that authors submit, and host them in the sandbox."),
    ] = None,
    build_network: Annotated[
        bool | None,
        typer.Option("--build-network", help="Let builds of submitted bots reach the network; bots never do."),
    ] = None,
    log_level: Annotated[
        str | None, typer.Option(metavar="LEVEL", help="debug, info, warning or error.", show_default="info")
    ] = None,
    log_format: Annotated[
        str | None, typer.Option(metavar="FORMAT", help="The log as text, or as json.", show_default="text")
    ] = None,
    log_time: Annotated[
        str | None, typer.Option(metavar="ZONE", help="Times of the log: local or utc.", show_default="local")
    ] = None,
    new_admin_token: Annotated[
        bool, typer.Option("--new-admin-token", help="Make a new admin token; the old one is void.")
    ] = False,
    show_config: Annotated[
        bool, typer.Option("--show-config", help="Print a file for --config with every key, and stop.")
    ] = False,
) -> None:
    """Run the referee's server: bots connect, tournaments go on, everybody can watch.

    Listens on this machine only, unless told otherwise; a public address needs TLS (or --insecure).
    Ctrl-C waits for running matches, a second Ctrl-C stops at once; nothing that was stored is lost either way.

    --web adds a page for browsers: standings and matches live, replays, playing against house bots.

    --time and --bank are for practice matches: a tournament has its own ('referee tournament create --time --bank').
    --config FILE has all settings, also limits that have no option; --show-config prints such a file.

    --submissions lets authors send their bots ('referee submit'). They are built, checked and played here, each in a
    sandbox of its own, beside connected bots and house bots.
    """
    if show_config:
        sys.stdout.write(example())
        return
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
        "addresses": also or None,
        "web": web,
        "watch_delay": watch_delay,
        "submissions": submissions,
        "build_network": build_network,
        "log_level": log_level,
        "log_format": log_format,
        "log_time": log_time,
    }
    settings = DEFAULTS | read_config(config) | {name: value for name, value in given.items() if value is not None}
    if bool(settings["tls_cert"]) != bool(settings["tls_key"]):
        raise Failure("--tls-cert and --tls-key go together", WRONG_USE)
    _check_addresses(settings["addresses"])
    for key in CHOICES:
        check(key, settings[key])
    settings["webhooks"] = configured(settings["webhooks"])
    asyncio.run(_serve(settings, new_admin_token))


def _check_addresses(addresses: list[Any]) -> None:
    from arena.settings import is_address

    if len(addresses) > MOST_ADDRESSES:
        raise Failure(f"{len(addresses)} further addresses are too many: give at most {MOST_ADDRESSES}", WRONG_USE)
    for address in addresses:
        if not isinstance(address, str) or not is_address(address) or not address.isprintable() or " " in address:
            raise Failure(
                f"{address!r} is not an address that bots could try: give HOST:PORT, such as arena.example.org:7700",
                WRONG_USE,
            )


async def _serve(settings: dict[str, Any], new_admin_token: bool) -> None:
    import structlog

    from referee.descriptors import raise_limit
    from referee.gc_pauses import short_pauses
    from referee.hall.announcements import Announcements
    from referee.hall.competition import Competition
    from referee.hall.event_log import EventLog
    from referee.hall.roster import new_admin_token as make_admin_token
    from referee.hall.webhook_delivery import WebhookDelivery
    from referee.listening import CannotListen, Tls, is_address, is_public
    from referee.logs import LEVELS, json_speaker, log_to_stderr
    from referee.match.clock import TimeControl
    from referee.net.limits import Limits
    from referee.net.server import RefereeServer, ServerSettings
    from referee.sd_notify import notify, signs_of_life
    from referee.store import ADMIN_FACT, PASSING, DiskFull, StoreError
    from referee.threads import in_thread

    log = structlog.get_logger()

    log_to_stderr(LEVELS[settings["log_level"]], settings["log_format"], settings["log_time"])
    files = raise_limit()
    listen = settings["listen"]
    tls = Tls(Path(settings["tls_cert"]), Path(settings["tls_key"])) if settings["tls_cert"] else None
    if not is_address(listen):
        raise Failure(
            f"{listen!r} is not an address: give HOST:PORT, such as {DEFAULTS['listen']}, or unix:PATH", WRONG_USE
        )
    if is_public(listen) and tls is None and not settings["insecure"]:
        raise Failure(
            f"{listen} can be reached from outside: give --tls-cert and --tls-key, "
            "or --insecure if tokens may be read on the way",
            WRONG_USE,
        )
    page = check_web(settings["web"], tls, settings["insecure"]) if settings["web"] else None
    limit, bank, grace = free_time(settings["time"]), seconds(settings["bank"]), seconds(settings["grace"])
    control = TimeControl(limit, bank, grace=grace, total=TimeControl.usual_total(limit, bank, grace))
    say = json_speaker(settings["log_time"]) if settings["log_format"] == "json" else stderr_console().print
    with open_store(settings["db"], owner="server") as store:
        limits = Limits(
            settings["max_connections"],
            settings["max_per_address"],
            settings["max_watchers"],
            settings["max_watchers_per_address"],
            settings["max_memory"],
        )
        competition = Competition(
            store,
            control=control,
            concurrency=settings["concurrency"],
            watch_delay=settings["watch_delay"],
            submissions=submission_plan(settings, store, say),
        )
        server = RefereeServer(
            competition, ServerSettings(listen, tls, settings["max_bots"], limits, tuple(settings["addresses"]))
        )
        stopping = Stopping()
        competition.director.on_failure = stopping.fail
        competition.director.patience = store.writer.patience = DATABASE_PATIENCE
        store.writer.borne = (*PASSING, DiskFull)  # somebody may make room meanwhile

        def trouble(error: StoreError) -> None:
            log.warning("nothing can be stored; trying again", why=str(error), seconds=DATABASE_PATIENCE)

        store.writer.on_trouble = trouble

        def full(sentence: str) -> None:
            say(f"{sentence}: no more bots are let in, and it stops after the running matches", markup=False)
            stopping.ask()

        server.on_full = full
        async with short_pauses(quiet=lambda: competition.idle):
            try:
                resumed = await server.start()
            except CannotListen as error:
                await server.stop()
                raise Failure(str(error), ENVIRONMENT) from None
            if server.most_connections < settings["max_bots"]:
                say(_too_few(server.most_connections, settings, files), markup=False)
            site = None
            events = EventLog(store, for_people=settings["log_format"] == "text")
            await in_thread(events.skip_to_now)
            background: list[asyncio.Future[None]] = [
                asyncio.ensure_future(events.follow()),
                asyncio.ensure_future(Announcements(competition).follow()),
                asyncio.ensure_future(WebhookDelivery(store).follow()),
            ]
            try:
                url = ""
                if page is not None:
                    site = _site(competition, settings, page, tls, server.address)
                    url = await start_web(site)
                # Made only now: a token is shown once, and would be lost with a server that could not start.
                admin = make_admin_token(store) if new_admin_token or store.fact(ADMIN_FACT) is None else None
                for sentence in await in_thread(bring_in, store, settings["webhooks"]):
                    say(sentence, markup=False, soft_wrap=True)
                await in_thread(notify, "READY=1", f"STATUS=listens on {server.address}")
                background.append(asyncio.ensure_future(signs_of_life()))
                _greet(say, server.address, settings["db"], settings["tls_cert"], admin, resumed, url)
                await stopping.asked.wait()
                await in_thread(notify, "STOPPING=1", "STATUS=stops after the running matches")
                if stopping.failure is None:
                    if site is not None:
                        site.drain()
                    await _first(server.drain(say), stopping.insisted.wait())
            finally:
                for work in background:
                    work.cancel()
                await asyncio.gather(*background, return_exceptions=True)
                if site is not None:
                    await site.stop()
                await server.stop()
                if stopping.failure is None:
                    await events.tell_the_rest()
        if stopping.failure is not None:
            raise Failure(
                f"{stopping.failure}; the server has stopped, and nothing that was stored is lost", ENVIRONMENT
            )
        say("stopped")


def _site(competition: Competition, settings: dict[str, Any], listen: str, tls: Tls | None, server: str) -> WebServer:
    """The page, as the settings have it."""
    from referee.web.server import WebServer, WebSettings
    from referee.web.source import of_competition

    return WebServer(
        of_competition(competition),
        WebSettings(
            listen,
            tls,
            settings["max_watchers"],
            settings["max_watchers_per_address"],
            settings["web_people"],
            _reach(server),
        ),
    )


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


def _greet(
    say: Any, address: str, db: str, certificate: str | None, admin: str | None, resumed: list[str], url: str = ""
) -> None:
    """Say where the server is and how to go on, ready to paste on this machine."""
    from rich.markup import escape

    from referee import __version__

    server = f"--server {_reach(address)}" + (f" --ca {shlex.quote(certificate)}" if certificate else "")
    db_shown = shown(db)
    where = "" if db == DEFAULT_DB else f" --db {shlex.quote(db_shown)}"
    spoken = " with TLS" if certificate else ""
    say(f"[bold]referee {__version__}[/bold] listens on [bold]{address}[/bold]{spoken}, database {escape(db_shown)}")
    say(f"  a new bot:     referee bot add mybot{where}", markup=False)
    say(f"  connect it:    REFEREE_TOKEN=… python mybot/bot.py {server}", markup=False)
    if certificate:
        say("                 (--tls in place of --ca, if a known authority has signed the certificate)", markup=False)
    say(f"  watch:         referee leaderboard {server}", markup=False)
    if url:
        say(f"  in a browser:  {url}", markup=False)
    if admin is not None:
        say(f"  admin token (shown once):  export REFEREE_ADMIN_TOKEN={admin}", markup=False)
    for name in resumed:
        say(f"  going on with the tournament {name}", markup=False)
    say("Ctrl-C stops it.", markup=False)


def _reach(address: str) -> str:
    """The address to connect to: a server that listens everywhere has none of its own, but the machine has a name."""
    host, _, port = address.rpartition(":")
    return f"{socket.gethostname()}:{port}" if host in ("", "0.0.0.0", "[::]") else address
