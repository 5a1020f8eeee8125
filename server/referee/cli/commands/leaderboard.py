"""`referee leaderboard`: how a tournament stands, live or at this moment."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.connection import DEFAULT_DB, DEFAULT_SERVER, Ca, Db, Server, call, failure, open_store
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import AsJson, paper, print_json, print_table

if TYPE_CHECKING:
    from referee.store import Store
    from referee_leaderboard import Connection, Standings

POLL_SECONDS = 1.0
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 10.0


def leaderboard(
    tournament: Annotated[
        str | None, typer.Argument(help="Which tournament.", show_default="the running one, or the newest")
    ] = None,
    db: Db = None,
    server: Server = None,
    ca: Ca = None,
    once: Annotated[bool, typer.Option("--once", help="Print the table once instead of a live screen.")] = False,
    json: AsJson = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print the table as CSV.")] = False,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page.")] = None,
) -> None:
    """Watch a tournament: standings, progress, matches being played, crosstable (key 2), seats (key 3).

    Reads a database file or asks a server; without either, referee.db if it is here, or else the local server.
    """
    from referee_leaderboard import to_csv, to_html

    if db and server:
        raise Failure("give --db or --server, not both", WRONG_USE)
    if json + csv + (html is not None) > 1:
        raise Failure("choose one of --json, --csv and --html", WRONG_USE)
    if not db and not server:
        if Path(DEFAULT_DB).exists():
            db = DEFAULT_DB
        else:
            server = DEFAULT_SERVER
    if not (once or json or csv or html):
        asyncio.run(live(db, server, ca, tournament or ""))
        return
    standings = _now(db, server, ca, tournament or "")
    if json:
        print_json(standings.to_json_value())
    elif csv:
        sys.stdout.write(to_csv(standings))
    elif html is not None:
        try:
            html.write_text(to_html(standings), encoding="utf-8")
        except OSError as error:
            raise Failure(f"cannot write {html}: {error.strerror}", ENVIRONMENT) from None
        paper().print(f"wrote {html}", markup=False)
    else:
        print_table(standings)


def named(store: Store, tournament: str) -> str:
    """The tournament meant: by name, or without one the running or newest."""
    from referee.store import TournamentState

    if tournament:
        return store.tournaments.get(tournament).name
    every = store.tournaments.all()
    if not every:
        raise Failure("there is no tournament yet; 'referee tournament create' makes one", WRONG_USE)
    running = [one.name for one in every if one.state is TournamentState.RUNNING]
    return running[-1] if running else every[-1].name


def _now(db: str | None, server: str | None, ca: str | None, tournament: str) -> Standings:
    from referee_leaderboard import Standings

    if server:
        import json

        from arena.v1 import tournament_pb2 as pb

        request = pb.GetStandingsRequest(tournament=tournament)
        answer = call(server, None, ca, "TournamentService", "GetStandings", request)
        return Standings.from_json_value(json.loads(answer.standings_json))
    from referee.tournament.standings import from_store

    with open_store(db, create=False) as store:
        return from_store(store, named(store, tournament))


async def live(db: str | None, server: str | None, ca: str | None, tournament: str) -> None:
    """The live screen, until the tournament is over or the watcher leaves."""
    from referee_leaderboard import watch

    if server:
        await watch(_from_server(server, ca, tournament))
    else:
        with open_store(db, create=False) as store:
            await watch(_from_file(store, named(store, tournament)))


async def _from_file(store: Store, name: str) -> AsyncIterator[Standings | Connection]:
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


async def _from_server(server: str, ca: str | None, tournament: str) -> AsyncIterator[Standings | Connection]:
    """Standings as they come; a lost server is said, and asked again until it answers."""
    import json

    import grpc
    import grpc.aio

    from arena.v1 import tournament_pb2 as pb
    from arena.v1.tournament_pb2_grpc import TournamentServiceStub
    from referee_leaderboard import Connection, Standings, State

    heard = lost = False
    pause = FIRST_PAUSE
    while True:
        async with _channel(server, ca) as channel:
            try:
                answers: Any = TournamentServiceStub(channel).WatchStandings(
                    pb.WatchStandingsRequest(tournament=tournament)
                )
                async for answer in answers:
                    standings = Standings.from_json_value(json.loads(answer.standings_json))
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


def _channel(server: str, ca: str | None) -> Any:
    import grpc
    import grpc.aio

    options = [("grpc.keepalive_time_ms", 20_000), ("grpc.enable_retries", 0)]
    if ca is None:
        return grpc.aio.insecure_channel(server, options=options)
    try:
        certificate = Path(ca).read_bytes()
    except OSError as error:
        raise Failure(f"cannot read {ca}: {error.strerror}", WRONG_USE) from None
    return grpc.aio.secure_channel(server, grpc.ssl_channel_credentials(certificate), options=options)
