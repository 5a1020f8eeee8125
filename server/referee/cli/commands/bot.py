"""`referee bot`: who may play."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from referee.cli.connection import AdminToken, Ca, Db, Server, call, open_store
from referee.cli.listing import one_of
from referee.cli.output import AsJson, paper, print_json

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
    one_of(db, server)
    if server:
        from arena.v1 import admin_pb2 as pb

        token = call(server, admin_token, ca, "AdminService", "AddBot", pb.AddBotRequest(name=name)).token
    else:
        from referee.hall.roster import Roster

        with open_store(db) as store:
            token = Roster(store).add(name).token
    _show_token(name, token, json, "is registered")


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
    one_of(db, server)
    if server:
        from arena.v1 import admin_pb2 as pb

        token = call(server, admin_token, ca, "AdminService", "RotateBot", pb.RotateBotRequest(name=name)).token
    else:
        with open_store(db, create=False) as store:
            token = store.bots.rotate(name).token
    _show_token(name, token, json, "has a new token")


@app.command()
def revoke(name: Name, db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None) -> None:
    """Shut a bot out: its token is void and its stream is closed."""
    one_of(db, server)
    if server:
        from arena.v1 import admin_pb2 as pb

        call(server, admin_token, ca, "AdminService", "RevokeBot", pb.RevokeBotRequest(name=name))
    else:
        with open_store(db, create=False) as store:
            store.bots.revoke(name)
    paper().print(f"{name} is revoked", markup=False)


@app.command("list")
def list_(
    db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None, json: AsJson = False
) -> None:
    """List the bots; with --server also who is connected."""
    one_of(db, server)
    rows: list[dict[str, Any]]
    if server:
        from arena.v1 import admin_pb2 as pb

        answer = call(server, admin_token, ca, "AdminService", "ListBots", pb.ListBotsRequest())
        rows = [
            {
                "name": bot.name,
                "kind": "house" if bot.house else "remote",
                "revoked": bot.revoked,
                "added": bot.added,
                "connected": bot.connected,
                "client": bot.client,
                "playing": bot.playing,
            }
            for bot in answer.bots
        ]
    else:
        with open_store(db, create=False) as store:
            rows = [
                {
                    "name": bot.name,
                    "kind": bot.kind.value,
                    "revoked": bot.revoked is not None,
                    "added": bot.created / 1000,
                }
                for bot in store.bots.all()
            ]
    if json:
        print_json(rows)
        return
    _show_bots(rows)


def _show_token(name: str, token: str, as_json: bool, what: str) -> None:
    if as_json:
        print_json({"name": name, "token": token})
        return
    out = paper()
    out.print(f"{name} {what}. Its token, shown this once:", markup=False)
    out.print(f"  export REFEREE_TOKEN={token}", markup=False, soft_wrap=True)


def _show_bots(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    if not rows:
        paper().print("no bots yet; register one with: referee bot add NAME", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("bot", "kind", "state", "added"):
        table.add_column(heading)
    for row in rows:
        state = "revoked" if row["revoked"] else ""
        if row.get("connected"):
            state = f"connected ({row['client']}), {row['playing']} playing"
        added = time.strftime("%Y-%m-%d %H:%M", time.localtime(row["added"]))
        table.add_row(Text(row["name"]), row["kind"], Text(state), added)
    paper().print(table)
