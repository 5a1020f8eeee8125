"""A printed sheet made ready for play: its values, and every shape that can be marked on it, worked out once.

All shapes are masks (see `shapes`). Tables hold moves in canonical order, so that a list of legal moves is a selection
from them and makes no new objects.
"""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, compress
from operator import itemgetter
from typing import Any, NamedTuple

from referee.games.encore.catalogue import Catalogue
from referee.games.encore.moves import (
    ANY,
    BLOCK,
    BOMB,
    COLOURS,
    JOKER_WORD,
    JOKERS,
    LINE,
    NUMBER_WORDS,
    STARS,
    Move,
    Notation,
    pair,
)
from referee.games.encore.remembered import Remembered
from referee.games.encore.shapes import (
    COLUMNS,
    HEIGHT,
    ROWS,
    WIDTH,
    beside,
    connected,
    in_order,
    numbers,
    regions,
    squares,
    subsets,
)
from referee.games.encore.sheet_file import STANDARD, standard_sheet

Table = tuple[Move, ...]
Offer = tuple[tuple[Table, ...], Callable[[bytes], tuple[bytes, ...]]]
"""The tables open to a player, and what picks their flags (see `Catalogue`) from those of all shapes."""
Open = tuple[int, int, int, int, bytes]
"""Marked boxes, boxes that were ever within reach, the shapes with one of those and of these, flags of open shapes."""
Line = tuple[int, int, int]
"""A row, a column or a colour: its own bit among its like, its number, the mask of its boxes."""


class Touched(NamedTuple):
    """What some boxes touch: the boxes beside them, and the lines that have one of them, with the boxes of each."""

    beside: int
    rows: tuple[Line, ...]
    columns: tuple[Line, ...]
    colours: tuple[Line, ...]
    boxes: tuple[int, ...]


MOST_THROWS = 300
"""Throws that are remembered: all that three dice can give."""
MOST_TOUCHED = 20_000
"""Sets of boxes whose lines are remembered: the same few thousand shapes come again and again."""


