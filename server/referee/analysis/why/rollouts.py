"""Rollouts: a position dealt anew and played to its end by the yardstick, and the figures of many of them.

All moves of one decision are tried on the same deals, with the same chance afterwards (common random numbers), so that
their differences are far more exact than the values themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

from referee.analysis.why.yardstick import Yardstick
from referee.rules.chance import Seeded
from referee.rules.game import Game, Result, Seat, State
from referee.rules.imagining import imagines

SOON = 8
"""The lead is noted after so many decisions for each player."""


class RolloutResult(NamedTuple):
    """How one rollout ended for the seat."""

    rank: float
    score: float
    lead: float
    """Its score over the best of the others'; below zero if one of them was better. Alone: its score."""
    soon: float
    """The same some decisions after the move: less of what happens later, which has nothing to do with it, is in it."""
    own: float
    """Its score alone at that moment, above zero where that is good: what others did meanwhile is not in it."""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of some figures, and its standard error."""

    value: float
    error: float

    @classmethod
    def of(cls, figures: Sequence[float]) -> Mean:
        count = len(figures)
        mean = sum(figures) / count
        if count == 1:
            return cls(mean, 0.0)
        spread = sum((figure - mean) ** 2 for figure in figures) / (count - 1)
        return cls(mean, sqrt(spread / count))


def outcome_of(game: Game[Any], result: Result, seat: Seat) -> RolloutResult:
    """How a match ended for a seat."""
    lead, score = lead_of(game, result.scores, seat), result.scores[seat]
    return RolloutResult(result.ranks[seat], score, lead, lead, -score if game.lower_is_better else score)


def lead_of(game: Game[Any], scores: Sequence[int], seat: Seat) -> float:
    """What a seat has over the best of the others, in points."""
    sign = -1 if game.lower_is_better else 1
    return sign * scores[seat] - max((sign * score for other, score in enumerate(scores) if other != seat), default=0)


class Deals:
    """Deals of one position as a seat sees it: number n is always the same for the same seed and label."""

    def __init__(self, game: Game[Any], state: State[Any], seat: Seat, label: str) -> None:
        self.game = game
        self.seat = seat
        self._label = label
        # What is judged must follow from the view alone. Where a game can imagine a match, nothing else is looked at.
        self._view = state.view_bytes(seat) if imagines(game) else None
        self._state = state

    def deal(self, number: int) -> State[Any]:
        """A match that looks the same to the seat, with everything else drawn anew."""
        chance = Seeded(hashlib.sha256(f"why {self._label} deal {number}".encode()).digest())
        if self._view is None:
            return self._state.redealt(self.seat, chance)
        return self.game.imagine(self._view, chance)


def play_out(yardstick: Yardstick, state: State[Any], moves: Mapping[Seat, Any], seat: Seat) -> RolloutResult:
    """Make these moves, let the yardstick play on for everybody, and tell how it ends; plays on the state itself."""
    yardstick.start(state.players)
    state.play(moves)
    left = SOON * state.players
    soon = None
    while state.pending():
        if left == 0:
            scores = state.scores()
            own = -scores[seat] if yardstick.game.lower_is_better else scores[seat]
            soon = lead_of(yardstick.game, scores, seat), own
        left -= 1
        state.play(yardstick.moves(state))
    result = state.result()
    assert result is not None
    outcome = outcome_of(yardstick.game, result, seat)
    return outcome if soon is None else outcome._replace(soon=soon[0], own=soon[1])
