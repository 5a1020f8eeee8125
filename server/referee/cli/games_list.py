"""The list of installed games: what `referee games` prints."""

from __future__ import annotations

from typing import Any

from referee.cli.output import print_json, stdout_console


def list_games(as_json: bool = False) -> None:
    """Print every game that is installed, with its seats and options."""
    from referee.rules import registry
    from referee.rules.game import WrongUse

    found, broken = [], []
    for name in registry.names():
        try:
            found.append(registry.find(name))
        except WrongUse as error:
            broken.append(str(error))
    if as_json:
        print_json({"games": [_value(game) for game in found], "broken": broken})
    else:
        _print(found)
    if broken:
        from referee.cli.errors import ENVIRONMENT, Failure

        raise Failure("; ".join(broken), ENVIRONMENT)


def _value(game: Any) -> dict[str, Any]:
    return {
        "name": game.name,
        "title": game.title,
        "version": game.version,
        "players": {"least": game.seats.least, "most": game.seats.most},
        "options": {name: {"default": o.default, "about": o.about} for name, o in game.options.items()},
        "mirroring": game.mirroring,
    }


def _print(found: list[Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("game", "title", "players", "options"):
        table.add_column(heading, no_wrap=heading != "options")
    for game in found:
        options = Text("\n").join(
            Text.assemble((name, "cyan"), f" = {_short(option.default)}  ", (option.about, "dim"))
            for name, option in game.options.items()
        )
        table.add_row(Text(game.name, "bold green"), Text(game.title), str(game.seats), options)
    console = stdout_console()
    console.print(table)
    console.print()
    for told, names in _mirroring(found).items():
        console.print(Text(f"--mirror in {', '.join(names)}: {told}", "dim"))
    console.print("The rules of a game: [bold]referee rules GAME[/bold]", style="dim")


def _mirroring(found: list[Any]) -> dict[str, list[str]]:
    """What mirrored deals bring, and in which games."""
    told: dict[str, list[str]] = {}
    for game in found:
        if game.mirroring:
            told.setdefault(game.mirroring, []).append(game.name)
    return told


def _short(value: Any) -> str:
    text = "none" if value is None else str(value)
    return text if len(text) <= 32 else text[:31] + "…"