class Sheet:
    """One printed sheet; shared by all matches played on it and never changed."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        """`content` has passed `check_sheet`."""
        self.content = content
        self.column_letters: str = content["columns"]
        self.row_letters: str = content["rows"]
        # In the order in which the grid shows them, for a record sorts the keys of a table and must give the same dice.
        self.colour_letters = "".join(dict.fromkeys("".join(content["grid"])))
        self.colour_names: tuple[str, ...] = tuple(content["colours"][letter] for letter in self.colour_letters)
        self.notation = Notation(self.column_letters, self.row_letters, self.colour_names)

        self.exclamation_marks: int = content["exclamation_marks"]
        self.special_dice: int = content["special_dice"]
        self.special_dice_circled: int = content["special_dice_circled"]
        self.hearts: int = content["hearts"]
        self.row_points: int = content["row_points"]
        self.column_first: list[int] = content["column_first"]
        self.column_later: list[int] = content["column_later"]
        self.colour_first: int = content["colour_first"]
        self.colour_later: int = content["colour_later"]
        self.star_penalty: int = content["star_penalty"]
        self.unused_mark_points: int = content["unused_mark_points"]
        self.unused_die_points: int = content["unused_die_points"]
        self.row_bonus: list[str] = [content["row_bonus"].get(letter, "") for letter in self.row_letters]
        self.column_bonus: list[str] = [content["column_bonus"].get(letter, "") for letter in self.column_letters]

        self.start_column = COLUMNS[self.column_letters.index(content["start_column"])]
        self.stars = self._mask(content["stars"])
        self.golden_dice = self._mask(content["golden_dice"])
        self.colour_of = [
            self.colour_letters.index(content["grid"][number % HEIGHT][number // HEIGHT])
            for number in range(WIDTH * HEIGHT)
        ]
        colours = [
            sum(1 << number for number, colour in enumerate(self.colour_of) if colour == wanted)
            for wanted in range(COLOURS)
        ]
        self.rows = _lines(ROWS)
        self.columns = _lines(COLUMNS)
        self.colours = _lines(colours)
        self.blocks = sorted(
            (block for colour in colours for block in regions(colour)), key=lambda block: block & -block
        )
        self.block_of = [next(block for block in self.blocks if block >> n & 1) for n in range(WIDTH * HEIGHT)]

        shapes = [in_order(_connected_shapes(colour)) for colour in colours]
        self.shape_colour = {shape: colour for colour, group in enumerate(shapes) for shape in group}
        """The colour of every connected shape of 1 to 5 boxes of one colour."""
        shapes.append(in_order(self.shape_colour))  # what the joker can stand for
        self.shapes = Catalogue([shape for group in shapes for shape in group])
        """What pairs of dice can mark: the shapes of every colour, fewer boxes first, then all again for the joker."""
        reached = self.shapes.having(self.start_column)
        self.open_at_first: Open = (0, self.start_column, 0, reached, self.shapes.flags(reached))
        """What is open on an empty sheet."""
        self._pairs: dict[int, tuple[Table, slice]] = {}
        """The moves of every pair, and where their shapes are in the catalogue."""
        place = 0
        for colour, group in enumerate(shapes):
            sizes = [shape.bit_count() - 1 for shape in group]
            for number in range(ANY + 1):
                first, last = bisect_left(sizes, number), bisect_right(sizes, number)
                if number == ANY:
                    first, last = 0, len(group)
                way = pair(colour, number)
                table = tuple(Move(way, shape) for shape in group[first:last])
                self._pairs[way] = table, slice(place + first, place + last)
            place += len(group)
        bombs = in_order(part for square in squares() for part in subsets(square))
        self.pair_moves = frozenset(move for table, _ in self._pairs.values() for move in table)
        """Whatever pairs of dice can mark on an empty sheet."""
        self.bomb_shapes = frozenset(bombs)
        self._bombs = Catalogue(bombs)
        self._bomb_moves: Table = tuple(Move(BOMB, boxes) for boxes in bombs)
        self.lines = _choices(LINE, 3)
        """The moves that mark 1 to 3 of these boxes of one row."""
        self.star_choices = _choices(STARS, 2)
        """The moves that mark 1 or 2 of these stars."""
        self.block_moves = {part: Move(BLOCK, part) for block in self.blocks for part in subsets(block)}
        self.notation.remember([*self.shape_colour, *bombs, *self.block_moves])
        self._offers: dict[tuple[int, int, int], Offer] = {}
        self.touched = Remembered(self._touched, MOST_TOUCHED)
        """What some boxes touch; lines without any box belong to it as well."""

        self.colour_words = (*self.colour_names, JOKER_WORD)
        self.colour_faces = {word: face for face, word in enumerate(self.colour_words)}
        self.number_faces = {word: face for face, word in enumerate(NUMBER_WORDS)}
        self.colour_throws = _throws(self.colour_faces)
        self.number_throws = _throws(self.number_faces)
        """The faces of several dice together, by their words."""

    def offer(self, colours: Sequence[int], faces: Sequence[int], marks: int) -> Offer:
        """What is open to a player with so many exclamation marks when the dice show these faces."""
        marks = marks if marks < 2 else 2  # no pair needs more
        key = (_bits(*colours), _bits(*faces), marks)
        found = self._offers.get(key)
        if found is None:
            ways = [pair(colour, number) for colour in sorted(set(colours)) for number in sorted(set(faces))]
            pairs = [self._pairs[way] for way in ways if JOKERS[way] <= marks]
            nothing = slice(0)  # twice, since an itemgetter makes a tuple of two parts or more
            pick = itemgetter(nothing, nothing, *[place for _, place in pairs])
            found = self._offers[key] = (tuple([table for table, _ in pairs]), pick)
        return found

    def bombs(self, marked: int) -> Iterable[Move]:
        """The bombs that a player can place who has marked these boxes."""
        catalogue = self._bombs
        dead = 0
        for column in COLUMNS:
            dead |= catalogue.having(column & marked)
        return compress(self._bomb_moves, catalogue.flags(catalogue.every ^ dead))

    def _touched(self, boxes: int) -> Touched:
        rows, columns, colours = (
            tuple([line for line in lines if line[2] & boxes or not line[2]])
            for lines in (self.rows, self.columns, self.colours)
        )
        return Touched(beside(boxes), rows, columns, colours, tuple([line[2] for line in (*rows, *columns, *colours)]))

    def _mask(self, boxes: Iterable[str]) -> int:
        return sum(1 << HEIGHT * self.column_letters.index(box[0]) + self.row_letters.index(box[1]) for box in boxes)


def sheet_for(value: Any) -> Sheet:
    """The sheet that a resolved option `sheet` stands for; made once for each content."""
    return _standard() if value == STANDARD else _made(json.dumps(value, sort_keys=True))


@lru_cache(maxsize=1)
def _standard() -> Sheet:
    return Sheet(standard_sheet())


@lru_cache(maxsize=16)
def _made(content: str) -> Sheet:
    return Sheet(json.loads(content))


def _throws(faces: Mapping[str, int]) -> Remembered[tuple[str, ...], tuple[int, ...]]:
    return Remembered(lambda words: tuple([faces[word] for word in words]), MOST_THROWS)


@lru_cache(maxsize=1024)
def _bits(*faces: int) -> int:
    bits = 0
    for face in faces:
        bits |= 1 << face
    return bits


def _lines(masks: Iterable[int]) -> tuple[Line, ...]:
    return tuple((1 << number, number, mask) for number, mask in enumerate(masks))


def _connected_shapes(colour: int) -> list[int]:
    return [part for block in regions(colour) for part in subsets(block) if part.bit_count() <= 5 and connected(part)]


def _choices(way: int, most: int) -> Callable[[int], tuple[Move, ...]]:
    @lru_cache(maxsize=4096)
    def moves(boxes: int) -> tuple[Move, ...]:
        bits = [1 << number for number in numbers(boxes)]
        return tuple([Move(way, sum(some)) for count in range(1, most + 1) for some in combinations(bits, count)])

    return moves
