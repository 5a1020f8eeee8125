"""The check of a move of STOP me GO: why it is rejected, and the fallback for a seat that makes none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.stop_me_go.moves import GO, STOP, Move
from referee.rules.game import NOT_ASKED, Rejection, Seat

if TYPE_CHECKING:
    from referee.games.stop_me_go.state import StopMeGoState

_STOP_IS_OUT = Rejection(
    "stop_not_in_hand",
    "your stop still lies face down on a gangster: play go until it has been turned up and is back in your hand",
)


def check(state: StopMeGoState, seat: Seat, move: Move) -> Rejection | None:
    """Why this move is illegal now, or None."""
    if seat not in state.asked:
        return NOT_ASKED
    return _STOP_IS_OUT if move == STOP and state.out >> seat & 1 else None


def fallback(state: StopMeGoState, seat: Seat) -> Move:
    """Go: of four `go` at most three lie on the table while an agent is asked, so there is always one in hand."""
    return GO
