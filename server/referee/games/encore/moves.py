"""The moves of Encore et Encore! and their notation: `pass`, dice and boxes in the words of one sheet.

Inside, a move is a pair of numbers. `way` says which dice are taken: none (`PASS`), one of 36 pairs of a colour face
and a number face, or the special die with its action. `boxes` is the mask of the boxes to be marked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from referee.games.encore.remembered import Remembered
from referee.games.encore.shapes import HEIGHT, numbers
from referee.rules.game import Legal, Unreadable

COLOURS = 5
JOKER = 5
"""The face of a colour die that stands for any colour; faces 0 to 4 are the colours in the sheet's order."""
ANY = 5
"""The face of a number die that stands for any number; faces 0 to 4 are the numbers 1 to 5."""
NUMBER_WORDS = ("1", "2", "3", "4", "5", "?")
JOKER_WORD = "joker"

PASS = 0
HEART, BOMB, STARS, LINE, BLOCK = range(37, 42)
ACTION_WORDS = {"heart": HEART, "bomb": BOMB, "stars": STARS, "line": LINE, "block": BLOCK}
ACTION_NAMES = {way: word for word, way in ACTION_WORDS.items()}
RESERVED = frozenset({"pass", JOKER_WORD, *ACTION_WORDS})
"""Words that begin a move of their own, and so cannot name a colour."""


MOST_READ = 16_384
"""Texts whose meaning is remembered: there are some thousand moves, and nearly every text is one as it is printed."""
SHORT = 80
"""Characters of a text that is remembered; a stranger may send longer ones."""


class Move(NamedTuple):
    """Which dice are taken, and which boxes are marked."""

    way: int
    boxes: int


PASSING = Move(PASS, 0)
NOTHING: Legal[Move] = Legal(())


def pair(colour: int, number: int) -> int:
    """The way that takes a colour face and a number face."""
    return 1 + 6 * colour + number


JOKERS = tuple(
    (divmod(way - 1, 6)[0] == JOKER) + (divmod(way - 1, 6)[1] == ANY) if PASS < way < HEART else 0 for way in range(42)
)
"""How many exclamation marks each way crosses out."""

HOW = (
    "a move is `pass`, a colour (or joker), a number (or ?) and boxes as in `{colour} 2 {first} {second}`, "
    "`heart`, or bomb, stars, line or block with boxes as in `bomb {first} {second}`"
)


class Notation:
    """Reads and prints moves with the letters and colours of one sheet."""

    __slots__ = ("_boxes", "_how", "_names", "_read", "_texts", "_ways", "words")

    def __init__(self, columns: str, rows: str, colours: Sequence[str]) -> None:
        self._names = [column + row for column in columns for row in rows]
        self._boxes = {name: 1 << number for number, name in enumerate(self._names)}
        faces = (*colours, JOKER_WORD)
        self.words = ["pass", *(f"{colour} {number}" for colour in faces for number in NUMBER_WORDS), *ACTION_WORDS]
        """The text of every way, before its boxes."""
        self._ways = {word: way for way, word in enumerate(self.words)}
        self._how = HOW.format(colour=colours[0], first=self._names[7 * HEIGHT], second=self._names[7 * HEIGHT + 1])
        self._texts: dict[int, str] = {}
        self._read = Remembered(self._parsed, MOST_READ)

    def box(self, number: int) -> str:
        """The name of a box."""
        return self._names[number]

    def boxes(self, mask: int) -> str:
        """The names of these boxes as printed."""
        return self._texts.get(mask) or " ".join([self._names[number] for number in numbers(mask)])

    def remember(self, masks: Sequence[int]) -> None:
        """Print these sets of boxes once and for all."""
        for mask in masks:
            self._texts[mask] = self.boxes(mask)

    def format_move(self, move: Move) -> str:
        """The one way a move is printed."""
        way, boxes = move
        return f"{self.words[way]} {self.boxes(boxes)}" if boxes else self.words[way]

    def parse(self, text: str) -> Move:
        """The move this text means, or `Unreadable`."""
        return self._read[text] if len(text) <= SHORT else self._parsed(text)

    def _parsed(self, text: str) -> Move:
        words = text.split()
        if not words:
            raise self._unreadable(text, "it is empty")
        # A pair is two words, everything else one.
        head = words[0] if words[0] in self._ways else " ".join(words[:2])
        way = self._ways.get(head)
        if way is None:
            raise self._unreadable(text, f"{_short(head)} is no way to take dice")
        names = words[1 + (PASS < way < HEART) :]
        if bool(names) == (way in (PASS, HEART)):
            raise self._unreadable(text, "boxes are missing" if not names else f"`{head}` takes no boxes")
        boxes = 0
        for name in names:
            box = self._boxes.get(name)
            if box is None:
                raise self._unreadable(text, f"{_short(name)} is no box")
            if boxes & box:
                raise self._unreadable(text, f"the box {name} is named twice")
            boxes |= box
        return Move(way, boxes)

    def _unreadable(self, text: str, why: str) -> Unreadable:
        return Unreadable(f"cannot read {_short(text)}: {why}; {self._how}")


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
