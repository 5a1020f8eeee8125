"""`referee new-game`: a game that runs, in a package of its own, to start from."""

from __future__ import annotations

import keyword
import re
import shlex
import sys
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.errors import wrong_use
from referee.cli.output import stdout_console
from referee.cli.skeleton import write

LONGEST = 32


def new_game(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="What the game is called: lower_snake_case.", show_default=False)
    ],
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Where it is made.", show_default="./NAME")
    ] = None,
) -> None:
    """Make a game that can be played at once, as a package of its own, and say what to type next.

    The package holds a small game of cards with everything a game has: rules, view, options, scenarios, tests that call
    the laws, and the entry point through which Referee finds it. Nothing is ever overwritten.

    Example: [bold]referee new-game my_game[/bold]
    """
    _check_name(name)
    target = Path(name) if folder is None else folder
    words = {
        "name": name,
        "dashed": name.replace("_", "-"),
        "title": name.replace("_", " ").title(),
        "Class": "".join(part.capitalize() for part in name.split("_")),
        "referee": _distribution(),
    }
    write(target, "game", words)
    _tell(target, name)


def _check_name(name: str) -> None:
    """The name serves as a Python package, as a word on the command line and on the wire."""
    from referee.rules import registry

    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or len(name) > LONGEST:
        wrong_use(
            f"{name!r} is not a name for a game: small letters, digits and single underscores, a letter first, "
            f"at most {LONGEST} of them, such as 'my_game'"
        )
    if name in registry.names():
        wrong_use(f"there is a game called {name!r} already ('referee games' lists them): choose another name")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        wrong_use(f"{name!r} is a word of the language Python: choose another name")
    if name in sys.stdlib_module_names or _is_a_module(name):
        wrong_use(f"there is a Python module called {name!r} already, which the game would hide: choose another name")


def _is_a_module(name: str) -> bool:
    """Whether Python would import something under this name; a folder that merely lies here is nothing yet."""
    found = find_spec(name)
    return found is not None and found.origin is not None


def _distribution() -> str:
    """The name under which Referee itself is installed, for the dependencies of the new package."""
    for entry in entry_points(group="console_scripts", name="referee"):
        if entry.dist is not None:
            return entry.dist.name
    return "referee"


def _tell(folder: Path, name: str) -> None:
    from rich.text import Text

    where = shlex.quote(f"./{folder}" if len(folder.parts) == 1 else str(folder))
    console = stdout_console()
    console.print(Text.assemble("made ", (str(folder), "bold green"), f": the game {name}"), soft_wrap=True)
    steps = (
        (f"pip install -e {where}", "into the environment that has the command 'referee'"),
        (f"referee check-game {name}", "does it keep every law of a game?"),
        (f"referee scenario {shlex.quote(str(folder / 'scenarios'))}", "do its scenarios hold?"),
        (f"referee run {name} random random", "let it be played"),
        (str(folder / name / "state.py"), "the rules: make them yours"),
    )
    width = max(len(command) for command, _ in steps)
    for command, why in steps:
        console.print(Text.assemble("  ", (f"{command:<{width}}", "bold"), f"  {why}"), soft_wrap=True)
