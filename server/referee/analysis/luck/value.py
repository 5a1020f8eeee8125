"""The value of a position: how likely each seat is to be ahead of each other at the end, from numbers with a worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.rules.game import Seat, State

Array = NDArray[Any]

KNOTS = 5
"""Between so many points of progress, evenly spaced, the worth of a number changes in a straight line."""


@dataclass(frozen=True, slots=True)
class LearntValue:
    """What each number of an appraisal is worth at each knot of progress."""

    worth: Array
    """By knot and number."""
    steepness: Array
    """By knot: how much a lead of one says about who will be ahead."""

    def shares(self, state: State[Any]) -> list[float]:
        """By seat: the share of its opponents that it will leave behind; once a match is over, that it did."""
        ended = state.result()
        if ended is not None:
            return [place_share(ended.ranks, seat) for seat in range(state.players)]
        found = state.appraisal()
        near = knots(found.progress)
        ahead = (np.array(found.seats) @ (near @ self.worth) * float(near @ self.steepness)).tolist()
        return [
            sum(_chance(own - other) for place, other in enumerate(ahead) if place != seat) / max(1, len(ahead) - 1)
            for seat, own in enumerate(ahead)
        ]


def place_share(ranks: Sequence[int], seat: Seat) -> float:
    """The share of its opponents that a seat left behind; level ones count half."""
    own = ranks[seat]
    points = sum(1.0 if rank > own else 0.5 for place, rank in enumerate(ranks) if place != seat and rank >= own)
    return points / max(1, len(ranks) - 1)


def knots(progress: float) -> Array:
    """How near the progress is to each knot: two neighbours share it."""
    place = min(max(progress, 0.0), 1.0) * (KNOTS - 1)
    below = min(int(place), KNOTS - 2)
    found = np.zeros(KNOTS)
    found[below], found[below + 1] = 1 - (place - below), place - below
    return found


def _chance(lead: float) -> float:
    return 1 / (1 + math.exp(-min(max(lead, -30.0), 30.0)))
