"""The luck of every card, roll or token of a match: what really came, against what else could have come.

A decision is played again with other outcomes: what no seat knows is drawn anew (`State.redrawn`), the moves stay. The
real outcome and the others are valued alike, by short rollouts of the yardstick, and luck is the value of the real one
less the mean of the others. What really came is one of the things that could have come, and nothing sets it apart from
those that are drawn here: so luck has the mean zero exactly, for all bots, however badly the yardstick values things,
and can be taken off results without making them untrue. A good yardstick only takes more of the noise away.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.analysis.why.positions import states_of
from referee.analysis.why.yardstick import Yardstick
from referee.rules.chance import Seeded
from referee.rules.game import Game, Seat, State, WrongUse
from referee.rules.record import Record, ReplayError

CALIBRATION = 24
"""Matches of the yardstick against itself that tell how far scores usually are apart."""
FEATURES = 2
"""What a position is measured by, for each seat: see `measures`."""
WIDTH = 1.0
"""How much scores still move, in units of the usual distance at the end: a lead of so much is not yet a win."""

Values = tuple[tuple[float, ...], ...]
"""By seat, then by feature."""


@dataclass(frozen=True, slots=True)
class Luckmeter:
    """How luck is measured; the same meter and record give the same answer."""

    yardstick: Yardstick
    rollouts: int
    """Of every outcome that came, and other outcomes that are tried instead of it, each once."""
    horizon: int
    """Decisions after which a rollout ends; 0: as soon as the scores have changed."""
    seed: int
    apart: float
    """How far scores are usually apart at the end of a match."""

    @property
    def game(self) -> Game[Any]:
        return self.yardstick.game

    def luck(self, record: Record) -> Values:
        """The luck of all seats in a finished match, summed over all that chance decided."""
        if record.result is None:
            raise ReplayError("the match has no result yet")
        states = states_of(self.yardstick, record)
        total = [[0.0] * FEATURES for _ in range(record.players)]
        if states:
            begun = [
                self.game.begin(record.players, record.options, self._chance(record, "begun", other))
                for other in range(self.rollouts)
            ]
            self._add_luck(total, states[0][0], begun, record, -1)
        for number, (state, moves) in enumerate(states):
            real = state.copy()
            real.play(moves)
            others = []
            for other in range(self.rollouts):
                drawn = state.redrawn(self._chance(record, "outcome", number, other))
                drawn.play(moves)
                others.append(drawn)
            self._add_luck(total, real, others, record, number)
        return tuple(map(tuple, total))

    def _add_luck(
        self, total: list[list[float]], real: State[Any], others: Sequence[State[Any]], record: Record, number: int
    ) -> None:
        """Add what came less what else could have come, where chance had a say.

        What happens later is drawn alike for both, so that it hardly matters to the difference.
        """
        if all(_seen(other) == _seen(real) for other in others):
            return
        for place, other in enumerate(others):
            label = ("later", number, place)
            came = self._value(real, self._chance(record, *label))
            instead = self._value(other, self._chance(record, *label))
            for seat in range(record.players):
                for feature in range(FEATURES):
                    total[seat][feature] += (came[seat][feature] - instead[seat][feature]) / self.rollouts

    def _value(self, state: State[Any], later: Seeded) -> Values:
        """What one rollout leads to; it leaves the state alone."""
        if state.result() is not None:
            return self.measures(state)
        state = state.redrawn(later)
        scores = state.scores()
        self.yardstick.start(state.players)
        left = self.horizon
        while state.pending():
            state.play(self.yardstick.moves(state))
            left -= 1
            if left == 0 or (self.horizon == 0 and state.scores() != scores):
                break
        return self.measures(state)

    def measures(self, state: State[Any]) -> Values:
        """By seat: the share of the others that it will leave behind, as its lead over each lets one expect, and its
        lead over the mean of all. Once a match is over, its ranks count.
        """
        ended = state.result()
        sign = -1 if self.game.lower_is_better else 1
        scores = [sign * score for score in state.scores()]
        mean = math.fsum(scores) / len(scores)
        found: list[tuple[float, ...]] = []
        for seat, own in enumerate(scores):
            lead = (own - mean) / self.apart
            if ended is not None:
                found.append((place_share(ended.ranks, seat), lead))
                continue
            others = [own - other for place, other in enumerate(scores) if place != seat]
            found.append((_behind(others, WIDTH * self.apart), lead))
        return tuple(found)

    def _chance(self, record: Record, *label: object) -> Seeded:
        words = f"luck {self.seed} {record.seed} {' '.join(map(str, label))}"
        return Seeded(hashlib.sha256(words.encode()).digest())


def place_share(ranks: Sequence[int], seat: Seat) -> float:
    """The share of its opponents that a seat left behind; level ones count half."""
    own = ranks[seat]
    points = sum(1.0 if rank > own else 0.5 for place, rank in enumerate(ranks) if place != seat and rank >= own)
    return points / max(1, len(ranks) - 1)


def usually_apart(yardstick: Yardstick, players: int, options: Mapping[str, Any], seed: int) -> float:
    """How far scores of the yardstick against itself are apart at the end: the standard deviation around the mean."""
    squares = []
    for number in range(CALIBRATION):
        name = f"luck {seed} calibration {number}"
        state = yardstick.game.begin(players, options, Seeded(hashlib.sha256(name.encode()).digest()))
        yardstick.start(players)
        while state.pending():
            state.play(yardstick.moves(state))
        scores = state.scores()
        mean = math.fsum(scores) / players
        squares += [(score - mean) ** 2 for score in scores]
    return math.sqrt(math.fsum(squares) / len(squares)) or 1.0


def check_game(game: Game[Any]) -> None:
    """WrongUse if luck cannot be measured in this game."""
    state = game.start(game.seats.least, seed=b"luck")
    try:
        state.redrawn(Seeded(b"luck"))
    except NotImplementedError:
        raise WrongUse(
            f"luck cannot be told apart in {game.name}: its author does not say what no seat knows ('redrawn')"
        ) from None


def _behind(leads: Sequence[float], width: float) -> float:
    """The share of opponents with these distances that is left behind if scores move on by about `width`."""
    return sum(0.5 * math.erfc(-lead / width) for lead in leads) / max(1, len(leads))


def _seen(state: State[Any]) -> list[bytes]:
    """What all seats see: outcomes that look the same to all of them are the same."""
    return [state.view_bytes(seat) for seat in range(state.players)]
