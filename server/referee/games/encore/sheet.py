"""A printed sheet made ready for play: its values, and every shape that can be marked on it, worked out once.

All shapes are masks (see `shapes`). Tables hold `(boxes, move)` in canonical order, so that a list of legal moves is
a filter over them and makes no new objects.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from itertools import combinations
from typing import Any

from referee.games.encore.moves import (
    ANY,
    BLOCK,
    BOMB,
    COLOURS,
    JOKER,
    JOKER_WORD,
    JOKERS,
    LINE,
    NUMBER_WORDS,
    STARS,
    Move,
    Notation,
    pair,
)
from referee.games.encore.shapes import (
    COLUMNS,
    HEIGHT,
    ROWS,
    WIDTH,
    connected,
    in_order,
    numbers,
    regions,
    squares,
    subsets,
)
from referee.games.encore.sheet_file import STANDARD, standard_sheet

Table = tuple[tuple[int, Move], ...]
Line = tuple[int, int, int]
"""A row, a column or a colour: its own bit among its like, its number, the mask of its boxes."""

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
        self._pairs: dict[int, Table] = {
            pair(colour, number): tuple(
                (shape, Move(pair(colour, number), shape))
                for shape in shapes[colour]
                if number in (ANY, shape.bit_count() - 1)
            )
            for colour in range(JOKER + 1)
            for number in range(ANY + 1)
        }
        bombs = in_order(part for square in squares() for part in subsets(square))
        self.bombs: Table = tuple((boxes, Move(BOMB, boxes)) for boxes in bombs)
        self.bomb_shapes = frozenset(bombs)
        self.lines = _choices(LINE, 3)
        """The moves that mark 1 to 3 of these boxes of one row."""
        self.star_choices = _choices(STARS, 2)
        """The moves that mark 1 or 2 of these stars."""
        self.block_moves = {part: Move(BLOCK, part) for block in self.blocks for part in subsets(block)}
        self.notation.remember([*self.shape_colour, *bombs, *self.block_moves])
        self._offers: dict[tuple[int, int], tuple[tuple[Table, ...], ...]] = {}
        self._touched: dict[int, tuple[tuple[Line, ...], ...]] = {}

        self.colour_words = (*self.colour_names, JOKER_WORD)
        self.colour_faces = {word: face for face, word in enumerate(self.colour_words)}
        self.number_faces = {word: face for face, word in enumerate(NUMBER_WORDS)}

    def offers(self, colours: Iterable[int], faces: Iterable[int]) -> tuple[tuple[Table, ...], ...]:
        """The tables open to a player with 0, 1, and 2 or more exclamation marks when the dice show these faces."""
        colour_bits = number_bits = 0
        for colour in colours:
            colour_bits |= 1 << colour
        for number in faces:
            number_bits |= 1 << number
        found = self._offers.get((colour_bits, number_bits))
        if found is None:
            ways = [
                pair(colour, number)
                for colour in range(JOKER + 1)
                for number in range(ANY + 1)
                if colour_bits >> colour & 1 and number_bits >> number & 1
            ]
            found = tuple(tuple(self._pairs[way] for way in ways if JOKERS[way] <= marks) for marks in range(3))
            self._offers[colour_bits, number_bits] = found
        return found

    def touched(self, boxes: int) -> tuple[tuple[Line, ...], ...]:
        """The rows, the columns and the colours that have one of these boxes, or none at all."""
        found = self._touched.get(boxes)
        if found is None:
            groups = (self.rows, self.columns, self.colours)
            found = tuple(tuple(line for line in lines if line[2] & boxes or not line[2]) for lines in groups)
            if len(self._touched) < MOST_TOUCHED:
                self._touched[boxes] = found
        return found

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


def _lines(masks: Iterable[int]) -> tuple[Line, ...]:
    return tuple((1 << number, number, mask) for number, mask in enumerate(masks))


def _connected_shapes(colour: int) -> list[int]:
    return [part for block in regions(colour) for part in subsets(block) if part.bit_count() <= 5 and connected(part)]


def _choices(way: int, most: int) -> Callable[[int], tuple[Move, ...]]:
    @lru_cache(maxsize=4096)
    def moves(boxes: int) -> tuple[Move, ...]:
        bits = [1 << number for number in numbers(boxes)]
        return tuple(Move(way, sum(some)) for count in range(1, most + 1) for some in combinations(bits, count))

    return moves
