"""Planner plays Encore et Encore! by estimating how every sheet at the table will end.

Four thoughts, in the order of this file:

1. *What is printed?* Columns, rows and colours are all *lines*: boxes to fill, with points for it. A line falls
   into pieces, its shares of the blocks, because one choice of dice marks boxes of one block only.
2. *What will a sheet score?* Every piece that a line still lacks waits for a fitting roll. With the rolls that are
   left, this gives the odds to fill the line, and so the points to expect: the higher ones as far as that race is open.
3. *Who wins?* The match ends with the second colour of the fastest player. So each move brings a length of the match
   with it, and all sheets are judged at that length: who leads hurries, who is behind plays for time.
4. *What do the others get?* The active player takes dice away from all others. What a rival could make of those
   that remain is added to his sheet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import erf, exp, sqrt
from typing import NamedTuple

import arena
from arena.games.encore.v1 import encore_pb2 as encore

WAIT, LARGER, REMOTE = 12.0, 0.15, 0.5
"""The rolls that a single box waits for a fitting one; so much longer for each box more, or out of reach of marks."""
PACE = (-2.3, 3.9, 0.13)
"""The rolls left, from the boxes that the fastest lacks in his best two colours: flat, by the root, by the number."""
SOLO_PACE = 1.4
"""So much longer it takes alone, with two dice fewer."""
LEAD = 0.6
"""How much one box less to go tells about who will fill a line first."""
SPREAD = 3.0
"""How far a forecast score is off: so much at the end of the match, and so much more for the root of the rolls left."""
MARK, DIE, SOON = 1.0, 2.0, 8.0
"""An exclamation mark and a special die are worth so much more than they score, unless the end is sooner than this."""
BONUS = {"": 0.0, "special_die": 3.0, "heart": 3.0, "bomb": 4.0}
ALERT = 0.7
"""How much of the best choice left to him a rival is expected to find."""
UNUSED_ROLL = 2
"""Points of a solo player for every roll that he did not need."""

HEIGHT, WIDTH = 7, 15
EVERY = (1 << WIDTH * HEIGHT) - 1
TOP = sum(1 << HEIGHT * x for x in range(WIDTH))
BOTTOM = TOP << HEIGHT - 1
COLUMN, ROW, COLOUR = range(3)


def decide(decision: arena.Decision) -> str:
    table = Table(decision.view)
    return max(table.worth_a_look(decision.legal), key=table.prospect)  # the first of equals: the list has an order


# 1. What is printed. Sets of boxes are masks: box i is bit 2^i.


@dataclass(frozen=True, eq=False)  # told apart by identity, which makes them fast to look up
class Line:
    """A column, a row or a colour."""

    kind: int
    letter: str
    boxes: int
    halo: int
    """The boxes that tell how far the line has come: its own, and those beside them where they matter."""
    pieces: tuple[int, ...]
    first: float
    later: float


class Sheet:
    """The printed sheet, in masks."""

    def __init__(self, printed: encore.Sheet) -> None:
        self.printed = printed
        columns = {letter: ((1 << HEIGHT) - 1) << HEIGHT * x for x, letter in enumerate(printed.columns)}
        rows = {letter: TOP << y for y, letter in enumerate(printed.rows)}
        self.box = {x + y: columns[x] & rows[y] for x in columns for y in rows}
        self.start = columns[printed.start_column]
        corners = [columns[x] & rows[y] for x in printed.columns[:-1] for y in printed.rows[:-1]]
        self.squares = [corner * (1 | 1 << 1 | 1 << HEIGHT | 1 << HEIGHT + 1) for corner in corners]
        self.stars, self.golden_dice = mask(printed.stars), mask(printed.golden_dice)
        self.colours = [sum(1 << box for box, at in enumerate(printed.boxes) if at == c) for c in printed.colours]
        self.blocks = [block for colour in self.colours for block in regions(colour)]
        bonus = [BONUS[kind] for kind in printed.column_bonus]
        self.lines = [
            self.line(COLUMN, x, columns[x], printed.column_first[i] + bonus[i], printed.column_later[i] + bonus[i])
            for i, x in enumerate(columns)
        ]
        self.lines += [
            self.line(ROW, y, rows[y], printed.row_points + BONUS[printed.row_bonus[i]], printed.row_points)
            for i, y in enumerate(rows)
        ]
        self.lines += [
            self.line(COLOUR, letter, boxes, printed.colour_first, printed.colour_later)
            for letter, boxes in zip(printed.colours, self.colours, strict=True)
        ]
        self.shapes: dict[tuple[str, str], list[int]] = {}
        for name, boxes in zip(printed.colour_names, self.colours, strict=True):
            for shape in shapes(boxes):
                for pair in product((name, "joker"), (str(shape.bit_count()), "?")):
                    self.shapes.setdefault(pair, []).append(shape)

    def line(self, kind: int, letter: str, boxes: int, first: float, later: float) -> Line:
        halo = boxes if kind == COLOUR else boxes | beside(boxes)  # a colour lies beside nearly everything
        return Line(kind, letter, boxes, halo, tuple(boxes & b for b in self.blocks if boxes & b), first, later)


@lru_cache(8)
def sheet_of(content: bytes) -> Sheet:
    return Sheet(encore.Sheet.FromString(content))


def mask(text: str) -> int:
    """The boxes that have a `1` in a text of the view."""
    return int(text[::-1], 2)


def beside(boxes: int) -> int:
    """All boxes side by side with one of these."""
    return EVERY & boxes << HEIGHT | boxes >> HEIGHT | (boxes & ~BOTTOM) << 1 | (boxes & ~TOP) >> 1


def regions(boxes: int) -> Iterator[int]:
    """The parts in which these boxes hang together."""
    while boxes:
        region = boxes & -boxes
        while (more := (region | beside(region)) & boxes) != region:
            region = more
        yield region
        boxes &= ~region


def shapes(colour: int) -> Iterator[int]:
    """All sets of 1 to 5 boxes of a colour that hang together."""
    for block in regions(colour):
        part = block
        while part:
            if part.bit_count() < 6 and next(regions(part)) == part:
                yield part
            part = (part - 1) & block


# 2. What a sheet will score


class Paper(NamedTuple):
    """What a player has on his own sheet: `dice` are those not used yet, `points` those of settled lines."""

    marked: int
    marks: int
    dice: int
    circled: int
    hearts: int
    points: int


class Race(NamedTuple):
    """A line that a player has not settled, against those who are at it too."""

    halo: int
    known: dict[int, tuple[float, float]]
    line: Line
    rival: int
    """The fewest boxes that another player lacks in it."""
    extra: float
    """What the first gets more than the others."""


@lru_cache(1 << 16)
def waiting(sheet: Sheet, line: Line, marked: int) -> tuple[int, ...]:
    """For each piece that a line lacks: twice its size, and one more if no marked box touches it."""
    near = EVERY if line.kind == COLOUR else beside(marked) | sheet.start
    lacking = [piece & ~marked for piece in line.pieces]
    return tuple([2 * piece.bit_count() + (not piece & near) for piece in lacking if piece])


@lru_cache(1 << 8)
def fitting(left: int) -> list[float]:
    """The odds that a fitting roll comes in time, for all that `waiting` may tell of a piece."""
    waits = [WAIT * (1 + LARGER * (piece // 2 - 1) + REMOTE * (piece % 2)) for piece in range(14)]
    return [1 - exp(-(left + 0.5) / wait) if left >= 0 else 0.0 for wait in waits]


class Forecast:
    """What a player's sheet will score, however he marks it, with so many rolls left (-1: the match is over)."""

    def __init__(self, table: Table, seat: int, left: int) -> None:
        self.sheet = table.sheet
        self.odds = fitting(left)
        player, printed = table.view.players[seat], self.sheet.printed
        settled = (player.columns, player.rows, player.colours)
        others = [lacks for other, lacks in enumerate(table.lacking) if other != seat]
        self.races = [
            Race(line.halo, {}, line, min([lacks[i] for lacks in others], default=WIDTH), table.extra[i])
            for i, line in enumerate(self.sheet.lines)
            if line.letter not in settled[line.kind]
        ]
        time = 1 - exp(-max(left, 0) / SOON)
        self.mark = printed.unused_mark_points + MARK * time
        self.die = printed.unused_die_points + DIE * time
        self.star = printed.star_penalty * (1 - self.odds[2])

    def score(self, paper: Paper) -> float:
        marked = paper.marked
        total = paper.points + paper.marks * self.mark + paper.dice * self.die
        total -= self.star * (self.sheet.stars & ~marked).bit_count()
        for race in self.races:
            odds, points = race[1].get(marked & race[0]) or self.run(race, marked)
            total += points
            if race[2].kind == COLUMN:
                total += odds * paper.hearts
        return total

    def run(self, race: Race, marked: int) -> tuple[float, float]:
        """The odds to fill a line, and the points that it will bring on average."""
        line = race.line
        odds = first = 1.0
        if lacking := (line.boxes & ~marked).bit_count():
            for piece in waiting(self.sheet, line, marked & line.halo):
                odds *= self.odds[piece]
            first = 1 / (1 + exp(LEAD * (lacking - race.rival)))
        result = race.known[marked & race.halo] = odds, odds * (line.later + first * race.extra)
        return result


