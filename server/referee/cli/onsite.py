"""`referee tournament start` on a file: a tournament of house bots played in this process, without a server."""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from referee.cli.database import open_store
from referee.cli.errors import ENVIRONMENT, INTERRUPTED, WRONG_USE, Failure
from referee.cli.output import print_table, stderr_console
from referee.cli.standings_source import from_runner
from referee.cli.stopping import Stopping
from referee.masking import shown

if TYPE_CHECKING:
    from referee.hall.director import Director
    from referee.store import Store

Acting = Callable[["Store"], AbstractContextManager[None]]
PROGRESS_SECONDS = 2.0
"""Between two lines of progress."""


def play_here(name: str, db: str | None, concurrency: int | None, acting: Acting) -> int:
    """Play a tournament of house bots in this process; with others, mark it as running for the next server.

    It is started inside `acting`, which keeps who did it.
    """
    from referee.logs import log_to_stderr
    from referee.store import BotKind, TournamentState
    from referee.tournament.lifecycle import check_playable

    log_to_stderr(logging.WARNING)
    with open_store(db, owner="tournament", create=False) as store:
        tournament = store.tournaments.get(name)
        if tournament.state in (TournamentState.FINISHED, TournamentState.CANCELLED):
            raise Failure(
                f"{name} is {tournament.state.value}: 'referee tournament reopen {name}' first, or create a new one",
                WRONG_USE,
            )
        check_playable(tournament)
        bots = {bot.id: bot for bot in store.bots.all()}
        remote = [
            entrant.name
            for entrant in store.tournaments.entrants(tournament.id)
            if bots[entrant.bot].kind is BotKind.REMOTE
        ]
        if remote:
            with acting(store):
                store.tournaments.set_state(tournament.id, TournamentState.RUNNING)
            where = f" --db {shlex.quote(shown(db))}" if db else ""
            stderr_console().print(
                f"{name} goes on as soon as a server runs: start 'referee serve{where}', which waits for "
                f"{', '.join(remote)}",
                markup=False,
            )
            return 0
        return asyncio.run(_play(store, name, concurrency, acting))


async def _play(store: Store, name: str, concurrency: int | None, acting: Acting) -> int:
    from referee.gc_pauses import short_pauses
    from referee.hall.competition import USUAL_CONCURRENCY, Competition
    from referee_leaderboard import State, plain_progress_line

    competition = Competition(store, concurrency=concurrency or USUAL_CONCURRENCY)
    competition.start()
    director = competition.director
    failures: list[BaseException] = []
    director.on_failure = failures.append
    loop = asyncio.get_running_loop()
    stopping = Stopping()
    try:
        async with short_pauses(quiet=lambda: competition.idle):
            with acting(store):
                await director.control(name, "start")
            obeying = loop.create_task(_obey(stopping, director))
            if (runner := director.runners.get(name)) is not None:
                playing = loop.create_task(director.wait_until_stopped(name))
                async for standings in from_runner(runner, playing, PROGRESS_SECONDS):
                    stderr_console().print(plain_progress_line(standings), markup=False)
            stopped = stopping.asked.is_set()
            obeying.cancel()
        if failures:
            raise failures[0]
        if stopped:
            stderr_console().print(f"stopped; 'referee tournament resume {name}' goes on from here", markup=False)
            return INTERRUPTED
        standings = await director.standings(name)
        if standings.state is not State.FINISHED:
            raise Failure(f"{name} could not be played to its end and is {standings.state.value}", ENVIRONMENT)
        print_table(standings)
        return 0
    finally:
        await competition.stop()


async def _obey(stopping: Stopping, director: Director) -> None:
    """Stop after the running matches at the first signal, and at once at the second."""
    await stopping.asked.wait()
    draining = asyncio.ensure_future(director.stop())
    await stopping.insisted.wait()
    await director.abandon()
    await draining
