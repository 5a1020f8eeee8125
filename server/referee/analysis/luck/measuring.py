"""Measuring the luck of many matches on several cores, one task per match: the same for any number of processes.

So is the learning before it, of what positions are worth.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

import numpy as np

from referee.analysis.luck.chance_events import UNTIL_CHANCE, UNTIL_SCORES_CHANGE, Luckmeter, Values, check_game
from referee.analysis.luck.learning import NothingToLearn, learn_ahead, learn_leads
from referee.analysis.luck.lessons import Course, Lesson, lessons
from referee.analysis.luck.value import KNOTS, LearntValue
from referee.analysis.why.yardstick import Yardstick
from referee.processes import process_pool
from referee.rules import registry
from referee.rules.game import Game
from referee.rules.record import Record

Told = Callable[[int], object]
"""Hears from how many matches has been learnt."""


class Effort(NamedTuple):
    """How much is tried."""

    rollouts: int
    """Other outcomes for each real one."""
    horizon: int
    """Decisions that are played before a position is valued."""
    futures: int = 1
    """How often that is done for the real one: more than once where chance has a say in it."""
    learning: int = 240
    """Matches of the yardstick against itself from which values are learnt: more where few points are won at a time."""
    leads: bool = False
    """Learn from leads in points, and not from who was ahead."""


EFFORTS = {
    "flip7": Effort(32, 0),
    "encore": Effort(24, UNTIL_CHANCE, learning=2400, leads=True),  # what a roll is worth shows once all have used it
    "stop_me_go": Effort(32, 0),
    "stop": Effort(16, 0),
}
LESSONS_OF_A_PROCESS = 200
"""With fewer matches to learn from, another process would take longer to start than it saves."""
USUAL_EFFORT = Effort(8, UNTIL_SCORES_CHANGE, futures=4)


def meter_of(
    game: Game[Any],
    players: int,
    options: Mapping[str, Any],
    yardstick: str | None = None,
    rollouts: int | None = None,
    seed: int = 0,
    learning: int | None = None,
    processes: int = 1,
    told: Told = lambda learnt: None,
) -> Luckmeter:
    """The meter for matches of so many players; WrongUse if luck cannot be told apart in this game.

    What positions are worth is learnt from so many matches of the yardstick against itself, on so many processes.
    """
    check_game(game)
    effort = EFFORTS.get(game.name, USUAL_EFFORT)
    if learning:
        effort = effort._replace(learning=learning)
    stick = Yardstick.of(game, yardstick)
    value = learn(stick, players, options, seed, effort, processes, told)
    return Luckmeter(stick, rollouts or effort.rollouts, effort.horizon, seed, value, effort.futures)


def learn(
    yardstick: Yardstick,
    players: int,
    options: Mapping[str, Any],
    seed: int,
    effort: Effort,
    processes: int = 1,
    told: Told = lambda learnt: None,
) -> LearntValue:
    """Let the yardstick play against itself, and learn from that; the same seed gives the same value."""
    game, matches = yardstick.game, effort.learning
    course = Course(yardstick, players, options, seed, after_draws=effort.horizon == UNTIL_CHANCE)
    played = _counted(lessons(course, matches, min(processes, matches // LESSONS_OF_A_PROCESS)), told)
    try:
        if effort.leads:
            return learn_leads(played, players, matches, seed, game.lower_is_better)
        return learn_ahead(played, players, matches, seed)
    except NothingToLearn:
        numbers = len(game.start(players, options).appraisal().seats[0])
        return LearntValue(np.zeros((KNOTS, numbers)), np.ones(KNOTS))


def _counted(played: Iterator[Lesson], told: Told) -> Iterator[Lesson]:
    for number, lesson in enumerate(played, 1):
        yield lesson
        told(number)


def learning_matches(game: Game[Any]) -> int:
    """From how many matches it is learnt what positions are worth, unless another number is asked for."""
    return EFFORTS.get(game.name, USUAL_EFFORT).learning


def measured(meter: Luckmeter, records: Sequence[Record], processes: int | None = None) -> Iterator[Values]:
    """The luck of each match, in their order; `processes`: as many as there are cores unless said."""
    count = min(processes or os.cpu_count() or 1, len(records))
    if count <= 1:
        for record in records:
            yield meter.luck(record)
        return
    given = (
        meter.game.name,
        meter.yardstick.name,
        meter.rollouts,
        meter.horizon,
        meter.seed,
        meter.value,
        meter.futures,
    )
    with process_pool(count, _begin, *given) as pool:
        try:
            yield from pool.map(_one, (record.to_bytes() for record in records))
        except BrokenProcessPool:
            raise OSError("a process that played rollouts ended: is there enough memory?") from None


_METER: list[Luckmeter] = []


def _begin(game: str, yardstick: str, rollouts: int, horizon: int, seed: int, value: LearntValue, futures: int) -> None:
    _METER[:] = [Luckmeter(Yardstick(registry.find(game), yardstick), rollouts, horizon, seed, value, futures)]


def _one(record: bytes) -> Values:
    return _METER[0].luck(Record.from_bytes(record))
