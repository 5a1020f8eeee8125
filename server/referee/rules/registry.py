"""The games there are: found through the entry point group `referee.games`, ours and third parties' alike."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from referee.rules.game import Game, WrongUse

GROUP = "referee.games"


def names() -> list[str]:
    """The names of all registered games, in alphabetical order."""
    return sorted({entry.name for entry in entry_points(group=GROUP)})


@cache
def find(name: str) -> Game[Any]:
    """The game of that name, or `WrongUse` with the nearest name there is."""
    for entry in entry_points(group=GROUP):
        if entry.name != name:
            continue
        try:
            game = entry.load()
        except Exception as error:  # whatever a third party's module does, a person gets one sentence
            raise WrongUse(f"the game {name!r} cannot be loaded from {entry.value}: {error}") from error
        if not isinstance(game, Game) or game.name != name:
            raise WrongUse(f"the entry point {name!r} ({entry.value}) is not a Game named {name!r}")
        return game
    near = get_close_matches(name, names(), 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(names())}"
    raise WrongUse(f"unknown game {name!r}; {hint}")


def everything() -> list[Game[Any]]:
    """All registered games."""
    return [find(name) for name in names()]
