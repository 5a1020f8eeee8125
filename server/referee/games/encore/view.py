"""The view of a match of Encore et Encore!: what a seat or the public may know of it.

Every sheet and every die is open: views differ in the seat, and in how far back the news goes. A view is joined from
wire forms (`referee.rules.wire`): all but seat and news is written once per decision, and of that only what changed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore.choices import BOMBS
from referee.games.encore.events import Event
from referee.games.encore.events import wire as event_wire
from referee.games.encore.moves import ACTION_NAMES, NUMBER_WORDS, PASS
from referee.games.encore.paper import Paper
from referee.games.encore.shapes import BOXES
from referee.games.encore.sheet import Sheet
from referee.rules.wire import framed, tag, varint

if TYPE_CHECKING:
    from referee.games.encore.state import EncoreState

_BITS = f"0{BOXES}b"


def view_of(state: EncoreState, seat: int | None) -> pb.View:
    """All that this seat may know; None is the public."""
    return pb.View.FromString(wire(state, seat))


def wire(state: EncoreState, seat: int | None) -> bytes:
    """The wire form of that view."""
    if not state.shown:
        state.shown = _table(state)
    return b"".join([_head(seat, state.asked), *state.log.written(seat, _writer(state.sheet)), state.shown])


@lru_cache(maxsize=16)
def _writer(sheet: Sheet) -> Callable[[Event], bytes]:
    """Writes an event in the words of this sheet."""
    return partial(event_wire, sheet)


@lru_cache(maxsize=1024)
def _head(seat: int | None, asked: tuple[int, ...]) -> bytes:
    return pb.View(seat=seat, asked=asked).SerializeToString()


def _table(state: EncoreState) -> bytes:
    """How things stand, what is asked, and what lies on the table: the sheets, the dice, the races."""
    sheet, ended = state.sheet, state.ended
    scores = players = b""
    for paper in state.papers:
        if paper.shown is None:
            paper.shown = (varint(paper.score()), framed(_PLAYER, _player(paper)))
        score, player = paper.shown
        scores += score
        players += player
    words = state.rolled
    pairs = len(words) // 2
    rolled = _colour_dice(words[:pairs]) + _other_dice(words[pairs:-1], words[-1])
    if state.taken.way == PASS:
        dice = framed(_DICE, rolled)
    else:
        dice = _dice_left(sheet, state.colour_dice, state.number_dice, state.special_die)
    if ended:
        question = pb.View(ranks=ended.ranks, reason=ended.reason).SerializeToString()
    else:
        question = _BOMB_ASKED if state.phase == BOMBS else _DICE_ASKED
    parts = [
        *(_SCORES, varint(len(scores)), scores),
        question,
        _printed(sheet),
        _turn(state.roll, state.roll_limit, state.active),
        *(_ROLLED, varint(len(rolled)), rolled),
        dice,
        players,
        _taken(sheet, state.rows_taken, state.columns_taken, state.colours_taken),
    ]
    return b"".join(parts)


@lru_cache(maxsize=16)
def _printed(sheet: Sheet) -> bytes:
    """A view with the printed sheet and nothing else, serialised."""
    content = sheet.content
    printed = pb.Sheet(
        name=content["name"],
        columns=sheet.column_letters,
        rows=sheet.row_letters,
        start_column=content["start_column"],
        boxes="".join(sheet.colour_letters[colour] for colour in sheet.colour_of),
        colours=sheet.colour_letters,
        colour_names=sheet.colour_names,
        stars=_bits(sheet.stars),
        golden_dice=_bits(sheet.golden_dice),
        column_first=sheet.column_first,
        column_later=sheet.column_later,
        column_bonus=sheet.column_bonus,
        row_points=sheet.row_points,
        row_bonus=sheet.row_bonus,
        colour_first=sheet.colour_first,
        colour_later=sheet.colour_later,
        exclamation_marks=sheet.exclamation_marks,
        special_dice=sheet.special_dice,
        hearts=sheet.hearts,
        star_penalty=sheet.star_penalty,
        unused_mark_points=sheet.unused_mark_points,
        unused_die_points=sheet.unused_die_points,
    )
    return pb.View(sheet=printed).SerializeToString()


@lru_cache(maxsize=4096)
def _turn(roll: int, roll_limit: int, active: int) -> bytes:
    return pb.View(roll=roll, roll_limit=roll_limit, active=active).SerializeToString()


@lru_cache(maxsize=4096)
def _colour_dice(words: tuple[str, ...]) -> bytes:
    """Colour dice in words, without the tag of the field that they stand in."""
    return pb.Dice(colours=words).SerializeToString()


@lru_cache(maxsize=4096)
def _other_dice(numbers: tuple[str, ...], special: str) -> bytes:
    return pb.Dice(numbers=numbers, special=special).SerializeToString()


@lru_cache(maxsize=16_384)
def _dice_left(sheet: Sheet, colours: tuple[int, ...], numbers: tuple[int, ...], special: int) -> bytes:
    """A view with the dice that the active player has left, and nothing else."""
    words = _colour_dice(tuple([sheet.colour_words[face] for face in colours]))
    action = "" if special == PASS else ACTION_NAMES[special]
    return framed(_DICE, words + _other_dice(tuple([NUMBER_WORDS[face] for face in numbers]), action))


@lru_cache(maxsize=4096)
def _taken(sheet: Sheet, rows: int, columns: int, colours: int) -> bytes:
    return pb.View(
        rows_taken=_letters(sheet.row_letters, rows),
        columns_taken=_letters(sheet.column_letters, columns),
        colours_taken=_letters(sheet.colour_letters, colours),
    ).SerializeToString()


def _player(paper: Paper) -> bytes:
    """One player's sheet, without the tag of the field that it stands in."""
    if paper.shown_lines is None:
        paper.shown_lines = _lines(paper)
    supplies = _supplies(paper.marks, paper.circled - paper.used, paper.used, paper.hearts, paper.bombs_owed)
    return _MARKED + _bits(paper.marked).encode() + supplies + paper.shown_lines


@lru_cache(maxsize=4096)
def _supplies(marks: int, dice: int, used: int, hearts: int, bombs: int) -> bytes:
    return pb.Player(
        exclamation_marks=marks, special_dice=dice, special_dice_used=used, hearts=hearts, bombs_owed=bombs
    ).SerializeToString()


def _lines(paper: Paper) -> bytes:
    """Completed lines and their points, and what a solo player got for unused rolls."""
    sheet = paper.sheet
    return pb.Player(
        rows=_letters(sheet.row_letters, paper.rows),
        columns=_letters(sheet.column_letters, paper.columns),
        colours=_letters(sheet.colour_letters, paper.colours),
        row_points=paper.row_points,
        column_points=paper.column_points,
        heart_points=paper.heart_points,
        colour_points=paper.colour_points,
        unused_roll_points=paper.unused_roll_points,
    ).SerializeToString()


def _bits(boxes: int) -> str:
    return format(boxes, _BITS)[::-1]


def _letters(letters: str, bits: int) -> str:
    return "".join([letter for number, letter in enumerate(letters) if bits >> number & 1])


_DICE_ASKED = pb.View(question=pb.QUESTION_DICE).SerializeToString()
_BOMB_ASKED = pb.View(question=pb.QUESTION_BOMB).SerializeToString()
_SCORES, _PLAYER = tag(pb.View, "scores"), tag(pb.View, "players")
_ROLLED, _DICE = tag(pb.View, "rolled"), tag(pb.View, "dice")
_MARKED = tag(pb.Player, "marked") + varint(BOXES)
