"""`referee rules`: the rules of a game, as its bots meet them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from referee.cli.output import stdout_console


def rules(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="The name of a game; 'referee games' lists them.", show_default=False)
    ],
    raw: Annotated[bool, typer.Option("--raw", help="Print the Markdown file as it is.")] = False,
) -> None:
    """Show the rules of a game: how it goes, how moves are written, what a bot sees.

    Example: [bold]referee rules flip7[/bold]
    """
    from referee.rules import registry

    text = registry.find(game).rules()
    if raw:
        sys.stdout.write(text)
        return
    from rich.markdown import Markdown

    console = stdout_console()
    console.print(Markdown(text), width=min(console.width, 100))
