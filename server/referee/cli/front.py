"""`referee` itself: what it says about itself before any command."""

from __future__ import annotations

from typing import Annotated

import typer

from referee import __version__


def front(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Referee runs bot competitions: authoritative games, reproducible matches, a live leaderboard."""
    if version:
        typer.echo(f"referee {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
