"""Lessons: matches of a house bot against itself, from which it is learnt what positions are worth.

Each has a seed of its own, so it makes no difference which process plays it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

from referee.analysis.why.yardstick import Yardstick
from referee.processes import process_pool
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import Appraisal, Result

AT_ONCE = 16
"""Lessons that a process is given at a time."""


class Lesson(NamedTuple):
    """What one match looked like on the way, and how it ended."""

    seen: list[Appraisal]
    ended: Result


class Course(NamedTuple):
    """What is played: which match a number stands for."""

    yardstick: Yardstick
    players: int
    options: Mapping[str, Any]
    seed: int
    after_draws: bool
    """Look at a position when chance has decided something, and not whenever a seat is asked."""

    def lesson(self, number: int) -> Lesson:
        """The match of this number."""
        chance = Seeded(hashlib.sha256(f"luck {self.seed} learning {number}".encode()).digest())
        state = self.yardstick.game.begin(self.players, self.options, chance)
        seen: list[Appraisal] = []
        drawn = -1
        self.yardstick.start(self.players)
        while state.pending():
            if not self.after_draws or chance.draws() != drawn:
                seen.append(state.appraisal())
                drawn = chance.draws()
            state.play(self.yardstick.moves(state))
        ended = state.result()
        assert ended is not None
        return Lesson(seen, ended)


def lessons(course: Course, matches: int, processes: int = 1) -> Iterator[Lesson]:
    """So many matches, in the order of their numbers, played by so many processes."""
    if min(processes, matches) <= 1:
        yield from map(course.lesson, range(matches))
        return
    stick = course.yardstick
    given = (stick.game.name, stick.name, course.players, dict(course.options), course.seed, course.after_draws)
    with process_pool(processes, _begin, *given) as pool:
        try:
            yield from pool.map(_one, range(matches), chunksize=AT_ONCE)
        except BrokenProcessPool:
            raise OSError("a process that played matches ended: is there enough memory?") from None


_COURSE: list[Course] = []


def _begin(game: str, yardstick: str, players: int, options: Mapping[str, Any], seed: int, after_draws: bool) -> None:
    _COURSE[:] = [Course(Yardstick(registry.find(game), yardstick), players, options, seed, after_draws)]


def _one(number: int) -> Lesson:
    return _COURSE[0].lesson(number)
