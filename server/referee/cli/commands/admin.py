"""`referee admin`: people who help to run a competition, their roles and tokens."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.arguments import AdminToken, AsJson, Ca, Db, Server
from referee.cli.backend import backend_of
from referee.cli.errors import wrong_use
from referee.cli.output import print_json, stdout_console
from referee.cli.tokens import ADMIN_TOKEN, check_new_file, keep

if TYPE_CHECKING:
    from referee.cli.backend import Row

app = typer.Typer(no_args_is_help=True, help="People who help to run a competition: names, roles, tokens.")

ROLES = ("host", "helper", "spectator")
Name = Annotated[str, typer.Argument(help="The admin's name; 'host' is whoever has the first admin token.")]
RoleWord = Annotated[
    str,
    typer.Option(
        "--role",
        metavar="ROLE",
        help="host (everything), helper (pause, resume, annul) or spectator (look at bots, invitations, events).",
    ),
]
Save = Annotated[
    Path | None,
    typer.Option("--save", metavar="FILE", help="Write the token into a new file for its owner alone; not shown."),
]


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="The admin's name.")],
    role: RoleWord = "helper",
    save: Save = None,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Give a person a token of their own, and a role. The token is shown this once.

    Example: referee admin add ada --role helper
    """
    _check(role)
    check_new_file(save)
    token = backend_of(db, server, admin_token, ca).add_admin(name, role)
    _show(name, token, save, json, f"is {_a(role)} now")


@app.command()
def rotate(
    name: Name,
    save: Save = None,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Give an admin a new token; the old one is void at once, also while a server runs.

    Example: referee admin rotate host
    """
    check_new_file(save)
    token = backend_of(db, server, admin_token, ca).rotate_admin(name)
    _show(name, token, save, json, "has a new token, and the old one is void")


@app.command()
def role(
    name: Name,
    role: Annotated[str, typer.Argument(metavar="ROLE", help="host, helper or spectator.")],
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Give an admin another role; the token stays."""
    _check(role)
    backend_of(db, server, admin_token, ca).set_admin_role(name, role)
    stdout_console().print(f"{name} is {_a(role)} now", markup=False)


@app.command()
def remove(name: Name, db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None) -> None:
    """Make an admin's token void."""
    backend_of(db, server, admin_token, ca).remove_admin(name)
    stdout_console().print(f"{name} is not an admin any more", markup=False)


@app.command("list")
def list_(
    db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None, json: AsJson = False
) -> None:
    """List the admins and their roles. 'referee events --kind action' lists what they did."""
    rows = backend_of(db, server, admin_token, ca).admins()
    if json:
        print_json(rows)
        return
    _print(rows)


def _check(role: str) -> None:
    if role not in ROLES:
        wrong_use(f"there is no role {role!r}: choose {', '.join(ROLES)}")


def _a(role: str) -> str:
    return f"a {role}"


def _show(name: str, token: str, save: Path | None, as_json: bool, what: str) -> None:
    if save is not None:
        keep(save, ADMIN_TOKEN, token)
    if as_json:
        print_json({"name": name, "token": token} if save is None else {"name": name, "file": str(save)})
        return
    out = stdout_console()
    if save is not None:
        out.print(f"{name} {what}; the token is in {save}", markup=False)
        return
    out.print(f"{name} {what}. The token, shown this once:", markup=False)
    out.print(f"  export {ADMIN_TOKEN}={token}", markup=False, soft_wrap=True)


def _print(rows: list[Row]) -> None:
    from rich.table import Table
    from rich.text import Text

    if not rows:
        stdout_console().print("no admins yet; 'referee serve' makes the first one", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("admin", "role", "added"):
        table.add_column(heading)
    for row in rows:
        added = time.strftime("%Y-%m-%d", time.localtime(row["added"])) if row["added"] else ""
        table.add_row(Text(row["name"]), row["role"], added)
    stdout_console().print(table)
