"""A player of STOP! that makes large auctions, so that there is something to draw."""

from __future__ import annotations

from typing import Any

from referee.rules.game import Seat, State


def bold(state: State[Any], seat: Seat) -> Any:
    """Calls with four cards in hand and makes the largest play that is listed while few cards lie on the table."""
    view: Any = state.view(seat)
    moves = {state.format(move): move for move in state.legal(seat).moves}
    if "wait" in moves:
        return moves["stop" if len(view.hand) >= 4 else "wait"]
    if "pass" in moves and sum(len(bid.cards) for bid in view.bids) >= 8:
        return moves["pass"]
    return list(moves.values())[-1]
