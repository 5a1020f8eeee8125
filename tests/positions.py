"""Positions of matches, for tests that draw them: a match after so many decisions, played by simple choosers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.rules.game import Game, State
from referee.rules.playout import Chooser, random_chooser

NAMES = ["ann", "<b>bob</b> & co", "a name that is far too long for any table", "漢字 bot", "eve\x1b[31m", "ann"]
"""Names as authors choose them."""


def after(
    game: Game[Any],
    players: int,
    decisions: int,
    choose: Chooser | None = None,
    *,
    seed: bytes = b"board",
    options: Mapping[str, Any] | None = None,
) -> State[Any]:
    """A match after so many decisions, or at its end; without a chooser all seats choose at random."""
    state = game.start(players, options, seed=seed)
    choosers = [choose or random_chooser(seed, seat) for seat in range(players)]
    while decisions and (asked := state.pending()):
        state.play({seat: choosers[seat](state, seat) for seat in asked})
        decisions -= 1
    return state


def named(players: int) -> list[str]:
    """A name for each of so many seats."""
    return [NAMES[seat] if seat < len(NAMES) else f"bot{seat}" for seat in range(players)]
