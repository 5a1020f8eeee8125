"""A position of STOP! in numbers, from which `referee luck` learns who will be ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.stop.cards import counts
from referee.rules.game import Appraisal

if TYPE_CHECKING:
    from referee.games.stop.position import Position

WINNING_TOKENS = 6


def appraise(state: Position) -> Appraisal:
    """By seat: tokens, the cards in hand, its best bid with and without the +1s, all that it owns, and the red token.
    The match has come as far as the most tokens.
    """
    seats = []
    for seat, (tokens, hand, owned) in enumerate(zip(state.tokens, state.hands, state.owned, strict=True)):
        twos, threes, fours, plus = counts(hand)
        bid = max(2 * twos, 3 * threes, 4 * fours)
        own = counts(owned)
        numbers = (tokens, twos, threes, fours, plus, bid, bid + plus, sum(own), *own[2:], seat == state.red)
        seats.append(tuple(map(float, numbers)))
    return Appraisal(min(1.0, max(state.tokens) / WINNING_TOKENS), seats)
