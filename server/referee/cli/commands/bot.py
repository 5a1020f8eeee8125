"""`referee bot`: register bots, and rotate or revoke their tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.arguments import AdminToken, AsJson, Ca, Db, Server
from referee.cli.backend import backend_of
from referee.cli.listing import print_bots
from referee.cli.output import print_json, stderr_console, stdout_console

app = typer.Typer(no_args_is_help=True, help="Register bots and their tokens.")

Name = Annotated[str, typer.Argument(help="The bot's name.")]


@app.command()
def add(
    name: Name,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Register a bot and show its token, this once."""
    token = backend_of(db, server, admin_token, ca).add_bot(name)
    _show_token(name, token, json, "is registered")


@app.command("add-all")
def add_all(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A CSV file with a column 'name'; others are ignored.")],
    tokens: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A new file for the tokens, readable by you alone; without it, stdout."),
    ] = None,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Register all bots of a CSV file and write their names and tokens as CSV, this once.

    Names that cannot be registered are found before the first one is: then none is.

    Example: referee bot add-all class.csv --tokens tokens.csv
    """
    from referee.cli.registration import check_new, read_names, write_tokens

    names = read_names(file)
    backend = backend_of(db, server, admin_token, ca)
    check_new(names, backend, file)
    with write_tokens(tokens) as write:
        for name in names:
            write(name, backend.add_bot(name))
    if tokens is not None:
        stderr_console().print(f"{len(names)} bots are registered; their tokens are in {tokens}", markup=False)


@app.command()
def rotate(
    name: Name,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Give a bot a new token; the old one is void and its stream is closed. Lets a revoked bot in again."""
    token = backend_of(db, server, admin_token, ca).rotate_bot(name)
    _show_token(name, token, json, "has a new token")


@app.command()
def revoke(name: Name, db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None) -> None:
    """Shut a bot out: its token is void and its stream is closed."""
    backend_of(db, server, admin_token, ca).revoke_bot(name)
    stdout_console().print(f"{name} is revoked", markup=False)


@app.command("list")
def list_(
    db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None, json: AsJson = False
) -> None:
    """List the bots; with --server also who is connected."""
    rows = backend_of(db, server, admin_token, ca).bots()
    if json:
        print_json(rows)
        return
    print_bots(rows)


def _show_token(name: str, token: str, as_json: bool, what: str) -> None:
    if as_json:
        print_json({"name": name, "token": token})
        return
    out = stdout_console()
    out.print(f"{name} {what}. Its token, shown this once:", markup=False)
    out.print(f"  export REFEREE_TOKEN={token}", markup=False, soft_wrap=True)
