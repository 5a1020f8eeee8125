"""`referee run`: a whole tournament in one command on one machine."""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import OPTION_HELP, game_options, seconds
from referee.cli.building import BuildNetwork, build_bots
from referee.cli.database import open_store
from referee.cli.errors import ENVIRONMENT, INTERRUPTED, WRONG_USE, Failure
from referee.cli.output import AsJson, aside, paper, print_table
from referee.cli.run_result import print_result
from referee.cli.standings_source import from_runner
from referee.cli.stopping import Stopping

if TYPE_CHECKING:
    from referee.hosting.admission.capacity import Share
    from referee.hosting.bot.spec import BotSpec
    from referee.rules.game import Game
    from referee.store import Store
    from referee.tournament.plan import Plan
    from referee.tournament.running.runner import Runner
    from referee.workers.worker_pool import WorkersVenue

USUAL_PLAYERS = 4
USUAL_ROUNDS = 20
PER_WORKER = 256
"""Matches at once per worker: many, so that a message carries many questions."""
PROGRESS_SECONDS = 5.0
"""Between two lines of progress."""
SCREEN_SECONDS = 0.25
"""Between two looks at the standings for the live screen."""
STOPPING = "stopping after the running matches; Ctrl-C again stops at once"


def run(
    game: Annotated[str, typer.Argument(help="The game.")],
    bots: Annotated[
        list[str],
        typer.Argument(help="House bots by name, bot folders, Python files, or commands; a name may be repeated."),
    ],
    players: Annotated[
        int | None, typer.Option("--players", "-p", help="Seats per match.", show_default="up to 4, as the game allows")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", "-r", min=1, help="Rounds of a balanced schedule.", show_default="20")
    ] = None,
    schedule: Annotated[str, typer.Option(help="balanced, or full: every table in every seat rotation.")] = "balanced",
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
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", "-c", min=1, help="Most matches at once.", show_default="as many as fit"),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Worker processes; fewer are used if not all bots fit.", show_default="one per core"),
    ] = None,
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
    sandbox: Annotated[
        bool, typer.Option("--sandbox/--no-sandbox", help="Shut bots in; --no-sandbox only for bots you trust.")
    ] = True,
    build_network: BuildNetwork = False,
    name: Annotated[str | None, typer.Option(help="Name of the tournament.", show_default="from the settings")] = None,
    json: AsJson = False,
) -> int:
    """Play a round-robin between bots on this machine and rate them.

    Example: referee run flip7 mybot.py odds cautious random --rounds 50 --db practice.db
    """
    from referee.hosting.admission.capacity import cores_at_hand, of_this_machine, share_out
    from referee.hosting.bot import spec as specs
    from referee.rules import registry
    from referee.tournament.local_run import name_for
    from referee.tournament.plan import Plan, check_seed, checked, distinct

    chosen = registry.find(game)
    found = [specs.parse(text) for text in bots]
    for bot in found:
        if not bot.plays(game):
            raise Failure(f"{bot.name} does not play {game}, only {', '.join(bot.games)}", WRONG_USE)
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
    names = distinct([bot.name for bot in found])
    _, plan = checked(
        Plan(
            game=game,
            players=seats,
            schedule=schedule,
            rounds=(rounds or USUAL_ROUNDS) if schedule == "balanced" else None,
            limit=seconds(limit),
            bank=seconds(bank),
            options=game_options(chosen, option or []),
            mirror=mirror,
            hosted={shown: bot.text for shown, bot in zip(names, found, strict=True)},
        ),
        len(found),
    )
    walls = sandbox and any(bot.kind is not specs.Kind.HOUSE for bot in found)
    if walls:
        _need_sandbox()
    cores = workers or cores_at_hand()
    if concurrency is not None:
        cores = min(cores, concurrency)
    hosted = [bot for bot in found if bot.kind is not specs.Kind.HOUSE]
    fits = of_this_machine((bot.memory for bot in hosted), fresh=mirror)
    share = share_out(fits, cores, len(hosted), seats, fresh=mirror, matches=concurrency)
    with _store(db) as store:
        code: int = asyncio.run(
            _run(
                store,
                name or name_for(plan, seed),
                plan,
                found,
                seed,
                sandbox=walls,
                build_network=build_network,
                share=share,
                concurrency=min(concurrency or share.workers * PER_WORKER, share.matches or sys.maxsize),
                as_json=json,
                kept=db is not None,
            )
        )
    return code


