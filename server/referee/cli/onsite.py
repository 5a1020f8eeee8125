"""A tournament of house bots played right here, in this process, on the database file."""

from __future__ import annotations

import asyncio
import logging
import shlex
import time
from typing import TYPE_CHECKING

from referee.cli.database import open_store
from referee.cli.errors import ENVIRONMENT, INTERRUPTED, WRONG_USE, Failure
from referee.cli.output import aside, print_table
from referee.cli.stopping import Stopping
from referee.masking import shown

if TYPE_CHECKING:
    from referee.store import Store

PROGRESS_SECONDS = 2.0


def play_here(name: str, db: str | None, concurrency: int | None = None) -> int:
    """Play a tournament of house bots in this process; with others, mark it as running for the next server."""
    from referee.logs import log_to_stderr
    from referee.store import BotKind, TournamentState
    from referee.tournament.plan import check_playable

    log_to_stderr(logging.WARNING)
    with open_store(db, owner="tournament", create=False) as store:
        tournament = store.tournaments.get(name)
        if tournament.state in (TournamentState.FINISHED, TournamentState.CANCELLED):
            raise Failure(f"{name} is {tournament.state.value}: create a new tournament", WRONG_USE)
        check_playable(tournament)
        bots = {bot.id: bot for bot in store.bots.all()}
        remote = [
            entrant.name
            for entrant in store.tournaments.entrants(tournament.id)
            if bots[entrant.bot].kind is BotKind.REMOTE
        ]
        if remote:
            store.tournaments.set_state(tournament.id, TournamentState.RUNNING)
            where = f" --db {shlex.quote(shown(db))}" if db else ""
            aside().print(
                f"{name} is running as soon as a server is: 'referee serve{where}' waits for {', '.join(remote)}",
                markup=False,
            )
            return 0
        return asyncio.run(_play(store, name, concurrency))


async def _play(store: Store, name: str, concurrency: int | None) -> int:
    from referee.gc_pauses import short_pauses
    from referee.hall.competition import USUAL_CONCURRENCY, Competition
    from referee_leaderboard import State, plain_progress_line

    competition = Competition(store, concurrency=concurrency or USUAL_CONCURRENCY)
    competition.start()
    loop = asyncio.get_running_loop()
    failures: list[BaseException] = []
    competition.director.on_failure = failures.append
    stopping = Stopping()
    try:
        async with short_pauses(quiet=lambda: competition.idle):
            await competition.director.control(name, "start")
            draining = None
            said = time.monotonic()
            while name in competition.director.runners:
                if stopping.asked.is_set() and draining is None:
                    draining = loop.create_task(competition.director.stop())
                if stopping.insisted.is_set():
                    await competition.director.abandon()
                    break
                if time.monotonic() - said > PROGRESS_SECONDS:
                    said = time.monotonic()
                    aside().print(plain_progress_line(await competition.director.standings(name)), markup=False)
                await asyncio.sleep(0.02)
        if failures:
            raise failures[0]
        if draining is not None:
            aside().print(f"stopped; 'referee tournament resume {name}' goes on from here", markup=False)
            return INTERRUPTED
        standings = await competition.director.standings(name)
        if standings.state is not State.FINISHED:
            raise Failure(f"{name} could not be played to its end and is {standings.state.value}", ENVIRONMENT)
        print_table(standings)
        return 0
    finally:
        await competition.stop()