# 3. Who wins


class Table:
    """The sheets of all players before this decision."""

    def __init__(self, view: encore.View) -> None:
        self.view = view
        self.sheet = sheet_of(view.sheet.SerializeToString(deterministic=True))
        self.papers = [paper_of(player) for player in view.players]
        self.lacking = [[(line.boxes & ~p.marked).bit_count() for line in self.sheet.lines] for p in self.papers]
        taken = (view.columns_taken, view.rows_taken, view.colours_taken)
        self.extra = [0.0 if x.letter in taken[x.kind] else x.first - x.later for x in self.sheet.lines]
        self.rivals = [seat for seat in range(len(self.papers)) if seat != view.seat]
        self.fastest = min([self.to_go(self.papers[rival].marked) for rival in self.rivals], default=WIDTH * HEIGHT)
        self.rolls = view.roll_limit - view.roll
        self.special = view.dice.special if view.question == encore.QUESTION_DICE else ""
        self.removing = view.active == view.seat and len(view.asked) == 1 and bool(self.special)
        self.forecasts: dict[tuple[int, int], Forecast] = {}
        self.rival_scores: dict[int, list[float]] = {}
        self.leavings: dict[tuple[str, ...], list[float]] = {}
        self.bests: dict[tuple[int, str, str], float] = {}

    def worth_a_look(self, legal: list[str]) -> list[str]:
        """All moves but the hundreds of bombs and lines that leave out a box which they could mark as well."""
        free = EVERY & ~self.papers[self.view.seat].marked
        bombs = {square & free for square in self.sheet.squares}
        lines: dict[str, int] = {}  # the lengths of the longest, by row
        for move in legal:
            if move.startswith("line "):
                lines[move[-1]] = max(len(move), lines.get(move[-1], 0))
        return [
            move
            for move in legal
            if (not move.startswith("bomb ") or self.boxes(move.split()) in bombs)
            and (not move.startswith("line ") or len(move) == lines[move[-1]])
        ]

    def prospect(self, move: str) -> float:
        """How things look after a move: how far ahead of whom, or alone the score."""
        words = move.split()
        paper = self.after(words)
        left = self.left(min(self.to_go(paper.marked), self.fastest))
        mine = self.forecast(self.view.seat, left).score(paper)
        if not self.rivals:
            return mine + UNUSED_ROLL * (self.rolls - max(left, 0))
        if left not in self.rival_scores:
            self.rival_scores[left] = [self.forecast(rival, left).score(self.papers[rival]) for rival in self.rivals]
        scores = self.rival_scores[left]
        if self.removing:
            scores = [score + gain for score, gain in zip(scores, self.gains(words), strict=True)]
        spread = SPREAD * (1 + sqrt(max(left, 0))) * sqrt(2)
        return sum([erf((mine - theirs) / spread) for theirs in scores])

    def after(self, words: list[str]) -> Paper:
        """The own paper after a move."""
        marked, marks, dice, circled, hearts, points = self.papers[self.view.seat]
        boxes = self.boxes(words)
        golden = min((boxes & self.sheet.golden_dice).bit_count(), self.sheet.printed.special_dice - circled)
        marks -= words.count("joker") + words.count("?")
        dice += golden - (words[0] == self.special)
        return Paper(marked | boxes, marks, dice, circled + golden, hearts + (words[0] == "heart"), points)

    def boxes(self, words: list[str]) -> int:
        """The boxes that a move marks."""
        boxes = 0
        for word in words[1:]:
            boxes |= self.sheet.box.get(word, 0)
        return boxes

    def to_go(self, marked: int) -> int:
        """How many boxes a sheet lacks in its best two colours."""
        best, second, *_ = sorted([(colour & ~marked).bit_count() for colour in self.sheet.colours])
        return best + second

    def left(self, to_go: int) -> int:
        """How many rolls will follow this one; -1 if the match is over with it."""
        if not to_go:
            return -1
        rolls = PACE[0] + PACE[1] * sqrt(to_go) + PACE[2] * to_go
        return max(0, min(self.rolls, round(rolls if self.rivals else SOLO_PACE * rolls)))

    def forecast(self, seat: int, left: int) -> Forecast:
        if (seat, left) not in self.forecasts:
            self.forecasts[seat, left] = Forecast(self, seat, left)
        return self.forecasts[seat, left]

    # 4. What the others get

    def gains(self, words: list[str]) -> list[float]:
        """What each rival may gain from the dice that a move leaves; the special die costs him one, and is left out."""
        used = () if words[0] in ("pass", self.special) else tuple(words[:2])
        if used not in self.leavings:
            colours, numbers = list(self.view.dice.colours), list(self.view.dice.numbers)
            if used:
                colours.remove(used[0])
                numbers.remove(used[1])
            pairs = {(colour, number) for colour in colours for number in numbers}
            self.leavings[used] = [ALERT * max([self.best(rival, *pair) for pair in pairs]) for rival in self.rivals]
        return self.leavings[used]

    def best(self, rival: int, colour: str, number: str) -> float:
        """The most that a rival's sheet can gain from two dice."""
        if (rival, colour, number) not in self.bests:
            paper, forecast = self.papers[rival], self.forecast(rival, self.left(self.fastest))
            marks = paper.marks - (colour == "joker") - (number == "?")
            near = (beside(paper.marked) | self.sheet.start) & ~paper.marked
            scores = [
                forecast.score(paper._replace(marked=paper.marked | boxes, marks=marks))
                for boxes in (self.sheet.shapes[colour, number] if marks >= 0 else ())
                if boxes & near and not boxes & paper.marked
            ]
            self.bests[rival, colour, number] = max(0.0, max(scores, default=0.0) - forecast.score(paper))
        return self.bests[rival, colour, number]


def paper_of(player: encore.Player) -> Paper:
    circled = player.special_dice + player.special_dice_used
    points = player.row_points + player.column_points + player.heart_points + player.colour_points
    return Paper(mask(player.marked), player.exclamation_marks, player.special_dice, circled, player.hearts, points)


if __name__ == "__main__":
    arena.run(decide)