def _usual_players(game: Game[Any], bots: int) -> int:
    least, most = game.seats
    return min(most, max(least, min(bots, USUAL_PLAYERS)))


def _need_sandbox() -> None:
    from referee.hosting.sandbox.bubblewrap import probe, what_holds

    missing = probe()
    if missing:
        raise Failure(
            f"the sandbox for hosted bots cannot be had here: {missing}",
            ENVIRONMENT,
        )
    aside().print(f"sandbox: {what_holds()}", style="dim", markup=False, soft_wrap=True)


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
    *,
    sandbox: bool,
    build_network: bool,
    share: Share,
    concurrency: int,
    as_json: bool,
    kept: bool,
) -> int:
    from referee.logs import log_to_stderr
    from referee.store import TournamentState
    from referee.tournament.local_run import find_or_create
    from referee.tournament.mirrored_deals import differences
    from referee.tournament.running.runner import Runner
    from referee.tournament.standings import from_store
    from referee.workers.worker_pool import Hosting, WorkersVenue

    log_to_stderr(logging.WARNING)
    tournament = find_or_create(store, name, plan, plan.hosted, seed)
    if tournament.state in (TournamentState.FINISHED, TournamentState.CANCELLED):
        if not as_json:
            aside().print(
                f"{name} is {tournament.state.value} already; another --seed or --name plays anew", markup=False
            )
        print_result(from_store(store, name), tournament, as_json, [], differences(store, name))
        return 0
    await build_bots(bots, shut_in=sandbox, network=build_network)
    venue = WorkersVenue(Hosting(plan.hosted, Path.cwd(), sandbox, share, max(1, min(256, concurrency))))
    venue.on_notice = lambda text: aside().print(text, markup=False)
    again = "the same command goes on from here" if kept else "with --db FILE it could go on from here"
    await venue.open()
    runner = Runner(store, name, venue, concurrency=concurrency)
    try:
        await _watch(runner, venue, as_json, again)
        standings = await runner.standings()
    finally:
        await venue.close()
    if runner.stopped:
        if _on_screen(as_json):
            print_table(standings)
        aside().print(
            f"stopped after {standings.matches_done} of {standings.matches_total} matches; {again}", markup=False
        )
        return INTERRUPTED
    print_result(standings, store.tournaments.get(name), as_json, venue.notices, differences(store, name))
    return 0


async def _watch(runner: Runner, venue: WorkersVenue, as_json: bool, again: str) -> None:
    """Play, and show how it goes: a live screen on a terminal, lines otherwise; `again` says how to go on later."""
    from referee_leaderboard import Feed, plain_progress_line, watch

    loop = asyncio.get_running_loop()
    screen: asyncio.Task[None] | None = None
    say = venue.on_notice

    def asked() -> None:
        runner.stop("interrupted")
        if screen is None and not as_json:
            aside().print(STOPPING, markup=False)

    def left(_: object) -> None:
        venue.on_notice = say
        for text in venue.notices:  # what the screen has shown went away with it
            say(text)
        if not playing.done():
            stopping.ask()
            aside().print(STOPPING, markup=False)

    # Matches that are broken off are played again another time.
    stopping = Stopping(on_asked=asked, on_insisted=runner.break_off)
    playing = loop.create_task(runner.run())
    venue.failed.add_done_callback(lambda failed: playing.cancel() if not failed.cancelled() else None)
    feed = Feed()
    if _on_screen(as_json):
        venue.on_notice = lambda text: None  # the screen shows it
        screen = loop.create_task(watch(feed, final=False))
        screen.add_done_callback(left)
    try:
        async for standings in from_runner(runner, playing, PROGRESS_SECONDS if screen is None else SCREEN_SECONDS):
            if screen is None:
                aside().print(plain_progress_line(standings), markup=False)
            else:
                words = ([STOPPING] if runner.stopped else []) + venue.notices[::-1]
                feed.put(replace(standings, notices=(*words, *standings.notices)))
        playing.result()
    except asyncio.CancelledError:
        if venue.failed.done() and venue.failed.exception() is not None:
            raise Failure(f"{venue.failed.exception()}; {again}", ENVIRONMENT) from None
        raise
    finally:
        feed.close()
        if screen is not None:
            await asyncio.wait({screen}, timeout=2)


def _on_screen(as_json: bool) -> bool:
    """Whether there is somebody to show a live screen to."""
    return not as_json and sys.stdout.isatty() and not paper().is_dumb_terminal
