"""The check of a move of Encore et Encore!: why it is rejected, and the fallback for a seat that makes none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee.games.encore.choices import BOMBS
from referee.games.encore.moves import (
    ACTION_NAMES,
    ANY,
    BLOCK,
    BOMB,
    HEART,
    JOKER,
    JOKER_WORD,
    JOKERS,
    LINE,
    NUMBER_WORDS,
    PASS,
    PASSING,
    STARS,
    Move,
)
from referee.games.encore.paper import Paper
from referee.games.encore.shapes import connected, numbers
from referee.rules.game import NOT_ASKED, Rejection, Seat

if TYPE_CHECKING:
    from referee.games.encore.state import EncoreState


def check(state: EncoreState, seat: Seat, move: Move) -> Rejection | None:
    """Why this move is illegal now, or None."""
    if seat not in state.asked:
        return NOT_ASKED
    if move.way == PASS:
        return None
    paper = state.papers[seat]
    if state.phase == BOMBS:
        return _check_bomb(paper, move)
    if move.way >= HEART:
        return _no_special_die(paper, state.special_die, move.way) or _check_action(paper, move)
    return _check_pair(paper, state.colour_dice, state.number_dice, move)


def fallback(state: EncoreState, seat: Seat) -> Move:
    """Pass, which is always allowed."""
    return PASSING


def _check_pair(paper: Paper, colours: Sequence[int], faces: Sequence[int], move: Move) -> Rejection | None:
    """A pair of the dice on the table, which show these colour and number faces."""
    way, boxes = move
    colour, number = divmod(way - 1, 6)
    if (  # all at once, for nearly all moves are legal
        colour in colours
        and number in faces
        and JOKERS[way] <= paper.marks
        and move in paper.sheet.pair_moves
        and not boxes & paper.marked
        and boxes & (paper.near | paper.sheet.start_column)
    ):
        return None
    return (
        _not_on_the_table(paper, colours, faces, colour, number)
        or _marks_short(paper, way)
        or _wrong_shape(paper, colour, number, boxes)
        or _out_of_reach(paper, boxes)
    )


def _check_bomb(paper: Paper, move: Move) -> Rejection | None:
    """The answer of a player who is owed a bomb."""
    if move.way != BOMB:
        return Rejection("only_a_bomb", "a bomb is owed and nothing else can be done now: `bomb` with boxes, or `pass`")
    return _check_action(paper, move)


def _check_action(paper: Paper, move: Move) -> Rejection | None:
    """What an action of the special die marks or circles."""
    way, boxes = move
    if way == HEART:
        if paper.hearts < paper.sheet.hearts:
            return None
        return Rejection("hearts_full", f"all {paper.sheet.hearts} hearts are circled already")
    marked = boxes & paper.marked
    if marked:
        return _already_marked(paper, marked)
    if way == BOMB:
        if boxes in paper.sheet.bomb_shapes:
            return None
        return Rejection("not_in_a_square", "a bomb marks 1 to 4 boxes that lie inside one square of 2 by 2 boxes")
    if way == STARS:
        return _wrong_stars(paper, boxes)
    if way == LINE:
        return _wrong_line(paper, boxes)
    assert way == BLOCK
    return _wrong_block(paper, boxes)


def _not_on_the_table(
    paper: Paper, colours: Sequence[int], faces: Sequence[int], colour: int, number: int
) -> Rejection | None:
    if colour not in colours:
        word = JOKER_WORD if colour == JOKER else paper.sheet.colour_names[colour]
        return Rejection("no_such_die", f"no colour die on the table shows {word}")
    if number not in faces:
        return Rejection("no_such_die", f"no number die on the table shows {NUMBER_WORDS[number]}")
    return None


def _marks_short(paper: Paper, way: int) -> Rejection | None:
    if JOKERS[way] <= paper.marks:
        return None
    return Rejection("no_mark_left", f"every joker costs an exclamation mark: {JOKERS[way]} needed, {paper.marks} left")


def _wrong_shape(paper: Paper, colour: int, number: int, boxes: int) -> Rejection | None:
    sheet = paper.sheet
    count = boxes.bit_count()
    if number == ANY:
        if count > 5:
            return Rejection("wrong_count", f"? stands for 1 to 5 boxes, not {count}")
    elif count != number + 1:
        return Rejection("wrong_count", f"{number + 1} boxes must be marked, not {count}")
    if boxes & paper.marked:
        return _already_marked(paper, boxes & paper.marked)
    wanted = sheet.shape_colour.get(boxes)
    if wanted is not None and colour in (wanted, JOKER):
        return None
    if colour == JOKER:
        of = sheet.colours[sheet.colour_of[next(numbers(boxes))]][2]
        if boxes & ~of:
            return Rejection("mixed_colours", "the joker stands for one colour; these boxes have several")
    elif strangers := boxes & ~sheet.colours[colour][2]:
        names = sheet.notation.boxes(strangers)
        return Rejection("wrong_colour", f"all boxes must be {sheet.colour_names[colour]}; these are not: {names}")
    assert not connected(boxes)
    return Rejection("not_connected", "the boxes of one move must hang together side by side, by themselves")


def _out_of_reach(paper: Paper, boxes: int) -> Rejection | None:
    if boxes & (paper.near | paper.sheet.start_column):
        return None
    start = paper.sheet.content["start_column"]
    return Rejection("out_of_reach", f"one of the boxes must be in column {start} or have an earlier mark side by side")


def _no_special_die(paper: Paper, special: int, way: int) -> Rejection | None:
    if special == PASS:
        return Rejection("no_such_die", "the special die has been taken")
    if way != special:
        return Rejection("no_such_die", f"the special die shows {ACTION_NAMES[special]}, not {ACTION_NAMES[way]}")
    if paper.circled == paper.used:
        return Rejection("no_special_die", "the special die needs a circled special die on your sheet; none is left")
    return None


def _already_marked(paper: Paper, boxes: int) -> Rejection:
    return Rejection(
        "already_marked", f"all boxes must be unmarked; these are marked already: {paper.sheet.notation.boxes(boxes)}"
    )


def _wrong_stars(paper: Paper, boxes: int) -> Rejection | None:
    sheet = paper.sheet
    if boxes & ~sheet.stars:
        names = sheet.notation.boxes(boxes & ~sheet.stars)
        return Rejection("not_a_star", f"all boxes must have a star; these have none: {names}")
    if boxes.bit_count() > 2:
        return Rejection("too_many_boxes", f"1 or 2 stars can be marked, not {boxes.bit_count()}")
    if far := boxes & ~(paper.near | sheet.start_column):
        start = sheet.content["start_column"]
        return Rejection(
            "out_of_reach",
            f"each star must be in column {start} or touch an earlier mark; these do not: {sheet.notation.boxes(far)}",
        )
    return None


def _wrong_line(paper: Paper, boxes: int) -> Rejection | None:
    if not any(boxes & ~row == 0 for _, _, row in paper.sheet.rows):
        return Rejection("not_in_a_row", "all boxes of a line must be in one row")
    if boxes.bit_count() > 3:
        return Rejection("too_many_boxes", f"a line marks 1 to 3 boxes, not {boxes.bit_count()}")
    if far := boxes & ~paper.near:
        return Rejection(
            "out_of_reach",
            f"each box must be side by side with one marked earlier; these are not: {paper.sheet.notation.boxes(far)}",
        )
    return None


def _wrong_block(paper: Paper, boxes: int) -> Rejection | None:
    sheet = paper.sheet
    block = sheet.block_of[next(numbers(boxes))]
    if boxes & ~block:
        return Rejection("not_one_block", "all boxes must be of one block, a connected region of one colour")
    if missing := block & ~paper.marked & ~boxes:
        return Rejection(
            "not_the_whole_block",
            f"all unmarked boxes of the block must be marked, also: {sheet.notation.boxes(missing)}",
        )
    if not block & paper.near:
        return Rejection("out_of_reach", "no box of this block is marked or side by side with a marked box")
    return None
