"""The view of a match of Encore et Encore!: what a seat or the public may know of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore.choices import BOMBS
from referee.games.encore.events import wire
from referee.games.encore.moves import ACTION_NAMES, NUMBER_WORDS, PASS
from referee.games.encore.shapes import BOXES
from referee.games.encore.sheet import Sheet

if TYPE_CHECKING:
    from referee.games.encore.state import EncoreState

_BITS = f"0{BOXES}b"


def view_of(state: EncoreState, seat: int | None) -> pb.View:
    """All that this seat may know; None is the public."""
    # Every sheet and every die is open: views differ in the seat, and in how far back the news goes. So they are built
    # once per decision and length of news, and then only read back.
    news = state.log.since(seat)
    shown = state.shown.get(len(news))
    if shown is None:
        # Serialised messages of one type that are strung together are read as one merged message.
        told = b"".join([wire(state.sheet, event) for event in news])
        papers = b"".join([_player(state.sheet, *paper.figures()) for paper in state.papers])
        shown = _printed(state.sheet) + _table(state).SerializeToString() + papers + told
        state.shown[len(news)] = shown
    view = pb.View.FromString(shown)
    if seat is not None:
        view.seat = seat
    return view


def _table(state: EncoreState) -> pb.View:
    """What is asked, how things stand, and what lies on the table: the dice, the races."""
    sheet = state.sheet
    rolled = state.rolled
    pairs = len(rolled) // 2
    view = pb.View(
        asked=state.asked,
        scores=state.scores(),
        roll=state.roll,
        roll_limit=state.roll_limit,
        active=state.active,
        rolled=pb.Dice(colours=rolled[:pairs], numbers=rolled[pairs:-1], special=rolled[-1]),
        dice=pb.Dice(
            colours=[sheet.colour_words[face] for face in state.colour_dice],
            numbers=[NUMBER_WORDS[face] for face in state.number_dice],
            special="" if state.special_die == PASS else ACTION_NAMES[state.special_die],
        ),
        rows_taken=_letters(sheet.row_letters, state.rows_taken),
        columns_taken=_letters(sheet.column_letters, state.columns_taken),
        colours_taken=_letters(sheet.colour_letters, state.colours_taken),
    )
    if state.ended:
        view.ranks.extend(state.ended.ranks)
        view.reason = state.ended.reason
    else:
        view.question = pb.QUESTION_BOMB if state.phase == BOMBS else pb.QUESTION_DICE
    return view


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
def _player(
    sheet: Sheet,
    marked: int,
    marks: int,
    circled: int,
    used: int,
    hearts: int,
    bombs_owed: int,
    rows: int,
    columns: int,
    colours: int,
    row_points: int,
    column_points: int,
    heart_points: int,
    colour_points: int,
    unused_roll_points: int,
) -> bytes:
    """A view with one more player and nothing else, serialised; kept, for a paper often stays as it is."""
    player = pb.Player(
        marked=_bits(marked),
        exclamation_marks=marks,
        special_dice=circled - used,
        special_dice_used=used,
        hearts=hearts,
        bombs_owed=bombs_owed,
        rows=_letters(sheet.row_letters, rows),
        columns=_letters(sheet.column_letters, columns),
        colours=_letters(sheet.colour_letters, colours),
        row_points=row_points,
        column_points=column_points,
        heart_points=heart_points,
        colour_points=colour_points,
        unused_roll_points=unused_roll_points,
    )
    return pb.View(players=[player]).SerializeToString()


def _bits(boxes: int) -> str:
    return format(boxes, _BITS)[::-1]


@lru_cache(maxsize=4096)
def _letters(letters: str, bits: int) -> str:
    return "".join([letter for number, letter in enumerate(letters) if bits >> number & 1]) if bits else ""
