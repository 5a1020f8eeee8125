"""`referee events`: the audit trail, everything that happened to a tournament and to an installation, in words."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.arguments import AdminToken, AsJson, Ca, Db, Server
from referee.cli.backend import Backend, backend_of, tournament_named
from referee.cli.errors import wrong_use
from referee.cli.output import print_json, stderr_console, stdout_console

if TYPE_CHECKING:
    from referee.tournament.events import Event

USUAL_LIMIT = 50


def events(
    tournament: Annotated[
        str | None,
        typer.Argument(help="The tournament; without it all of them, and what belongs to none.", show_default=False),
    ] = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="Only what is about this bot.")] = None,
    kind: Annotated[str | None, typer.Option(metavar="KIND", help="Only this kind: forfeit, aside, state, …")] = None,
    alarms: Annotated[bool, typer.Option("--alarms", help="Only what a host should look at.")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many at most, the latest.")] = USUAL_LIMIT,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """List what happened, in the order in which it was stored: started, paused, forfeits, matches set aside, …

    It is read from the journal, so nothing in it can be changed unnoticed ('referee verify'). Matches that ended as
    they should are left out: 'referee matches' lists them. What happened to bots, admins and
    invitations, and what each admin did, is listed too: with --server for those who give an admin's token.
    """
    from referee.tournament.events import INSTALLATION_KINDS, KINDS
    from referee.tournament.events_together import together

    if kind is not None and kind not in (*KINDS, *INSTALLATION_KINDS):
        wrong_use(f"there is no kind of event {kind!r}: choose {', '.join((*KINDS, *INSTALLATION_KINDS))}")
    backend = backend_of(db, server, admin_token, ca)
    found = [
        event
        for event in _all(backend, tournament)
        if (bot is None or bot in (event.about.get("bot"), *event.about.get("bots", ())))
        and (kind is None or event.kind == kind)
        and (event.alarm or not alarms)
    ]
    found.sort(key=lambda event: event.at)  # stable: the order within a journal stays
    if json:
        print_json({"total": len(found), "events": [event.to_json() for event in found[-limit:]]})
        return
    found = together(found)
    shown = found[-limit:]
    if not shown:
        stderr_console().print("no event fits: leave out an option to see more", markup=False)
        return
    if len(found) > len(shown):
        stderr_console().print(f"{len(found) - len(shown)} earlier: --limit {len(found)} shows all", markup=False)
    _print(shown)


def _all(backend: Backend, tournament: str | None) -> Iterator[Event]:
    from referee.tournament.events import told_by

    if tournament is not None:
        tournament_named(backend, tournament)
        names = [tournament]
    else:
        yield from backend.installation_events()
        names = [row["name"] for row in backend.tournaments()]
    for name in names:
        with backend.published(name) as published:
            yield from told_by(name, published)


def _print(shown: list[Event]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for event in shown:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(event.at / 1000))
        table.add_row(at, Text(event.tournament), Text(event.text, style="bold" if event.alarm else ""))
    console = stdout_console()
    if not console.is_terminal:
        console.width = max(console.width, 200)
    console.print(table)
