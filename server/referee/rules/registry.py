"""The registry of games: found through the entry point group `referee.games`, ours and third parties' alike."""

from __future__ import annotations

import sys
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from referee.rules.game import Game, WrongUse
from referee.rules.spelling import brief, nearest

GROUP = "referee.games"


def names() -> list[str]:
    """The names of all registered games, in alphabetical order."""
    return sorted({entry.name for entry in _installed(tuple(sys.path))})


@cache
def find(name: str) -> Game[Any]:
    """The game of that name, or `WrongUse` with the nearest name there is."""
    for entry in _installed(tuple(sys.path)):
        if entry.name != name:
            continue
        try:
            game = entry.load()
        except Exception as error:  # whatever a third party's module does, a person gets one sentence
            raise WrongUse(f"the game {name!r} cannot be loaded from {entry.value}: {error}") from error
        if not isinstance(game, Game) or game.name != name:
            raise WrongUse(f"the entry point {name!r} ({entry.value}) is not a Game named {name!r}")
        return game
    near = nearest(name, names())
    hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(names())}"
    raise WrongUse(f"unknown game {brief(name)}; {hint}")


def all_games() -> list[Game[Any]]:
    """All registered games."""
    return [find(name) for name in names()]


@lru_cache(maxsize=4)
def _installed(path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    """What is installed where Python looks for modules; looked up once, for any bot may name a game that is not."""
    return tuple(entry_points(group=GROUP))
