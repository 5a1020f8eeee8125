"""Where a command plays bots on several machines: workers of a dask scheduler (`--cluster`)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer

from referee.cli.errors import ENVIRONMENT, Failure
from referee.cli.output import stderr_console

if TYPE_CHECKING:
    from referee.hosting.bot.spec import BotSpec
    from referee.tournament.plan import Plan
    from referee.tournament.running.runner import Runner
    from referee.workers.cluster.addresses import ClusterAddress
    from referee.workers.cluster.trust import Trust
    from referee.workers.cluster.venue import ClusterVenue
    from referee.workers.worker_pool import WorkersVenue

Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on the workers of this scheduler: tls://HOST:PORT.",
        show_default=False,
    ),
]
Certs = Annotated[
    Path | None,
    typer.Option(
        "--certs",
        metavar="DIR",
        envvar="REFEREE_CERTS",
        help="Certificates for tls:// ('referee cluster certs').",
        show_default=False,
    ),
]
HostedVenue: TypeAlias = "WorkersVenue | ClusterVenue"
FIRST_ROOM = 64
"""Matches under way until the first worker has said how many it plays at once."""
PURGE_SECONDS = 1.0
PURGE_TRIES = 30


class Place(NamedTuple):
    """Where a tournament is played."""

    open: Callable[[Mapping[str, BotSpec]], AbstractAsyncContextManager[Any]]
    """Gives the venue, with these bots under these names."""
    matches: int
    """Under way at once, to begin with."""
    bind: Callable[[Any, Runner], object] = lambda venue, runner: None
    """Called with the venue and the runner before the first match."""


def need_cluster() -> None:
    """Failure if dask is not installed."""
    if find_spec("distributed") is None or find_spec("cryptography") is None:
        raise Failure("several machines need dask: pip install 'referee-arena[cluster]'", ENVIRONMENT)


def cluster_address(text: str, certs: Path | None) -> ClusterAddress:
    """The scheduler that a person has named; WrongUse if it is none, or public without TLS, or lacks certificates."""
    need_cluster()
    from referee.workers.cluster.addresses import ClusterAddress

    address = ClusterAddress.parse(text, certs)
    address.security("client")
    return address


def on_cluster(
    address: ClusterAddress,
    plan: Plan,
    *,
    sandbox: bool,
    build_network: bool,
    concurrency: int | None,
    fresh: bool,
) -> Place:
    """A tournament on the workers of a scheduler; which of them are believed is known however often it is opened."""
    from referee.workers.cluster.trust import Trust

    there = partial(
        cluster_venue,
        trust=Trust(),
        address=address,
        plan=plan,
        sandbox=sandbox,
        build_network=build_network,
        concurrency=concurrency,
        fresh=fresh,
    )
    return Place(there, min(FIRST_ROOM, concurrency or FIRST_ROOM), bind)


@asynccontextmanager
async def cluster_venue(
    bots: Mapping[str, BotSpec],
    *,
    trust: Trust,
    address: ClusterAddress,
    plan: Plan,
    sandbox: bool,
    build_network: bool,
    concurrency: int | None,
    fresh: bool,
) -> AsyncIterator[ClusterVenue]:
    """The cluster, with these bots under these names; what there is to tell goes to stderr."""
    from referee.logs import log_to_stderr
    from referee.workers.cluster.connection import Connection
    from referee.workers.cluster.crew import ClusterRun
    from referee.workers.cluster.reaching import Mistaken, Unreachable
    from referee.workers.cluster.venue import ClusterVenue

    log_to_stderr(logging.WARNING)
    run = ClusterRun(
        bots,
        Path.cwd(),
        plan.game,
        plan.players,
        sandbox=sandbox,
        build_network=build_network,
        concurrency=concurrency,
        fresh=fresh,
    )
    venue = ClusterVenue(Connection(address), run, trust=trust)
    venue.on_notice = lambda text: stderr_console().print(text, markup=False, soft_wrap=True)
    try:
        await venue.open()
    except Mistaken as error:
        raise Failure(f"the scheduler {address} cannot be used: {error}", ENVIRONMENT) from None
    except Unreachable as error:
        raise Failure(
            f"the scheduler {address} does not answer ({error}): 'referee cluster scheduler' starts one", ENVIRONMENT
        ) from None
    try:
        yield venue
    finally:
        await venue.close()


def bind(venue: ClusterVenue, runner: Runner) -> None:
    """Let a runner have as many matches under way as the workers take, and have purged results played again."""

    def room(matches: int) -> None:
        runner.concurrency = matches

    async def purge(matches: list[str], why: str) -> None:
        from referee.store import PASSING, NotAllowed
        from referee.threads import in_thread
        from referee.tournament.moderation import Action, rule

        await runner.started.wait()
        said, tries = "", 0
        while matches and tries < PURGE_TRIES:
            try:
                for match in list(matches):
                    try:
                        await in_thread(rule, runner.store, runner.tournament.name, Action.REPLAY, match, why)
                    except NotAllowed as error:  # not stored yet, or of a round from which another was drawn
                        said = str(error)
                    else:
                        matches.remove(match)
                await runner.amend()
                tries += 1
            except PASSING:  # the runner says so, and goes on when the database is back
                pass
            if matches:
                await asyncio.sleep(PURGE_SECONDS)
        if matches:
            venue.notice(f"{len(matches)} results of a worker that is not believed could not be replaced: {said}")

    venue.on_room = room
    venue.on_purge = purge
