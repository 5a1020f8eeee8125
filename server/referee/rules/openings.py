"""Random openings: so many random legal moves at the start of a match, drawn from its seed before the bots are asked.

In a game without chance two bots without dice play the same match again and again, and each counts as a result. The
option `openings` of every game makes matches differ: `--openings 4`, or `{"openings": 4}` among the options. It is part
of the record like any option, so a replay begins at the same position. Without it, or with 0, nothing changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from referee.rules.files import NO_FILES
from referee.rules.options import whole

if TYPE_CHECKING:
    from referee.rules.chance import Chance
    from referee.rules.game import Game, State

OPENINGS = "openings"
"""The name of the option; a game that has one of its own under this name keeps it."""
LABEL = "opening"
"""The label that the moves are drawn under."""
MOST_OPENING_MOVES = 100


def openings_of(game: Game[Any], options: Mapping[str, Any]) -> int:
    """How many random moves begin a match with these options."""
    return 0 if OPENINGS in game.options else int(options.get(OPENINGS, 0))


def without_openings(game: Game[Any], given: Mapping[str, Any]) -> tuple[Mapping[str, Any], int]:
    """The options that are the game's own, and the moves of the opening; ValueError if that is no number of moves."""
    if OPENINGS not in given or OPENINGS in game.options:
        return given, 0
    try:
        moves = _MOVES.read(given[OPENINGS], NO_FILES)
    except ValueError as error:
        raise ValueError(f"option {OPENINGS!r}: {error}") from None
    return {name: value for name, value in given.items() if name != OPENINGS}, moves


def is_pure(game: Game[Any]) -> bool:
    """Whether a match follows from its opening and its moves alone: the game draws nothing.

    A law holds games to declaring what they draw.
    """
    return not game.labels


def opened(state: State[Any], moves: int, chance: Chance) -> State[Any]:
    """The state after so many random moves, each legal move as likely as the others; the match goes on after the last.

    A move that would end the match is not made, and the opening ends there.
    """
    for _ in range(moves):
        played = {
            seat: chance.pick(LABEL, state.legal(seat).moves or (state.fallback(seat),)) for seat in state.pending()
        }
        after = state.copy()
        after.play(played)
        if after.result() is not None:
            break
        state = after
    return state


_MOVES = whole(0, 0, MOST_OPENING_MOVES, about="random legal moves before the bots are asked")
