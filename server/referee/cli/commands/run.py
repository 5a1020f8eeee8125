"""`referee run`: a whole tournament in one command, on one machine or on the workers of a cluster."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import OPTION_HELP, AsJson, game_options, seconds
from referee.cli.building import BuildNetwork
from referee.cli.cluster_venue import Certs, Cluster, Place, cluster_address, on_cluster
from referee.cli.database import open_store
from referee.cli.database_outage import Outage
from referee.cli.errors import ENVIRONMENT, INTERRUPTED, WRONG_USE, Failure
from referee.cli.format_options import (
    Advance,
    Budget,
    Challengers,
    Confidence,
    FormatName,
    FormatSettings,
    Groups,
    Openings,
    Order,
    Seeding,
    ThirdPlace,
    UntilKnown,
    format_settings,
    opened,
    rated,
    until_settings,
)
from referee.cli.listing import print_forecast
from referee.cli.local_venue import (
    Concurrency,
    UseSandbox,
    Workers,
    find_bots,
    local_venue,
    name_bots,
    wants_sandbox,
)
from referee.cli.output import print_json, print_table, stderr_console, stdout_console
from referee.cli.run_result import print_faults, print_result
from referee.cli.standings_source import from_runner
from referee.cli.stopping import Stopping
from referee.cli.web import Web, check_web, start_web
from referee.workers.room import room_for

if TYPE_CHECKING:
    from referee.cli.cluster_venue import HostedVenue
    from referee.hosting.bot.spec import BotSpec
    from referee.listening import Tls
    from referee.rules.game import Game
    from referee.store import Store
    from referee.tournament.plan import Plan
    from referee.tournament.running.runner import Runner
    from referee.web.server import WebServer
    from referee_leaderboard import Standings

USUAL_PLAYERS = 4
USUAL_ROUNDS = 20
PROGRESS_SECONDS = 5.0
"""Between two lines of progress."""
SCREEN_SECONDS = 0.25
"""Between two looks at the standings for the live screen."""
STOPPING = "stopping after the running matches; Ctrl-C again stops at once"


def run(
    game: Annotated[str, typer.Argument(help="The game.")],
    bots: Annotated[
        list[str],
        typer.Argument(
            help="House bots by name, bot folders, Python files, or commands; a bot may be repeated. NAME=BOT gives a "
            "name, folder:BOT brings the folder of a lone file, stdio:BOT speaks JSON lines."
        ),
    ],
    players: Annotated[
        int | None, typer.Option("--players", "-p", help="Seats per match.", show_default="up to 4, as the game allows")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", "-r", min=1, help="How many rounds.", show_default="20, or the format's")
    ] = None,
    format: FormatName = "round-robin",
    schedule: Annotated[
        str, typer.Option(help="Of a round-robin: balanced, or full: every table in every seat rotation.")
    ] = "balanced",
    with_: FormatSettings = None,
    advance: Advance = None,
    groups: Groups = None,
    third_place: ThirdPlace = False,
    challengers: Challengers = None,
    seeding: Seeding = None,
    until: UntilKnown = None,
    confidence: Confidence = None,
    budget: Budget = None,
    order: Order = None,
    openings: Openings = 0,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Any text: the same text deals the same cards again. A bot that guesses it knows every deal: "
            "for tests and research, not for a competition.",
        ),
    ] = None,
    db: Annotated[
        str | None,
        typer.Option("--db", metavar="FILE", help="Keep the results here; the same command goes on where it stopped."),
    ] = None,
    concurrency: Concurrency = None,
    workers: Workers = None,
    limit: Annotated[str, typer.Option("--time", metavar="DURATION", help="Free time per decision.")] = "1s",
    bank: Annotated[str, typer.Option(metavar="DURATION", help="Time per match beyond it.")] = "30s",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help=OPTION_HELP),
    ] = None,
    mirror: Annotated[
        bool,
        typer.Option(
            "--mirror", help="Play every deal in every seat rotation, in fresh processes, a few per core at once."
        ),
    ] = False,
    sandbox: UseSandbox = True,
    build_network: BuildNetwork = False,
    cluster: Cluster = None,
    certs: Certs = None,
    web: Web = None,
    tls_cert: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Certificate chain (PEM), for --web with TLS.", show_default=False),
    ] = None,
    tls_key: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Its private key (PEM).", show_default=False)
    ] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Allow --web on a public address without TLS.")] = False,
    name: Annotated[str | None, typer.Option(help="Name of the tournament.", show_default="from the settings")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many matches, how long, what σ.")] = False,
    json: AsJson = False,
) -> int:
    """Play a tournament between bots on this machine, or on several, and rate them: a round-robin, or another format.

    Example: referee run flip7 mybot.py odds cautious random --rounds 50 --db practice.db
    """
    from referee.listening import Tls
    from referee.rules import registry
    from referee.tournament.formats.registry import MIRRORED
    from referee.tournament.lifecycle import check_seed
    from referee.tournament.local_run import name_for
    from referee.tournament.plan import Plan, checked

    chosen = registry.find(game)
    if (tls_cert is None) != (tls_key is None):
        raise Failure("--tls-cert and --tls-key go together", WRONG_USE)
    tls = Tls(tls_cert, tls_key) if tls_cert is not None and tls_key is not None else None
    page = (check_web(web, tls, insecure), tls) if web else None
    found = find_bots(game, bots)
    seats = players if players is not None else _usual_players(chosen, len(found))
    if len(found) < seats:
        raise Failure(
            f"{seats} players per match need at least {seats} bots, {len(found)} given: name more "
            "(a house bot may be named several times)",
            WRONG_USE,
        )
    check_seed(seed, repeatable=seed is not None)
    if schedule == "full" and rounds is not None:
        raise Failure("--rounds belongs to a balanced schedule; a full one has as many as it needs", WRONG_USE)
    names = name_bots(found)
    named = {"rounds": rounds, "advance": advance, "groups": groups, "third_place": third_place}
    others = {**named, "challengers": challengers, "seeding": seeding, "with": with_}
    drawn = until_settings(until, confidence, budget, format, names, others) or format_settings(
        format, named, challengers, seeding, with_, names, partial(_ratings, db)
    )
    if drawn and schedule != "balanced":
        raise Failure("--schedule belongs to a round-robin", WRONG_USE)
    fresh = mirror or drawn.get("name") in MIRRORED
    _, plan = checked(
        Plan(
            game=game,
            players=seats,
            schedule=schedule,
            rounds=(rounds or USUAL_ROUNDS) if schedule == "balanced" and not drawn else None,
            format=drawn,
            limit=seconds(limit),
            bank=seconds(bank),
            options=opened(game_options(chosen, option or []), openings),
            mirror=mirror,
            order=order or "",
            hosted={shown: bot.text for shown, bot in zip(names, found, strict=True)},
        ),
        len(found),
    )
    if dry_run:
        from referee.tournament.forecast import forecast

        expected = forecast(plan, names)
        if json:
            print_json(expected)
        else:
            print_forecast(expected, plan.players)
        return 0
    if cluster is not None:
        if workers is not None:
            raise Failure("--workers is for this machine: with --cluster, start 'referee worker' elsewhere", WRONG_USE)
        scheduler = cluster_address(cluster, certs)
        place = on_cluster(
            scheduler, plan, sandbox=sandbox, build_network=build_network, concurrency=concurrency, fresh=fresh
        )
    else:
        sandboxed = wants_sandbox(found, sandbox)
        room = room_for(found, seats, workers=workers, concurrency=concurrency, fresh=fresh)
        here = partial(local_venue, room=room, sandbox=sandboxed, build_network=build_network)
        place = Place(here, room.matches)
    with _store(db) as store:
        code: int = asyncio.run(
            _run(
                store,
                name or name_for(plan, seed),
                plan,
                found,
                seed,
                place,
                as_json=json,
                kept=db is not None,
                page=page,
            )
        )
    return code


def _ratings(db: str | None, tournament: str) -> dict[str, float]:
    """The ratings of an earlier tournament in the same file."""
    from referee.tournament.standings import from_store

    if db is None:
        raise Failure("--seeding TOURNAMENT needs --db FILE, where that tournament is", WRONG_USE)
    with open_store(db, create=False) as store:
        return rated(from_store(store, tournament))


def _usual_players(game: Game[Any], bots: int) -> int:
    least, most = game.seats
    return min(most, max(least, min(bots, USUAL_PLAYERS)))


@contextmanager
def _store(db: str | None) -> Iterator[Store]:
    """The database that was named, or one that is gone afterwards."""
    if db is not None:
        with open_store(db, owner="run") as store:
            yield store
        return
    with (
        tempfile.TemporaryDirectory(prefix="referee-run-") as folder,
        open_store(f"{folder}/run.db", owner="run") as store,
    ):
        yield store


async def _run(
    store: Store,
    name: str,
    plan: Plan,
    bots: list[BotSpec],
    seed: str | None,
    place: Place,
    *,
    as_json: bool,
    kept: bool,
    page: tuple[str, Tls | None] | None = None,
) -> int:
    from referee.store import PASSING, TournamentState
    from referee.tournament.fault_reasons import fault_reasons
    from referee.tournament.local_run import find_or_create
    from referee.tournament.mirrored_deals import differences
    from referee.tournament.standings import keep_final

    tournament = find_or_create(store, name, plan, plan.hosted, seed)
    if tournament.state in (TournamentState.FINISHED, TournamentState.CANCELLED):
        if not as_json:
            stderr_console().print(
                f"{name} is {tournament.state.value} already; another --seed or --name plays anew", markup=False
            )
        _print_stored(store, name, as_json=as_json, kept=kept)
        return 0
    again = "the same command goes on from here" if kept else "with --db FILE it could go on from here"
    hosted = dict(zip(plan.hosted, bots, strict=True))
    outage = Outage(store, again)
    while True:
        try:
            runner, venue, site, standings = await _play(store, name, place, hosted, page, as_json, again, outage)
            break
        except PASSING as error:
            await outage.usable_again(error)
            if store.tournaments.get(name).state is TournamentState.FINISHED:  # its end was stored after all
                _print_stored(store, name, as_json=as_json, kept=kept)
                return 0
    if runner.stopped:
        if site is not None:
            await site.stop()
        if _on_screen(as_json):
            print_table(standings)
            print_faults(fault_reasons(store, name), kept)
        stderr_console().print(
            f"stopped after {standings.matches_done} of {standings.matches_total} matches; {again}", markup=False
        )
        return INTERRUPTED
    if kept:
        keep_final(store, runner.tournament, standings)
    mirrored, faults = differences(store, name), fault_reasons(store, name)
    told = [text for text in (runner.repeated,) if text]  # of the standings just now, which are final
    shown = _without(standings, told)
    print_result(shown, store.tournaments.get(name), as_json, venue.notices + told, mirrored, faults, kept)
    _warn(told, as_json)
    if site is not None:
        sys.stdout.flush()
        stderr_console().print(f"the page stays at {site.url} until Ctrl-C", markup=False)
        await Stopping().asked.wait()
        await site.stop()
    return 0


def _print_stored(store: Store, name: str, *, as_json: bool, kept: bool) -> None:
    """The result of a tournament that is over, from what is stored of it."""
    from referee.tournament.fault_reasons import fault_reasons
    from referee.tournament.mirrored_deals import differences
    from referee.tournament.repeated_matches import warning
    from referee.tournament.standings import from_store

    mirrored, faults = differences(store, name), fault_reasons(store, name)
    told = [text for text in (warning(store, name),) if text]
    shown = _without(from_store(store, name), told)
    print_result(shown, store.tournaments.get(name), as_json, told, mirrored, faults, kept)
    _warn(told, as_json)


async def _play(
    store: Store,
    name: str,
    place: Place,
    hosted: dict[str, BotSpec],
    page: tuple[str, Tls | None] | None,
    as_json: bool,
    again: str,
    outage: Outage,
) -> tuple[Runner, HostedVenue, WebServer | None, Standings]:
    """Play a tournament to its end, or until it is stopped; StoreError if the database fails."""
    from referee.tournament.running.runner import Runner

    async with place.open(hosted) as venue:
        runner = Runner(store, name, venue, concurrency=place.matches)
        place.bind(venue, runner)
        site = None if page is None else _site(store, runner, venue, *page)
        try:
            if site is not None:
                stderr_console().print(f"in a browser: {await start_web(site)}", markup=False)
            await _watch(runner, venue, as_json, again, outage)
            return runner, venue, site, await runner.standings()
        except BaseException:
            if site is not None:
                await site.stop()
            raise


def _without(standings: Standings, told: list[str]) -> Standings:
    """The standings without what is said below them in full."""
    return replace(standings, notices=tuple(text for text in standings.notices if text not in told))


def _warn(texts: list[str], as_json: bool) -> None:
    """What has to be said about the result; in JSON it is among the notices."""
    for text in texts if not as_json else []:
        stdout_console().print(text, markup=False, soft_wrap=True)


def _site(store: Store, runner: Runner, venue: HostedVenue, listen: str, tls: Tls | None) -> WebServer:
    """The page of this tournament."""
    from referee.web.server import WebServer, WebSettings
    from referee.web.source import of_run

    return WebServer(of_run(store, runner, venue.watched), WebSettings(listen, tls, server=""))


async def _watch(runner: Runner, venue: HostedVenue, as_json: bool, again: str, outage: Outage) -> None:
    """Play, and show how it goes: a live screen on a terminal, lines otherwise; `again` says how to go on later."""
    from referee.store import PASSING
    from referee_leaderboard import Feed, plain_progress_line, watch

    loop = asyncio.get_running_loop()
    screen: asyncio.Task[None] | None = None
    say, warn = venue.on_notice, outage.say

    def asked() -> None:
        runner.stop("interrupted")
        if outage.give_up():
            runner.break_off()
        elif screen is None and not as_json:
            stderr_console().print(STOPPING, markup=False)

    def insisted() -> None:
        outage.give_up()
        runner.break_off()

    def left(_: object) -> None:
        venue.on_notice, outage.say = say, warn
        if outage.away:
            warn(outage.away)
        for text in venue.notices:  # what the screen has shown went away with it
            say(text)
        if not playing.done() and not outage.ends:
            stopping.ask()
            stderr_console().print(STOPPING, markup=False)

    # Matches that are broken off are played again another time.
    stopping = Stopping(on_asked=asked, on_insisted=insisted)
    playing = loop.create_task(runner.run())
    venue.failed.add_done_callback(lambda failed: playing.cancel() if not failed.cancelled() else None)
    feed = Feed()
    if _on_screen(as_json):
        venue.on_notice = outage.say = lambda text: None  # the screen shows it
        screen = loop.create_task(watch(feed, final=False))
        screen.add_done_callback(left)
    try:
        async for standings in from_runner(runner, playing, PROGRESS_SECONDS if screen is None else SCREEN_SECONDS):
            if screen is None:
                stderr_console().print(plain_progress_line(standings), markup=False)
            else:
                words = [text for text in (outage.away, STOPPING if runner.stopped else "") if text]
                words += venue.notices[::-1]
                feed.put(replace(standings, notices=(*words, *standings.notices)))
        playing.result()
    except PASSING as error:  # told at once: playing ends only when what is to be written was written, or given up
        outage.ends_playing(error)
        raise
    except asyncio.CancelledError:
        if venue.failed.done() and venue.failed.exception() is not None:
            raise Failure(f"{venue.failed.exception()}; {again}", ENVIRONMENT) from None
        raise
    finally:
        feed.close()
        if not playing.done():  # its standings could not be read: it must not go on unseen
            playing.cancel()
            await asyncio.wait({playing})
        if screen is not None:
            await asyncio.wait({screen}, timeout=2)


def _on_screen(as_json: bool) -> bool:
    """Whether stdout is a terminal that can show a live screen."""
    return not as_json and sys.stdout.isatty() and not stdout_console().is_dumb_terminal
