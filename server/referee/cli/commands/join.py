"""`referee join`: an author turns an invitation into a bot and its token."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.arguments import AsJson, Ca
from referee.cli.author import DEFAULT, AuthorServer
from referee.cli.connection import call
from referee.cli.output import print_json, stdout_console
from referee.cli.tokens import INVITATION, TOKEN, asked, check_new_file, in_file, keep


def join(
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The name of your bot.", show_default=False)],
    server: AuthorServer = DEFAULT,
    code_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"A file with the code; without it {INVITATION}, or you are asked."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Write the token into a new file for you alone; it is not shown."),
    ] = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Turn an invitation into a bot and its token, once.

    The code is asked for, or read from REFEREE_INVITATION or --code-file. If the name is refused, the code stays good.

    Example: [bold]referee join --server arena.example.org:7700 --name mybot --save mybot.env[/bold]
    """
    from arena.v1 import invitation_pb2 as pb

    check_new_file(save)
    if code_file is not None:
        code = in_file(code_file, INVITATION)
    elif not (code := os.environ.get(INVITATION, "").strip()):
        how = f"the invitation is missing: give its code in {INVITATION}, or name its file with --code-file"
        code = asked("The code of your invitation", how)
    request = pb.RedeemInvitationRequest(code=code, name=name)
    made = call(server, None, ca, "InvitationService", "RedeemInvitation", request)
    if save is not None:
        keep(save, TOKEN, made.token)
    if json:
        print_json({"name": made.name} | ({"token": made.token} if save is None else {"file": str(save)}))
        return
    out = stdout_console()
    if save is not None:
        said = f"{made.name} is registered; its token is in {save}: set -a; . {_sourced(save)}; set +a"
        out.print(said, markup=False, soft_wrap=True)
        return
    out.print(f"{made.name} is registered. Its token, shown this once:", markup=False)
    out.print(f"  export {TOKEN}={made.token}", markup=False, soft_wrap=True)


def _sourced(file: Path) -> str:
    """The file as a shell reads it: one that has no folder would be looked for in PATH."""
    return shlex.quote(str(file) if "/" in str(file) else f"./{file}")
