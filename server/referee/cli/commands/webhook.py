"""`referee webhook`: tell a chat room or a program when a tournament starts or ends, a bot is away, another leads."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from referee.cli.arguments import AdminToken, AsJson, Ca, Db, Server
from referee.cli.backend.webhooks import webhooks_of
from referee.cli.output import print_json, stdout_console

app = typer.Typer(no_args_is_help=True, help="Tell a chat room or a program what happens.")

Name = Annotated[str, typer.Argument(help="A name of your choice for the webhook.")]


@app.command()
def add(
    name: Name,
    url: Annotated[str, typer.Argument(help="Where to post: https, or http on this machine.")],
    form: Annotated[
        str,
        typer.Option(metavar="FORM", help="standard (signed JSON), slack (Mattermost takes it, too) or discord."),
    ] = "standard",
    on: Annotated[
        str | None, typer.Option(metavar="KINDS", help="Of what to tell, with commas.", show_default="everything")
    ] = None,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Add a webhook. A running server uses it at once; without a server, messages wait in the database.

    Kinds: tournament.started, tournament.finished, tournament.cancelled, bot.away, bot.benched, leader.changed.

    Example: referee webhook add class https://chat.example.org/hooks/abc --form slack --on tournament.finished
    """
    from referee.hall.webhook_forms import checked

    kinds = checked(url, form, None if on is None else [word.strip() for word in on.split(",") if word.strip()])
    secret = webhooks_of(db, server, admin_token, ca).add(name, url, form, kinds)
    if json:
        print_json({"name": name, "form": form, "kinds": kinds, "secret": secret})
        return
    say = stdout_console().print
    say(f"webhook {name} is added: {', '.join(kinds)}", markup=False, soft_wrap=True)
    if form == "standard":
        say(f"its messages are signed (shown once): {secret}", markup=False, soft_wrap=True)


@app.command("list")
def list_(
    db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None, json: AsJson = False
) -> None:
    """List the webhooks; addresses are secrets, so only their hosts are shown."""
    rows = webhooks_of(db, server, admin_token, ca).all()
    if json:
        print_json(rows)
        return
    for row in rows:
        kinds = ", ".join(row["kinds"])
        stdout_console().print(f"{row['name']}: {row['host']}, {row['form']}: {kinds}", markup=False, soft_wrap=True)


@app.command()
def remove(name: Name, db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None) -> None:
    """Remove a webhook, with what it was still to be told."""
    webhooks_of(db, server, admin_token, ca).remove(name)
    stdout_console().print(f"webhook {name} is removed", markup=False)


@app.command("test")
def send_test(name: Name, db: Db = None, server: Server = None, admin_token: AdminToken = None, ca: Ca = None) -> None:
    """Put a test message into the outbox: the server sends it soon, and 'referee webhook log' tells how it went."""
    webhooks_of(db, server, admin_token, ca).test(name)
    stdout_console().print(
        f"a test message waits for the server: 'referee webhook log {name}' tells what came of it", markup=False
    )


@app.command()
def log(
    name: Name,
    db: Db = None,
    server: Server = None,
    admin_token: AdminToken = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """The latest messages to a webhook: delivered, waiting for another attempt, or given up."""
    rows = webhooks_of(db, server, admin_token, ca).messages(name)
    if json:
        print_json(rows)
        return
    for row in rows:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row["created"] / 1000))
        state = "delivered" if row["delivered"] is not None else "waiting" if row["due"] is not None else "given up"
        why = f" ({row['error']})" if row["error"] else ""
        attempts = f", {row['attempts']} attempts" if row["attempts"] > 1 else ""
        stdout_console().print(f"{at}  {row['kind']}: {state}{attempts}{why}", markup=False, soft_wrap=True)
