"""A position of Flip 7 in numbers, from which `referee luck` learns who will be ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.games.flip7.v1.flip7_pb2 import STATUS_IN, STATUS_STAYED
from referee.games.flip7.cards import HIGHEST_NUMBER, SECOND_CHANCE, points
from referee.rules.game import Appraisal

if TYPE_CHECKING:
    from referee.games.flip7.round import Round

BEYOND = 1.2
"""Who reaches the target usually has so much more."""


def appraise(state: Round) -> Appraisal:
    """By seat: its total; what it has made sure of in this round; what it may still lose, and how likely the next card
    is to bust it. The match has come as far as the best seat on its way to the target.
    """
    target, cards = state.target_score, sum(state.pile_counts) or 1
    best = 0.0
    seats = []
    for total, hand, status in zip(state.totals, state.hands, state.status, strict=True):
        inside = status == STATUS_IN
        held = points(hand) / target if inside or status == STATUS_STAYED else 0.0
        best = max(best, total / target + held)
        if not inside:
            seats.append((total / target, held, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
            continue
        numbers = [card for card in hand if card <= HIGHEST_NUMBER]
        bust = sum(state.pile_counts[card] for card in numbers) / cards
        saved = float(SECOND_CHANCE in hand)
        seats.append((total / target, 0.0, held, 1.0, bust * held, bust, float(len(numbers)), saved))
    return Appraisal(min(best, BEYOND) / BEYOND, seats)
