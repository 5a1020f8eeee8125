"""One match of Encore et Encore! in progress: the verbs of a state, and a roll settled in the order of the rules."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Self

from referee.games.encore import check as checks
from referee.games.encore.appraisal import appraise
from referee.games.encore.choices import ACTIVE, BOMBS, EVERYBODY, OTHERS, bombs, choices
from referee.games.encore.dice import Roll, Rolls
from referee.games.encore.events import COLOUR, COLUMN, ENDED, MOVED, ROLLED, ROW, Event
from referee.games.encore.moves import ACTION_WORDS, HEART, JOKERS, NOTHING, PASS, PASSING, Move
from referee.games.encore.paper import Paper
from referee.games.encore.sheet import Sheet
from referee.games.encore.view import view_of, wire
from referee.rules.chance import Chance
from referee.rules.game import Legal, Result, Seat, State, ranks
from referee.rules.log import Log, Unheard

ROLL_LIMIT = 100
SOLO_ROLL_LIMIT = 30
SHARED_ROLLS = 3
"""In so many rolls at the start everybody chooses among all dice."""
UNUSED_ROLL_POINTS = 2
"""What a solo player gets for every roll he did not need."""

Completing = list[tuple[Seat, Paper]]
"""The players who have completed a line since lines were last settled, or are owed a bomb for one; seats ascending."""


class EncoreState(State[Move]):
    """One match of Encore et Encore!"""

    __slots__ = (
        "active",
        "asked",
        "chance",
        "colour_dice",
        "colours_taken",
        "columns_taken",
        "ended",
        "log",
        "number_dice",
        "papers",
        "phase",
        "players",
        "roll",
        "roll_limit",
        "rolled",
        "rolls",
        "rows_taken",
        "sheet",
        "shown",
        "special_die",
        "taken",
    )

    # Verbs that have a file of their own; taken over as they are, they cost no further call.
    check = checks.check
    fallback = checks.fallback
    view = view_of
    view_bytes = wire
    appraisal = appraise

    def __init__(self, players: int, sheet: Sheet, chance: Chance) -> None:
        self.players = players
        self.sheet = sheet
        self.chance = chance
        self.papers = [Paper(sheet) for _ in range(players)]
        self.rolls = Rolls(sheet.colour_names, 2 if players == 1 else 3)
        self.roll_limit = SOLO_ROLL_LIMIT if players == 1 else ROLL_LIMIT
        # Lines that somebody completed in an earlier roll, one bit each.
        self.rows_taken = 0
        self.columns_taken = 0
        self.colours_taken = 0
        self.log: Log[Event] = Log(players)
        self.ended: Result | None = None
        self.shown = b""
        """What all views of this moment have in common, once one was asked for; see `view.py`."""
        self.roll = 0
        self.rolled: Roll = ()
        self.colour_dice: tuple[int, ...] = ()
        self.number_dice: tuple[int, ...] = ()
        self.special_die = PASS
        """The action it shows, or PASS when it has been taken."""
        self.taken = PASSING
        """The choice with which the active player removed dice in this roll."""
        self.phase = EVERYBODY
        self.asked: tuple[Seat, ...] = ()
        first = chance.pick("first", range(players))
        self.active = (first - 1) % players
        self._next_roll()

    def pending(self) -> tuple[Seat, ...]:
        return self.asked

    def result(self) -> Result | None:
        return self.ended

    def legal(self, seat: Seat) -> Legal[Move]:
        if seat not in self.asked:
            return NOTHING
        paper = self.papers[seat]
        if self.phase == BOMBS:
            return Legal(bombs(paper))
        offer = self.sheet.offer(self.colour_dice, self.number_dice, paper.marks)
        return Legal(choices(paper, offer, self.special_die))

    def play(self, moves: Mapping[Seat, Move]) -> None:
        self.shown = b""
        asked, phase = self.asked, self.phase
        self.log.decided(asked)
        for seat in asked:
            self._carry_out(seat, moves[seat])
        if phase == ACTIVE and self.players > 1:
            self._remove_dice(moves[self.active])
            self.phase = OTHERS
            self.asked = _others(self.players, self.active)
        else:
            self._settle()

    def unwatched(self) -> None:
        self.log = Unheard(0)

    def scores(self) -> list[int]:
        return [paper.score() for paper in self.papers]

    def parse(self, text: str) -> Move:
        return self.sheet.notation.parse(text)

    def format(self, move: Move) -> str:
        return self.sheet.notation.format_move(move)

    def copy(self) -> Self:
        twin = type(self).__new__(type(self))
        for name in EncoreState.__slots__:
            setattr(twin, name, getattr(self, name))
        twin.papers = [paper.copy() for paper in self.papers]
        twin.log = self.log.copy()
        twin.shown = b""
        twin.chance = self.chance.copy()
        return twin

    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        # All sheets and dice are open and a sealed choice never lies in the state: only the rolls to come are unknown.
        twin = self.copy()
        twin.chance = chance
        return twin

    def redrawn(self, chance: Chance) -> Self:
        return self.redealt(None, chance)  # no seat knows more than the public

    def pieces(self) -> Mapping[str, int]:
        # The dice are all that moves about: boxes, marks and hearts are printed on each sheet.
        pair_taken = PASS < self.taken.way < HEART
        return {
            "colour dice": len(self.colour_dice) + pair_taken,
            "number dice": len(self.number_dice) + pair_taken,
            "special die": (self.special_die != PASS) + (self.taken.way >= HEART),
        }

    # A roll, from the dice to the settling.

    def _next_roll(self) -> None:
        self.roll = roll = self.roll + 1
        self.active = active = (self.active + 1) % self.players
        self.rolled = rolled = self.chance.pick("rolls", self.rolls)
        pairs = len(rolled) // 2
        sheet = self.sheet
        self.colour_dice = sheet.colour_throws[rolled[:pairs]]
        self.number_dice = sheet.number_throws[rolled[pairs:-1]]
        self.special_die = ACTION_WORDS[rolled[-1]]
        self.taken = PASSING
        self.log.add((ROLLED, active, roll, rolled))
        if roll <= SHARED_ROLLS:
            self.phase = EVERYBODY
            self.asked = tuple(range(self.players))
        else:
            self.phase = ACTIVE
            self.asked = (active,)

    def _carry_out(self, seat: Seat, move: Move) -> None:
        way, boxes = move
        self.log.add((MOVED, seat, move))
        paper = self.papers[seat]
        if self.phase == BOMBS:
            paper.bombs_owed -= 1
        elif way == PASS:
            return  # nothing changes on his sheet
        elif way >= HEART:
            paper.used += 1
            if way == HEART:
                paper.circle_heart()
        else:
            paper.marks -= JOKERS[way]
        paper.shown = None
        if boxes:
            paper.mark(boxes)

    def _remove_dice(self, move: Move) -> None:
        """The active player's dice leave the table; of equal dice one goes and the other stays."""
        self.taken = move
        way = move.way
        if way == PASS:
            return
        if way >= HEART:
            self.special_die = PASS
            return
        colour, number = divmod(way - 1, 6)
        self.colour_dice = _without(self.colour_dice, colour)
        self.number_dice = _without(self.number_dice, number)

    def _settle(self) -> None:
        """Rows, then columns, then colours, then the end; bombs that are owed come before whatever follows."""
        completing = [
            (seat, paper)
            for seat, paper in enumerate(self.papers)
            if (paper.fresh and paper.completes()) or paper.bombs_owed
        ]
        if completing:
            self._settle_rows(completing)
            if self._ask_for_bombs():
                return
            self._settle_columns(completing)
            if self._ask_for_bombs():
                return
            self._settle_colours(completing)
        self._end_roll(completing)

    def _settle_rows(self, completing: Completing) -> None:
        sheet = self.sheet
        for seat, paper in completing:
            unmarked = ~paper.marked
            for bit, number, boxes in sheet.touched[paper.fresh].rows:
                if boxes & unmarked or paper.rows & bit:
                    continue
                paper.rows |= bit
                paper.settled()
                paper.row_points += sheet.row_points
                bonus = "" if self.rows_taken & bit else sheet.row_bonus[number]
                paper.give(bonus)
                self.log.add((ROW, seat, number, sheet.row_points, bonus))

    def _ask_for_bombs(self) -> bool:
        """One bomb for everybody who is owed any; False if nobody is."""
        owed = tuple([seat for seat, paper in enumerate(self.papers) if paper.bombs_owed])
        if not owed:
            return False
        self.phase = BOMBS
        self.asked = owed
        return True

    def _settle_columns(self, completing: Completing) -> None:
        sheet = self.sheet
        for seat, paper in completing:
            unmarked = ~paper.marked
            hearts = paper.hearts  # a heart that a column gives counts from the next time columns are settled
            for bit, number, boxes in sheet.touched[paper.fresh].columns:
                if boxes & unmarked or paper.columns & bit:
                    continue
                paper.columns |= bit
                paper.settled()
                points = (sheet.column_later if self.columns_taken & bit else sheet.column_first)[number]
                paper.column_points += points
                paper.heart_points += hearts
                bonus = sheet.column_bonus[number]
                paper.give(bonus)
                self.log.add((COLUMN, seat, number, points, bonus, hearts))

    def _settle_colours(self, completing: Completing) -> None:
        sheet = self.sheet
        for seat, paper in completing:
            unmarked = ~paper.marked
            for bit, number, boxes in sheet.touched[paper.fresh].colours:
                if boxes & unmarked or paper.colours & bit:
                    continue
                paper.colours |= bit
                paper.settled()
                points = sheet.colour_later if self.colours_taken & bit else sheet.colour_first
                paper.colour_points += points
                self.log.add((COLOUR, seat, number, points))

    def _end_roll(self, completing: Completing) -> None:
        """Lines are taken by those who completed them in this roll: a bomb has left theirs among the fresh ones."""
        two_colours = False
        for _, paper in completing:
            self.rows_taken |= paper.rows
            self.columns_taken |= paper.columns
            self.colours_taken |= paper.colours
            two_colours = two_colours or paper.colours.bit_count() >= 2
            paper.fresh = 0
        if two_colours:
            if self.players == 1:
                self.papers[0].unused_roll_points = UNUSED_ROLL_POINTS * (self.roll_limit - self.roll)
                self.papers[0].settled()
            self._end("two_colours")
        elif self.roll == self.roll_limit:
            self._end("roll_limit")
        else:
            self._next_roll()

    def _end(self, reason: str) -> None:
        scores = self.scores()
        marks = [paper.marks for paper in self.papers]
        self.asked = ()
        self.ended = Result(ranks(zip(scores, marks, strict=True)), tuple(scores), reason)
        self.log.add((ENDED,))


def _without(dice: tuple[int, ...], face: int) -> tuple[int, ...]:
    """The same dice without the first that shows this face."""
    place = dice.index(face)
    return dice[:place] + dice[place + 1 :]


@cache
def _others(players: int, active: Seat) -> tuple[Seat, ...]:
    """All seats but the active player's."""
    return tuple([seat for seat in range(players) if seat != active])
