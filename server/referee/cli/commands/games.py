"""`referee games`: lists the installed games."""

from __future__ import annotations

from referee.cli.arguments import AsJson
from referee.cli.games_list import list_games


def games(as_json: AsJson = False) -> None:
    """List every game that is installed, with its seats and options.

    Example: [bold]referee games[/bold]
    """
    list_games(as_json)
