"""`referee leaderboard`: how a tournament stands, live or at this moment."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.arguments import AsJson, Ca, Db, Server
from referee.cli.backend import backend_of
from referee.cli.defaults import DEFAULT_DB, DEFAULT_SERVER
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import print_json, print_table, stdout_console
from referee.cli.terminal import tables_on_stdout


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
    """Watch a tournament: standings, progress, matches, crosstable (key 2), seats (key 3), strengths (key 4).

    Reads a database file or asks a server; without either, referee.db if it is here, or else the local server.
    """
    if not db and not server and not Path(DEFAULT_DB).exists():
        server = DEFAULT_SERVER
    backend = backend_of(db, server, ca=ca)
    if json + csv + (html is not None) > 1:
        raise Failure("choose one of --json, --csv and --html", WRONG_USE)
    if not (once or json or csv or html):
        asyncio.run(backend.watch(tournament or ""))
        return
    standings = backend.standings(tournament or "")
    if json:
        print_json(standings.to_json_value())
    elif csv:
        from referee_leaderboard import to_csv

        tables_on_stdout()
        sys.stdout.write(to_csv(standings))
    elif html is not None:
        from referee_leaderboard import to_html

        try:
            html.write_text(to_html(standings), encoding="utf-8")
        except OSError as error:
            raise Failure(f"cannot write {html}: {error.strerror}", ENVIRONMENT) from None
        stdout_console().print(f"wrote {html}", markup=False)
    else:
        print_table(standings)
