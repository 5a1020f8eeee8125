"""Where standings come from: a database file that is followed, a server's stream, or a tournament played right here."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from referee.cli.connection import credentials, failure, live_channel
from referee.cli.errors import WRONG_USE, Failure

if TYPE_CHECKING:
    import grpc

    from referee.store import Store
    from referee.tournament.running.runner import Runner
    from referee_leaderboard import Connection, Standings

POLL_SECONDS = 1.0
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 10.0


def meant(store: Store, tournament: str) -> str:
    """The tournament meant: by name, or without one the running or newest."""
    from referee.store import TournamentState

    if tournament:
        return store.tournaments.get(tournament).name
    every = store.tournaments.all()
    if not every:
        raise Failure("there is no tournament yet: 'referee tournament create' makes one", WRONG_USE)
    running = [one.name for one in every if one.state is TournamentState.RUNNING]
    return running[-1] if running else every[-1].name


async def from_file(store: Store, name: str) -> AsyncIterator[Standings]:
    """Standings as the file has them, looked at every second until the tournament is over."""
    from referee.threads import in_thread
    from referee.tournament.standings import Follower
    from referee_leaderboard import State

    follower = await in_thread(Follower, store, name)
    while True:
        standings = await in_thread(follower.update)
        yield standings
        if standings.state in (State.FINISHED, State.CANCELLED):
            return
        await asyncio.sleep(POLL_SECONDS)


async def from_runner(runner: Runner, playing: asyncio.Future[None], every: float) -> AsyncIterator[Standings]:
    """Standings of a tournament that is played in this process, once per so many seconds while it is `playing`."""
    while True:
        await asyncio.wait({playing}, timeout=every)
        if playing.done():
            return
        if runner.started.is_set():
            yield await runner.standings()


def from_server(server: str, ca: str | None, tournament: str) -> AsyncIterator[Standings | Connection]:
    """Standings as they come; a lost connection is reported, and tried again until the server answers."""
    return _from_server(server, credentials(server, ca), tournament)


async def _from_server(
    server: str, trusted: grpc.ChannelCredentials | None, tournament: str
) -> AsyncIterator[Standings | Connection]:
    import grpc
    import grpc.aio

    from arena.v1 import tournament_pb2 as pb
    from arena.v1.tournament_pb2_grpc import TournamentServiceStub
    from referee_leaderboard import Connection, Standings, State
    from referee_leaderboard.changes import applied, by_name, by_rank

    heard = lost = False
    pause = FIRST_PAUSE
    while True:
        async with live_channel(server, trusted) as channel:
            try:
                answers: Any = TournamentServiceStub(channel).WatchStandings(
                    pb.WatchStandingsRequest(tournament=tournament, changes=True)
                )
                value: Any = None
                async for answer in answers:
                    if answer.changes_json:
                        value = applied(value, json.loads(answer.changes_json))
                    else:
                        value = by_name(json.loads(answer.standings_json))
                    standings = Standings.from_json_value(by_rank(value))
                    tournament = standings.tournament
                    heard, pause = True, FIRST_PAUSE
                    if lost:
                        lost = False
                        yield Connection()
                    yield standings
                    if standings.state in (State.FINISHED, State.CANCELLED):
                        return
                why, busy = "the server ended the stream", False
            except grpc.aio.AioRpcError as error:
                busy = error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                if busy:
                    why = error.details() or "no room for one more"
                    pause = max(pause, _told_pause(error))
                elif not heard or error.code() is grpc.StatusCode.NOT_FOUND:
                    raise failure(error, server) from None
                else:
                    why = error.code().name.lower().replace("_", " ")
        lost = True
        yield Connection.turned_away(pause, why) if busy else Connection.lost(pause, why)
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


def _told_pause(error: Any) -> float:
    """After how many seconds the server says it is worth trying again."""
    for key, value in error.trailing_metadata() or ():
        if key == "retry-after-ms" and str(value).isdecimal():
            return min(float(value) / 1000, LONGEST_PAUSE)
    return 0.0
