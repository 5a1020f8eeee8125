"""`referee worker`: this machine plays matches for a tournament that runs elsewhere (`referee run --cluster`)."""

from __future__ import annotations

import asyncio
import os
import socket
from typing import Annotated

import typer

from referee.cli.cluster_venue import Certs, need_cluster
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import stderr_console
from referee.cli.stopping import Stopping

USUAL_CACHE = 1024


def worker(
    scheduler: Annotated[
        str, typer.Option("--scheduler", metavar="ADDRESS", help="The scheduler: tls://HOST:PORT.", show_default=False)
    ],
    certs: Certs = None,
    cores: Annotated[
        int | None, typer.Option(min=1, help="Cores to use.", show_default="all that this machine grants")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What this worker is called.", show_default="host and process")
    ] = None,
    cache: Annotated[int, typer.Option(metavar="MB", min=0, help="Bots that are kept for later.")] = USUAL_CACHE,
    sandbox: Annotated[
        bool,
        typer.Option("--sandbox/--no-sandbox", help="Shut bots in; --no-sandbox lets a host play bots without."),
    ] = True,
) -> int:
    """Play matches for a host: takes its bots, builds and runs them in the sandbox here, and sends records back.

    Example: referee worker --scheduler tls://10.0.0.5:8786 --certs certs
    """
    need_cluster()
    import logging

    from referee.hosting.sandbox.bubblewrap import probe, what_holds
    from referee.logs import log_to_stderr
    from referee.workers.cluster.addresses import ClusterAddress
    from referee.workers.cluster.reaching import Mistaken, Unreachable
    from referee.workers.cluster.serving import cache_folder, cache_in, serve_worker
    from referee.workers.cluster.site import Machine

    address = ClusterAddress.parse(scheduler, certs)
    address.security("worker")
    if sandbox:
        if (missing := probe()) is not None:
            raise Failure(f"the sandbox for hosted bots cannot be had here: {missing}", ENVIRONMENT)
        _tell(f"sandbox: {what_holds()}")
    if name is not None and not name.strip():
        raise Failure("--name is empty: leave it out, or give the worker a name", WRONG_USE)
    log_to_stderr(logging.WARNING)
    shown = name or f"{socket.gethostname()}-{os.getpid()}"

    async def play() -> None:
        stopping = Stopping(on_insisted=lambda: os._exit(130))
        with cache_folder() as folder:
            machine = Machine(cache_in(folder, cache << 20), cores, sandbox=sandbox)
            await serve_worker(address, machine, shown, stopping.asked, _tell)

    try:
        asyncio.run(play())
    except Mistaken as error:
        raise Failure(f"the scheduler {address} cannot be used: {error}", ENVIRONMENT) from None
    except Unreachable as error:
        raise Failure(str(error), ENVIRONMENT) from None
    return 0


def _tell(text: str) -> None:
    stderr_console().print(text, markup=False, soft_wrap=True)
