"""`referee new`: a bot that runs, to start from."""

from __future__ import annotations

import re
import shlex
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.errors import wrong_use
from referee.cli.output import paper
from referee.cli.skeleton import write

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,31}")
MARKS = {"python": "bot.py", "sh": "bot.sh"}
"""The file with the three lines to change, per language."""


def new(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The bot's folder; its name is the bot's.", show_default=False)
    ],
    game: Annotated[str, typer.Option("--game", "-g", help="The game it plays.", show_default=False)],
    lang: Annotated[str, typer.Option("--lang", "-l", help=f"The language: {', '.join(MARKS)}.")] = "python",
) -> None:
    """Make a bot that can play at once, and say what to type next. Nothing is ever overwritten.

    Example: [bold]referee new mybot --game flip7[/bold]
    """
    from referee.rules import registry

    chosen = registry.find(game)
    if lang not in MARKS:
        near = get_close_matches(lang, MARKS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(MARKS)}"
        wrong_use(f"unknown language {lang!r}; {hint} (for others: 'referee bridge', or an SDK)")
    name = folder.resolve().name
    if not NAME.fullmatch(name):
        wrong_use(f"{name!r} is no name for a bot: up to 32 letters, digits, dots, dashes and underscores")
    words = {"name": name, "game": chosen.name, "title": chosen.title} | _view(chosen.name)
    write(folder, lang, words)
    _tell(folder, chosen.name, lang)


def _view(game: str) -> dict[str, str]:
    """How a Python bot gets at its view: typed where the SDK knows the game."""
    module = f"arena.games.{game}.v1"
    try:
        known = find_spec(f"{module}.{game}_pb2") is not None
    except ImportError:
        known = False
    if not known:
        return {"view_import": "", "view_line": "view = decision.view"}
    return {
        "view_import": f"\nfrom {module} import {game}_pb2 as {game}",
        "view_line": f"view: {game}.View = decision.view",
    }


def _tell(folder: Path, game: str, lang: str) -> None:
    from rich.text import Text

    from referee.hosting.bot import folders
    from referee.rules import registry

    where = shlex.quote(f"./{folder}" if len(folder.parts) == 1 else str(folder))
    source = shlex.quote(str(folder / "bot.py"))
    house = folders.names(game, inside=True)
    others = " ".join((house * 2)[: max(2, registry.find(game).seats.least) - 1])
    connect = f"python {source} --token TOKEN" if lang == "python" else f"referee bridge --token TOKEN -- {where}"
    console = paper()
    console.print(
        Text.assemble(("made ", ""), (str(folder), "bold green"), f": a bot that plays {game}"), soft_wrap=True
    )
    steps = (
        (f"{folder / MARKS[lang]}", "three lines to change: (1) what you see, (2) what it is worth, (3) what you do"),
        (f"referee rules {game}", "the rules, the moves, the view"),
        (f"referee check {where}", "is it fit to play?"),
        (f"referee run {game} {where} {others}", "let it play"),
        (connect, "connect it to a host's server"),
    )
    width = max(len(command) for command, _ in steps)
    for command, why in steps:
        console.print(Text.assemble("  ", (f"{command:<{width}}", "bold"), f"  {why}"), soft_wrap=True)
