"""The luck of every card, roll or token of a match: what really came, against what else could have come.

A decision is played again with other outcomes: what no seat knows is drawn anew (`State.redrawn`), the moves stay. The
real outcome and the others are valued alike (`value.py`), where it is needed after the yardstick has played on for a
few decisions, and luck is the value of the real one less the mean of the others. What really came is one of the things
that could have come, and nothing sets it apart from those that are drawn here: so luck has the mean zero exactly, for
all bots, however badly positions are valued, and can be taken off results without making them untrue. A good value only
takes more of the noise away.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.analysis.luck.value import LearntValue
from referee.analysis.why.positions import states_of
from referee.analysis.why.yardstick import Yardstick
from referee.rules.chance import Seeded
from referee.rules.game import Game, State, WrongUse
from referee.rules.record import Record, ReplayError

UNTIL_SCORES_CHANGE = -1
UNTIL_CHANCE = -2

Values = tuple[tuple[float, ...], ...]
"""By seat, then by measure; there is one measure, the share of opponents left behind."""


@dataclass(frozen=True, slots=True)
class Luckmeter:
    """How luck is measured; the same meter and record give the same answer."""

    yardstick: Yardstick
    rollouts: int
    """Other outcomes that are tried instead of every outcome that came."""
    horizon: int
    """Decisions of the yardstick before a position is valued. `UNTIL_SCORES_CHANGE`: as many as that takes;
    `UNTIL_CHANCE`: until the game draws again from the chance it was given, so that a roll has been used by all."""
    seed: int
    value: LearntValue
    futures: int = 1
    """How often what really came is played on, where positions are played on before they are valued."""

    @property
    def game(self) -> Game[Any]:
        return self.yardstick.game

    def luck(self, record: Record) -> Values:
        """The luck of all seats in a finished match, summed over all that chance decided."""
        if record.result is None:
            raise ReplayError("the match has no result yet")
        states = states_of(self.yardstick, record)
        total = [0.0] * record.players
        if states:
            begun = [
                self.game.begin(record.players, record.options, self._chance(record, "begun", other))
                for other in range(self.rollouts)
            ]
            self._add_luck(total, states[0][0], begun, record, -1)
        for number, (state, moves) in enumerate(states):
            state.view_bytes(None)  # what a game keeps of a view for the next one, all copies have
            real = state.copy()
            real.play(moves)
            others = []
            for other in range(self.rollouts):
                chance = self._chance(record, "outcome", number, other)
                drawn = state.redrawn(chance)
                drawn.play(moves)
                if self.horizon == UNTIL_CHANCE and not chance.draws():
                    break  # nothing is drawn here, whatever the chance
                others.append(drawn)
            self._add_luck(total, real, others, record, number)
        return tuple((luck,) for luck in total)

    def _add_luck(
        self, total: list[float], real: State[Any], others: Sequence[State[Any]], record: Record, number: int
    ) -> None:
        """Add what came less what else could have come, where chance had a say.

        What happens later is drawn alike for both, so that it hardly matters to the difference.
        """
        came_to_see = _seen(real)
        if all(_seen(other) == came_to_see for other in others):
            return
        futures = min(self.futures, len(others)) if self.horizon else 1
        came = [self._value(real, record, number, future) for future in range(futures)]
        instead = [self._value(other, record, number, future) for future, other in enumerate(others)]
        for seat in range(record.players):
            total[seat] += _mean([one[seat] for one in came]) - _mean([one[seat] for one in instead])

    def _value(self, state: State[Any], record: Record, number: int, future: int) -> list[float]:
        """What a position is worth to each seat; it leaves the state alone."""
        if self.horizon and state.result() is None:
            chance = self._chance(record, "later", number, future)
            state = state.redrawn(chance)
            scores, draws, left = state.scores(), chance.draws(), self.horizon
            self.yardstick.start(state.players)
            while state.pending() and left:
                state.play(self.yardstick.moves(state))
                left -= 1
                if self.horizon == UNTIL_SCORES_CHANGE and state.scores() != scores:
                    break
                if self.horizon == UNTIL_CHANCE and chance.draws() != draws:
                    break
        return self.value.shares(state)

    def _chance(self, record: Record, *label: object) -> Seeded:
        words = f"luck {self.seed} {record.seed} {' '.join(map(str, label))}"
        return Seeded(hashlib.sha256(words.encode()).digest())


def check_game(game: Game[Any]) -> None:
    """WrongUse if luck cannot be measured in this game."""
    state = game.start(game.seats.least, seed=b"luck")
    try:
        state.redrawn(Seeded(b"luck"))
    except WrongUse as error:
        raise WrongUse(f"luck cannot be told apart in {game.name}: {error}") from None


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _seen(state: State[Any]) -> list[bytes]:
    """What all seats see: outcomes that look the same to all of them are the same."""
    return [state.view_bytes(seat) for seat in range(state.players)]
