"""Knock-out: the best of each table advance, the others are out, until one table is left.

The bracket (`bracket.py`) follows from the seeds before anything is played; `course.py` says how a table is decided,
and what happens where a bot has withdrawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.rules.chance import Chance
from referee.tournament.formats.bracket import Bracket, draw_bracket
from referee.tournament.formats.course import Course
from referee.tournament.formats.format import Drawn, Field, Finished, Forecast, Format, SettledRound
from referee.tournament.formats.seeding import seed_order
from referee.tournament.schedule.pairing import ScheduleError

MOST_BLOCKS = 1000
"""Blocks of a table are drawn together: more than this is a slip of the pen, and would take minutes to store."""


@dataclass(frozen=True, slots=True)
class Knockout(Format):
    """The settings of a knock-out."""

    advance: int | None = None
    """How many of a table advance; a divisor of the seats. None: half of the seats, or 1 where they are odd."""
    blocks: int = 1
    """Blocks of matches per table; a block is one deal with every bot once in every seat."""
    further: int = 1
    """Further blocks at most where it is open who advances; then the better seed does."""
    third_place: bool = False
    """Whether those who lost the semi-finals play for third place; at tables of two only."""

    def check(self, entrants: int, players: int) -> None:
        """ScheduleError if it cannot be played; says what to change."""
        if players < 2:
            raise ScheduleError("a knock-out needs tables of at least 2: ask for more players per match")
        if entrants < players:
            raise ScheduleError(
                f"{players} players per match need at least {players} bots, and there are {entrants}: enter more bots"
            )
        advance = self.advance_of(players)
        if not 1 <= advance < players or players % advance:
            fitting = [str(number) for number in range(1, players) if players % number == 0]
            raise ScheduleError(
                f"the best {advance} of {players} cannot advance to full tables: let {' or '.join(fitting)} advance"
            )
        if self.blocks < 1:
            raise ScheduleError(f"a table of {self.blocks} blocks has no matches: ask for at least 1 block")
        for what, value in (("blocks", self.blocks), ("further", self.further)):
            if value > MOST_BLOCKS:
                raise ScheduleError(f"{what} cannot be {value:,}: ask for at most {MOST_BLOCKS:,}")
        if self.further < 0:
            raise ScheduleError(f"there cannot be {self.further} further blocks: ask for at least 0")
        if self.third_place and players > 2:
            raise ScheduleError(
                f"at tables of {players} the final itself decides third place: leave the match for third place out"
            )
        if self.third_place and entrants < 4:
            raise ScheduleError("a match for third place needs at least 4 bots: leave it out, or enter more bots")

    def advance_of(self, players: int) -> int:
        """How many of a table of so many advance."""
        if self.advance is not None:
            return self.advance
        return 1 if players % 2 else players // 2

    def forecast(self, entrants: int, players: int) -> Forecast:
        """At least one round per stage, at most as many more as there may be further blocks."""
        bracket = self.empty_bracket(entrants, players)
        stages, matches = len(bracket.stages), bracket.tables * players
        played = (matches * self.blocks, matches * (self.blocks + self.further))
        return Forecast((stages, stages * (1 + self.further)), played, played)

    def stands(self) -> bool:
        return True

    def bracket(self, field: Field, played: Sequence[SettledRound]) -> Bracket:
        """The bracket with all that is known after these rounds."""
        return self.course(field, played).bracket

    def next(self, field: Field, played: Sequence[SettledRound], chance: Chance) -> Drawn | Finished:
        """The next stage or the further blocks of this one, or Finished with the places."""
        if not played and len(field.active) < field.players:
            return Finished(f"{len(field.active)} bots are left and a table needs {field.players}")
        course = self.course(field, played)
        return course.drawn or Finished("the final is decided", tuple(course.places()))

    def places(self, field: Field, played: Sequence[SettledRound]) -> list[tuple[int, ...]]:
        """Who is still in, then who went out, the latest first; who never was in comes last."""
        places = self.course(field, played).places()
        inside = {entrant for place in places for entrant in place}
        never = tuple(entrant for entrant in range(field.entrants) if entrant not in inside)
        return [*places, never] if never else places

    def course(self, field: Field, played: Sequence[SettledRound]) -> Course:
        """The bracket walked through; the seeds are those who were active in the first round."""
        order = seed_order(field, played[0].active if played else field.active)
        bracket = self.empty_bracket(len(order), field.players)
        return Course(bracket, order, played, field.active, self.blocks, self.further)

    def empty_bracket(self, entrants: int, players: int) -> Bracket:
        """The bracket of so many seeds, before anything is played."""
        third = self.third_place and entrants >= 4
        return draw_bracket(entrants, players, self.advance_of(players), third)
