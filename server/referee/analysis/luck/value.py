"""The value of a position, learnt: how likely each seat is to be ahead of each other at the end.

A house bot plays some matches against itself. From the positions on the way and from how these matches ended, a
logistic regression learns what the numbers of `State.appraisal` are worth, and how that changes as a match goes on. It
knows nothing of the matches that are rated afterwards, so what is computed from it cannot favour any of their bots.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.analysis.why.yardstick import Yardstick
from referee.rules.chance import Seeded
from referee.rules.game import Appraisal, Seat, State

Array = NDArray[Any]

POSITIONS = 60
"""Positions of each match that are looked at, at most."""
COMPARISONS = 100_000
"""Pairs of seats that are looked at in all these positions: about so many at most, so that memory has a bound."""
KNOTS = 5
"""Between so many points of progress, evenly spaced, the worth of a number changes in a straight line."""
RIDGE = 3.0
"""Holds the worth of each number near zero where few positions tell of it."""
STEPS = 12


@dataclass(frozen=True, slots=True)
class LearntValue:
    """What each number of an appraisal is worth at each knot of progress."""

    worth: Array
    """By knot and number."""

    def shares(self, state: State[Any]) -> list[float]:
        """By seat: the share of its opponents that it will leave behind; once a match is over, that it did."""
        ended = state.result()
        if ended is not None:
            return [place_share(ended.ranks, seat) for seat in range(state.players)]
        found = state.appraisal()
        ahead = (np.array(found.seats) @ (_knots(found.progress) @ self.worth)).tolist()
        return [
            sum(_chance(own - other) for place, other in enumerate(ahead) if place != seat) / max(1, len(ahead) - 1)
            for seat, own in enumerate(ahead)
        ]


def place_share(ranks: Sequence[int], seat: Seat) -> float:
    """The share of its opponents that a seat left behind; level ones count half."""
    own = ranks[seat]
    points = sum(1.0 if rank > own else 0.5 for place, rank in enumerate(ranks) if place != seat and rank >= own)
    return points / max(1, len(ranks) - 1)


def learn(yardstick: Yardstick, players: int, options: Mapping[str, Any], seed: int, matches: int) -> LearntValue:
    """Let the yardstick play against itself, and learn from that; the same seed gives the same value."""
    dice = random.Random(f"luck {seed}")
    pairs = max(1, players * (players - 1) // 2)
    positions = max(1, min(POSITIONS, COMPARISONS // (matches * pairs)))
    rows: list[Array] = []
    ahead: list[float] = []
    for number in range(matches):
        name = f"luck {seed} learning {number}"
        state = yardstick.game.begin(players, options, Seeded(hashlib.sha256(name.encode()).digest()))
        seen: list[Appraisal] = []
        yardstick.start(players)
        while state.pending():
            seen.append(state.appraisal())
            state.play(yardstick.moves(state))
        ended = state.result()
        assert ended is not None
        for found in dice.sample(seen, min(positions, len(seen))):
            knots, seats = _knots(found.progress), np.array(found.seats)
            for one, other in permutations(range(players), 2):
                if dice.random() < 0.5:  # the other order tells the same
                    rows.append(np.outer(knots, seats[one] - seats[other]).ravel())
                    first, second = ended.ranks[one], ended.ranks[other]
                    ahead.append(1.0 if first < second else 0.5 if first == second else 0.0)
    if not rows:
        return LearntValue(np.zeros((KNOTS, len(yardstick.game.start(players, options).appraisal().seats[0]))))
    found_rows = np.array(rows)
    numbers = found_rows.shape[1] // KNOTS
    usual = np.sqrt((found_rows.reshape(-1, KNOTS, numbers).sum(axis=1) ** 2).mean(axis=0))
    scale = np.tile(np.where(usual > 0, usual, 1.0), KNOTS)
    return LearntValue((_fitted(found_rows / scale, np.array(ahead)) / scale).reshape(KNOTS, numbers))


def _fitted(rows: Array, ahead: Array) -> Array:
    """Logistic regression by Newton's steps."""
    worth = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ worth, -30, 30)))
        slope = rows.T @ (ahead - chance) - RIDGE * worth
        bend = (rows * (chance * (1 - chance))[:, None]).T @ rows + RIDGE * np.eye(len(worth))
        step = np.linalg.solve(bend, slope)
        worth += step
        if float(np.max(np.abs(step))) < 1e-6:
            break
    return worth


def _knots(progress: float) -> Array:
    """How near the progress is to each knot: two neighbours share it."""
    place = min(max(progress, 0.0), 1.0) * (KNOTS - 1)
    below = min(int(place), KNOTS - 2)
    found = np.zeros(KNOTS)
    found[below], found[below + 1] = 1 - (place - below), place - below
    return found


def _chance(lead: float) -> float:
    return 1 / (1 + math.exp(-min(max(lead, -30.0), 30.0)))
