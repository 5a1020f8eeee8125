"""Explaining a match on several cores: one task per position, the same answer for any number of processes.

The deals of a position are drawn by label (seed, seat, decision, number), so it makes no difference which process tries
them, nor in which order.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from referee.analysis.replay.recorded import RecordedMatch
from referee.analysis.why.explained import Explained
from referee.analysis.why.luck import luck_of
from referee.analysis.why.positions import Position, Setting, priced_together, states_of, value_position
from referee.analysis.why.rollouts import outcome_of
from referee.analysis.why.yardstick import Yardstick
from referee.processes import process_pool
from referee.rules import registry
from referee.rules.game import Seat, State, WrongUse
from referee.rules.record import Record

Told = Callable[[int, int], object]
"""Hears how many positions of how many are done."""


def explain(
    match: RecordedMatch, setting: Setting, processes: int | None = None, told: Told = lambda done, of: None
) -> Explained:
    """What the match was about for the seat of the setting; `processes`: as many as there are cores unless said."""
    if not 0 <= setting.seat < match.players:
        raise WrongUse(f"there is no seat {setting.seat}: the match has the seats 0 to {match.players - 1}")
    result = match.record.result
    if result is None or not match.record.moves:
        raise WrongUse("nothing was decided in this match")
    positions = []
    for position in _valued(match.record, setting, processes or os.cpu_count() or 1):
        positions.append(position)
        told(len(positions), len(match.record.moves))
    luck = luck_of(positions, outcome_of(setting.yardstick.game, result, setting.seat))
    return Explained(match, setting, tuple(priced_together(positions, match.players)), luck)


def _valued(record: Record, setting: Setting, processes: int) -> Iterator[Position]:
    count = len(record.moves)
    if processes == 1:
        for number, (state, moves) in enumerate(states_of(setting.yardstick, record)):
            yield value_position(setting, state, moves, number)
        return
    yardstick = setting.yardstick
    given = (yardstick.game.name, yardstick.name, setting.seat, setting.rollouts, setting.seed, record.to_bytes())
    with process_pool(min(processes, count), _begin, *given) as pool:
        try:
            yield from pool.map(_one, range(count))
        except BrokenProcessPool:
            raise OSError("a process that played rollouts ended: is there enough memory?") from None


_WORK: list[tuple[Setting, list[tuple[State[Any], Mapping[Seat, Any]]]]] = []


def _begin(game: str, yardstick: str, seat: Seat, rollouts: int, seed: int, record: bytes) -> None:
    """Make a process ready: the yardstick loaded, the match followed once."""
    stick = Yardstick(registry.find(game), yardstick)
    setting = Setting(stick, seat, rollouts, seed)
    _WORK[:] = [(setting, states_of(stick, Record.from_bytes(record)))]


def _one(number: int) -> Position:
    [(setting, states)] = _WORK
    state, moves = states[number]
    return value_position(setting, state, moves, number)
