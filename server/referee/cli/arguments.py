"""Command-line options that several commands share, and how their values are read: durations, game options, bots."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.defaults import DEFAULT_DB
from referee.cli.errors import wrong_use

if TYPE_CHECKING:
    from referee.rules.game import Game

Db = Annotated[
    str | None,
    typer.Option("--db", metavar="FILE", help="The database: a file, or a PostgreSQL URL.", show_default=DEFAULT_DB),
]
Server = Annotated[
    str | None, typer.Option("--server", metavar="HOST:PORT", help="Ask a running server instead of the database file.")
]
AdminToken = Annotated[
    str | None,
    typer.Option(
        "--admin-token", envvar="REFEREE_ADMIN_TOKEN", metavar="TOKEN", help="The admin token, with --server."
    ),
]
Ca = Annotated[
    str | None, typer.Option("--ca", metavar="FILE", help="Certificate to trust, where the server speaks TLS.")
]

AsJson = Annotated[bool, typer.Option("--json", help="Print exactly one JSON value on stdout, for programs.")]

OPTION_HELP = "An option of the game; may be repeated. A file that it names is read here."

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "": 1.0}
LONGEST_HOURS = 1000
"""More milliseconds than this has do not fit into the messages that tell bots about their clocks."""


def read_options(words: Sequence[str]) -> dict[str, Any]:
    """`key=value` words; a value is read as JSON where it is JSON (numbers, lists) and is a plain text otherwise."""
    options: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        key = key.strip()
        if not equals or not key:
            wrong_use(f"cannot read the option {word!r}: options are written KEY=VALUE")
        if key in options:
            wrong_use(f"the option {key!r} is given twice")
        try:
            options[key] = json.loads(text)
        except ValueError:
            options[key] = text.strip()
        except RecursionError:
            wrong_use(f"cannot read the option {key!r}: it is nested too deeply")
    return options


def game_options(game: Game[Any], words: Sequence[str]) -> dict[str, Any]:
    """All options of a game, with the files read that they name: a person at the command line may read files here."""
    from referee.rules.files import AnyFile

    return game.resolve_options(read_options(words), AnyFile(Path.cwd()))


def options_to_send(game: str, words: Sequence[str]) -> dict[str, Any]:
    """The given options of a game for a server, which reads no files: their content is sent.

    What is not given is left to the server. So are all options of a game that only the server has.
    """
    from referee.rules import registry

    given = read_options(words)
    if game not in registry.names():
        return given
    resolved = game_options(registry.find(game), words)
    return {name: resolved[name] for name in given}


def read_bots(text: str, option: str = "--bots") -> list[str]:
    """Names of bots between commas, as this option has them."""
    bots = [name.strip() for name in text.split(",")]
    if not all(bots):
        wrong_use(f"cannot read {option} {text!r}: names of bots are written with commas between them")
    return bots


def seconds(text: str) -> float:
    """A duration as people write it: 500ms, 1s, 2m, 1.5."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|)", text.strip())
    if not found:
        wrong_use(f"{text!r} is not a duration: write 500ms, 1s or 2m")
    given = float(found[1]) * _UNITS[found[2]]
    if given > LONGEST_HOURS * 3600:
        wrong_use(f"{text} is too long: {LONGEST_HOURS}h is the most")
    return given


def whole_milliseconds(option: str, text: str) -> float:
    """A duration in seconds; clocks know nothing shorter than a millisecond."""
    given = seconds(text)
    if given != 0 and given < 0.001:
        wrong_use(f"{option} {text} is too short: a millisecond (1ms) is the least")
    return given


def free_time(text: str) -> float:
    """The time per decision: without any, every bot would forfeit at its first question."""
    given = seconds(text)
    if given < 0.001:
        wrong_use(f"--time {text} is too short: a millisecond (1ms) is the least")
    return given
