"""What a person gives on the command line, read into what a game wants."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.cli.errors import wrong_use

if TYPE_CHECKING:
    from referee.rules.game import Game

OPTION_HELP = "An option of the game; may be repeated. A file that it names is read here."


def read_options(words: Sequence[str]) -> dict[str, Any]:
    """`key=value` words; a value is read as JSON where it is JSON (numbers, lists) and is a plain text otherwise."""
    options: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        key = key.strip()
        if not equals or not key:
            wrong_use(f"cannot read the option {word!r}; options are written KEY=VALUE")
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
    """All options of a game, files read that the words name: who types them may read files on this machine."""
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


def read_bots(text: str) -> list[str]:
    """Names of bots between commas."""
    bots = [name.strip() for name in text.split(",")]
    if not all(bots):
        wrong_use(f"cannot read --bots {text!r}; names of bots are written with commas between them")
    return bots
