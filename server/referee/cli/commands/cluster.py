"""`referee cluster`: certificates for several machines, and the scheduler to which their workers connect."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.arguments import AsJson
from referee.cli.cluster_venue import Certs, need_cluster
from referee.cli.errors import ENVIRONMENT, Failure
from referee.cli.output import print_json, stderr_console, stdout_console
from referee.cli.stopping import Stopping

app = typer.Typer(help="Several machines: certificates, and the scheduler.", no_args_is_help=True)


@app.command()
def certs(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new folder.", show_default=False)],
    days: Annotated[int, typer.Option(min=1, max=3650, help="How long they are valid.")] = 365,
    json: AsJson = False,
) -> int:
    """Make an authority, and certificates for client, scheduler and workers.

    Example: referee cluster certs certs
    """
    need_cluster()
    from referee.workers.cluster.certs import CA_KEY, make_certs

    made = make_certs(folder, days)
    if json:
        print_json({"folder": str(folder), "files": [path.name for path in made], "days": days})
        return 0
    print = stdout_console().print
    print(f"{folder}: {', '.join(path.name for path in made)}", markup=False, soft_wrap=True)
    print(
        f"A worker needs ca.pem, worker.pem and worker-key.pem, and no other file. {CA_KEY} makes further "
        "certificates: keep it away from all of them.",
        markup=False,
        soft_wrap=True,
    )
    return 0


@app.command()
def scheduler(
    listen: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Where to listen: tls://HOST:PORT.")
    ] = "tcp://127.0.0.1:8786",
    certs: Certs = None,
) -> int:
    """Run the scheduler: workers and hosts connect to it. Use a user of its own: it runs what its members send.

    Example: referee cluster scheduler --listen tls://10.0.0.5:8786 --certs certs
    """
    need_cluster()
    import logging

    from referee.listening import try_bind, why_not
    from referee.logs import log_to_stderr
    from referee.workers.cluster.addresses import ClusterAddress
    from referee.workers.cluster.serving import serve_scheduler

    address = ClusterAddress.parse(listen, certs)
    address.security("scheduler")
    log_to_stderr(logging.WARNING)
    try:
        try_bind(f"{address.host}:{address.port}")
    except OSError as error:
        raise Failure(f"cannot listen on {address}: {why_not(error)}", ENVIRONMENT) from None

    async def serve() -> None:
        stopping = Stopping()
        await serve_scheduler(
            address, stopping.asked, lambda text: stderr_console().print(text, markup=False, soft_wrap=True)
        )

    asyncio.run(serve())
    return 0
