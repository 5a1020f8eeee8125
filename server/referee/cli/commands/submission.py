"""`referee submission`: the versions of a submitted bot, their logs, going back, and taking the bot back."""

from __future__ import annotations

from typing import Annotated

import typer

from referee.cli.arguments import AsJson, Ca
from referee.cli.author import DEFAULT, Author, AuthorServer, OfBot, TokenFile, print_versions, version_row
from referee.cli.output import print_json, stdout_console

app = typer.Typer(no_args_is_help=True, help="Versions of a submitted bot: list, log, rollback, retire.")

MOST = 2**32 - 1


@app.command("list")
def list_(
    server: AuthorServer = DEFAULT,
    token_file: TokenFile = None,
    of: OfBot = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """List the versions of a bot, the oldest first: state, hash, size and reason."""
    from arena.v1 import submission_pb2 as pb

    author = Author.of(server, ca, token_file, of)
    rows = [version_row(one) for one in author.call("ListVersions", pb.ListVersionsRequest(bot=author.bot)).versions]
    if json:
        print_json(rows)
    else:
        print_versions(rows)


@app.command()
def log(
    version: Annotated[
        int | None, typer.Argument(min=1, max=MOST, help="Its number; without it the latest.", show_default=False)
    ] = None,
    server: AuthorServer = DEFAULT,
    token_file: TokenFile = None,
    of: OfBot = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Show what building and checking a version wrote."""
    from arena.v1 import submission_pb2 as pb

    author = Author.of(server, ca, token_file, of)
    answer = author.call("GetVersionLog", pb.GetVersionLogRequest(bot=author.bot, number=version or 0))
    row = version_row(answer.version)
    if json:
        print_json({**row, "log": answer.log})
        return
    why = f": {row['reason']}" if row["reason"] else ""
    out = stdout_console()
    out.print(f"{row['bot']} version {row['version']} is {row['state']}{why}", markup=False, soft_wrap=True)
    out.print(answer.log.rstrip("\n") or "nothing was written", markup=False, soft_wrap=True)


@app.command()
def rollback(
    version: Annotated[int, typer.Argument(min=1, max=MOST, help="Its number.")],
    server: AuthorServer = DEFAULT,
    token_file: TokenFile = None,
    of: OfBot = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Make an earlier version active again; matches that are being played go on to their end."""
    from arena.v1 import submission_pb2 as pb

    author = Author.of(server, ca, token_file, of)
    request = pb.ActivateVersionRequest(bot=author.bot, number=version)
    row = version_row(author.call("ActivateVersion", request).version)
    if json:
        print_json(row)
        return
    stdout_console().print(f"{row['bot']} plays with version {row['version']}", markup=False)


@app.command()
def retire(
    reason: Annotated[str, typer.Option(help="Why, for the host's journal.")] = "",
    server: AuthorServer = DEFAULT,
    token_file: TokenFile = None,
    of: OfBot = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Take the active version back: the bot plays here no longer, unless it connects."""
    from arena.v1 import submission_pb2 as pb

    author = Author.of(server, ca, token_file, of)
    row = version_row(author.call("RetireVersion", pb.RetireVersionRequest(bot=author.bot, reason=reason)).version)
    if json:
        print_json(row)
        return
    stdout_console().print(f"{row['bot']} version {row['version']} is retired; the bot may connect again", markup=False)
