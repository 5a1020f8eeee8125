"""`referee invite`: codes and links that authors turn into a bot and its token, each once."""

from __future__ import annotations

import csv as csvlib
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.arguments import AdminToken, AsJson, Ca, Db, Server, seconds
from referee.cli.backend import backend_of
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure, wrong_use
from referee.cli.output import print_json, stderr_console, stdout_console
from referee.cli.tokens import check_new_file

if TYPE_CHECKING:
    from referee.cli.backend import Row

app = typer.Typer(invoke_without_command=True, help="Invite authors: each code becomes a bot and its token, once.")

NEVER = "never"
DAYS = 14
"""For how many days an invitation is open, unless told otherwise."""


@app.callback()
def invite(
    context: typer.Context,
    count: Annotated[
        int | None, typer.Option("--count", "-n", min=1, max=10_000, help="How many.", show_default="1")
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option("--for", metavar="FILE", help="One for each line of a file: names or addresses, noted with it."),
    ] = None,
    expires: Annotated[
        str, typer.Option(metavar="DURATION", help="For how long they are open: 36h, 14d, or 'never'.")
    ] = f"{DAYS}d",
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The page's address: writes links, which lead to the form of the page."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A new CSV file for the codes, readable by you alone.")
    ] = None,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Make invitations. Give one to each author, who chooses the bot's name: 'referee join', or the page (--web).

    A code works once and then is void. Only its hash is stored, so it is shown here and never again.

    Examples: [bold]referee invite --count 30[/bold], [bold]referee invite --for class.txt --out invitations.csv[/bold]
    """
    if context.invoked_subcommand is not None:
        return
    notes = [] if names is None else _lines(names)
    if count is not None and names is not None:
        wrong_use("give --count or --for, not both: --for makes one for each line")
    if url is not None and not url.startswith(("http://", "https://")):
        wrong_use(f"{url!r} is not the address of a page: write https://HOST")
    check_new_file(out)
    lasting = None if expires == NEVER else _seconds(expires)
    rows = backend_of(db, server, admin_token, ca).invite(len(notes) or count or 1, lasting, notes)
    if url is not None:
        for row in rows:
            row["link"] = f"{url.rstrip('/')}/join#{row['code']}"
    if out is not None:
        _write(out, rows)
        stderr_console().print(f"{len(rows)} invitations are in {out}", markup=False)
    if json:
        print_json(rows)
    elif out is None:
        for row in rows:
            sys.stdout.write("  ".join(filter(None, [row.get("link") or row["code"], row["note"]])) + "\n")
        _explain(rows, url)


@app.command("list")
def list_(
    db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None, json: AsJson = False
) -> None:
    """List the invitations: open, redeemed (and by which bot), revoked or expired."""
    rows = backend_of(db, server, admin_token, ca).invitations()
    if json:
        print_json(rows)
        return
    _print(rows)


@app.command()
def revoke(
    numbers: Annotated[
        list[int] | None, typer.Argument(min=1, metavar="[N]…", help="Their numbers.", show_default=False)
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="All that are open.")] = False,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
) -> None:
    """Make open invitations void."""
    backend = backend_of(db, server, admin_token, ca)
    if bool(numbers) == all_:
        wrong_use("name the invitations by number, or give --all ('referee invite list' shows them)")
    chosen = numbers or [row["number"] for row in backend.invitations() if row["state"] == "open"]
    if chosen:
        backend.revoke_invitations(chosen)
    stdout_console().print(f"{_count(len(chosen))} revoked", markup=False)


def _seconds(text: str) -> float:
    if text.endswith("d") and text[:-1].isdecimal() and len(text) < 6:
        text = f"{int(text[:-1]) * 24}h"
    given = seconds(text)
    if given < 1:
        wrong_use(f"--expires {text} is too short: a second is the least, '{NEVER}' is allowed")
    return given


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}", WRONG_USE) from None
    except UnicodeDecodeError:
        raise Failure(f"{path} is not text in UTF-8: save it as such", WRONG_USE) from None
    found = [line.strip() for line in lines if line.strip()]
    if not found:
        raise Failure(f"{path} holds no line: write one for each invitation", WRONG_USE)
    return found


def _write(path: Path, rows: Iterable[Row]) -> None:
    try:
        with os.fdopen(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w", newline=""
        ) as file:
            lines = csvlib.writer(file, lineterminator="\n")
            lines.writerow(["number", "code", "link", "note"])
            lines.writerows([row["number"], row["code"], row.get("link", ""), row["note"]] for row in rows)
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror}", ENVIRONMENT) from None


def _explain(rows: list[Row], url: str | None) -> None:
    until = rows[0]["expires"]
    open_ = "open until they are used" if until is None else f"open until {_at(until)}"
    how = "" if url else "; authors type: referee join --server HOST:PORT --name MYBOT"
    stderr_console().print(f"{_count(len(rows))}, {open_}{how}", markup=False)


def _print(rows: list[Row]) -> None:
    from rich.table import Table
    from rich.text import Text

    if not rows:
        stdout_console().print("no invitations yet; make some with: referee invite --count 30", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("number", "state", "bot", "for", "made by", "expires"):
        table.add_column(heading, overflow="fold")
    for row in rows:
        expires = "" if row["expires"] is None or row["state"] == "redeemed" else _at(row["expires"])
        cells = [row["bot"], row["note"], row["made_by"]]
        table.add_row(str(row["number"]), row["state"], *map(Text, cells), expires)
    stdout_console().print(table)


def _at(moment: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment))


def _count(number: int) -> str:
    return f"{number:,} invitation{'' if number == 1 else 's'}"
