"""`referee webhook`: tell a chat room or a program when a tournament starts or ends, a bot is away, another leads."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from referee.cli.arguments import AsJson, Db
from referee.cli.database import open_store
from referee.cli.errors import wrong_use
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
    json: AsJson = False,
) -> None:
    """Add a webhook. A running server on the same database uses it at once; without a server, messages wait.

    Kinds: tournament.started, tournament.finished, tournament.cancelled, bot.away, bot.benched, leader.changed.

    Example: referee webhook add class https://chat.example.org/hooks/abc --form slack --on tournament.finished
    """
    from referee.hall.webhook_forms import FORMS, check_url, new_secret
    from referee.store.outbox import KINDS

    check_url(url)
    if form not in FORMS:
        wrong_use(f"there is no form {form!r}: choose {', '.join(FORMS)}")
    kinds = list(KINDS) if on is None else [word.strip() for word in on.split(",") if word.strip()]
    for kind in kinds:
        if kind not in KINDS:
            wrong_use(f"there is no kind {kind!r}: choose from {', '.join(KINDS)}")
    if not kinds:
        wrong_use(f"--on is empty: choose from {', '.join(KINDS)}, or leave it out for all of them")
    secret = new_secret()
    with open_store(db, create=False) as store:
        store.webhooks.add(name, url, secret, form, kinds)
    if json:
        print_json({"name": name, "form": form, "kinds": kinds, "secret": secret})
        return
    say = stdout_console().print
    say(f"webhook {name} is added: {', '.join(kinds)}", markup=False, soft_wrap=True)
    if form == "standard":
        say(f"its messages are signed (shown once): {secret}", markup=False, soft_wrap=True)


@app.command("list")
def list_(db: Db = None, json: AsJson = False) -> None:
    """List the webhooks; addresses are secrets, so only their hosts are shown."""
    from urllib.parse import urlsplit

    with open_store(db, create=False) as store:
        found = store.webhooks.all()
    rows = [
        {"name": one.name, "host": urlsplit(one.url).hostname, "form": one.form, "kinds": list(one.kinds)}
        for one in found
    ]
    if json:
        print_json(rows)
        return
    for row in rows:
        kinds = ", ".join(str(kind) for kind in row["kinds"] or ())
        stdout_console().print(f"{row['name']}: {row['host']}, {row['form']}: {kinds}", markup=False, soft_wrap=True)


@app.command()
def remove(name: Name, db: Db = None) -> None:
    """Remove a webhook, with what it was still to be told."""
    with open_store(db, create=False) as store:
        store.webhooks.remove(name)
    stdout_console().print(f"webhook {name} is removed", markup=False)


@app.command("test")
def send_test(name: Name, db: Db = None) -> None:
    """Put a test message into the outbox: the server sends it soon, and 'referee webhook log' tells how it went."""
    from referee.store.outbox import TEST

    with open_store(db, create=False) as store:
        store.webhooks.announce(TEST, {}, store.webhooks.get(name).id)
    stdout_console().print(f"a test message waits for the server: referee webhook log {name}", markup=False)


@app.command()
def log(name: Name, db: Db = None, json: AsJson = False) -> None:
    """The latest messages to a webhook: delivered, waiting for another attempt, or given up."""
    with open_store(db, create=False) as store:
        rows = store.webhooks.messages(name)
    if json:
        print_json(rows)
        return
    for row in rows:
        at = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row["created"] / 1000))
        state = "delivered" if row["delivered"] is not None else "waiting" if row["due"] is not None else "given up"
        why = f" ({row['error']})" if row["error"] else ""
        attempts = f", {row['attempts']} attempts" if row["attempts"] > 1 else ""
        stdout_console().print(f"{at}  {row['kind']}: {state}{attempts}{why}", markup=False, soft_wrap=True)
