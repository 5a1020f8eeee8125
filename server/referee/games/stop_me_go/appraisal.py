"""A position of STOP me GO in numbers, from which `referee luck` learns who will be ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.rules.game import Appraisal

if TYPE_CHECKING:
    from referee.games.stop_me_go.state import StopMeGoState


def appraise(state: StopMeGoState) -> Appraisal:
    """By seat: its tokens, whether one more wins, and its stop: in hand, or on which gangster, alone or with others,
    and how soon he is arrested. The match has come as far as tokens are gone.
    """
    gone = len(state.takers)
    seats = [(float(state.tokens[seat]), float(state.tokens[seat] == 2), *_stop(state, seat)) for seat in state.asked]
    return Appraisal(gone / (gone + state.tokens_left), seats)


def _stop(state: StopMeGoState, seat: int) -> tuple[float, ...]:
    for place, stops in enumerate(state.stops):
        if stops >> seat & 1:
            gangster = state.table[place]
            worth = float(11 if gangster == 1 and 10 in state.table else gangster)
            if stops.bit_count() > 1:
                return (0.0, 0.0, 0.0, 0.0, worth, 0.0)
            wins = worth if state.tokens[seat] == 2 else 0.0
            return (0.0, 1.0, worth, float(place), 0.0, wins)
    return (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
