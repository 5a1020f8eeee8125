"""`referee backup`: a copy of the database, made while a server runs, and checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.arguments import AsJson, Db
from referee.cli.database import store_errors
from referee.cli.defaults import DEFAULT_DB
from referee.cli.output import print_json, stdout_console


def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="A new file for the copy.")],
    db: Db = None,
    json: AsJson = False,
) -> None:
    """Copy the database to a new file; a server may go on meanwhile.

    The copy is whole as of one moment and is checked before it gets its name. To go back to it, stop the server, move
    the old file away together with its -wal and -shm files, and put the copy in its place. The copy holds the secret
    deals of running tournaments, so only its owner can read it.

    Example: referee backup "league-$(date +%F).db" --db league.db
    """
    from referee.store.address import parse_address
    from referee.store.backup import back_up

    with store_errors():
        size = back_up(parse_address(db or DEFAULT_DB), target)
    if json:
        print_json({"file": str(target), "bytes": size})
        return
    stdout_console().print(f"{target}: {size:,} bytes, checked", markup=False, soft_wrap=True)
