"""A position of Encore et Encore! in numbers, from which `referee luck` learns who will be ahead."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from referee.games.encore.paper import Paper
from referee.games.encore.shapes import BOXES
from referee.rules.game import Appraisal

if TYPE_CHECKING:
    from referee.games.encore.state import EncoreState

NEAR = 3
"""A column that lacks so many boxes or fewer is nearly complete."""
COLOUR_NEAR, COLOUR_ON_THE_WAY = 2, 5
ROWS_LACKING = (1, 2, 3, 5, 8, 12)
"""Rows are counted by what they lack: one box, two, three, up to five, up to eight, up to twelve."""
RACE = 4
"""A column that lacks fewer boxes than this is raced for."""


def appraise(state: EncoreState) -> Appraisal:
    """By seat: points, what begun columns, colours and rows may still bring, jokers, special dice, hearts, where the
    next mark can go, how near the end the sheet is, and for each box whether it is marked. The match has come as far as
    the two fullest colours of the fullest sheet. The dice on the table are not in it.
    """
    shares = [_colour_shares(state, paper) for paper in state.papers]
    progress = max((one[-1] + one[-2]) / 2 for one in shares)
    return Appraisal(progress, [_seat(state, *one) for one in zip(state.papers, shares, strict=True)])


def _colour_shares(state: EncoreState, paper: Paper) -> list[float]:
    """How full each colour is, the fullest last."""
    return sorted(_share(boxes, paper.marked) for _, _, boxes in state.sheet.colours)


def _seat(state: EncoreState, paper: Paper, colour_shares: list[float]) -> tuple[float, ...]:
    sheet, marked = state.sheet, paper.marked
    rivals = [other.marked for other in state.papers if other is not paper]
    lacking = [0.0] * NEAR  # points of the columns that lack one box, two, three
    begun = race = 0.0
    still_open = 0
    for bit, number, boxes in sheet.columns:
        if paper.columns & bit:
            continue
        still_open += 1
        first, later = sheet.column_first[number], sheet.column_later[number]
        taken = bool(state.columns_taken & bit)
        points = later if taken else first
        left = (boxes & ~marked).bit_count()
        if left <= NEAR:
            lacking[max(0, left - 1)] += points
        begun += points * _share(boxes, marked)
        if left < RACE and not taken and rivals:
            nearest = min((boxes & ~other).bit_count() for other in rivals)
            race += (first - later) * (RACE - left) / RACE * 0.5 ** max(0, left - nearest)
    near = on_the_way = colours = 0.0
    for bit, _, boxes in sheet.colours:
        if not paper.colours & bit:
            points = sheet.colour_later if state.colours_taken & bit else sheet.colour_first
            left = (boxes & ~marked).bit_count()
            if left <= COLOUR_NEAR:
                near += points
            elif left <= COLOUR_ON_THE_WAY:
                on_the_way += points
            colours += points * _share(boxes, marked) ** 2
    rows = 0.0
    rows_lacking = [0.0] * len(ROWS_LACKING)
    for bit, _, boxes in sheet.rows:
        if not paper.rows & bit:
            rows += _share(boxes, marked) ** 2
            place = bisect_left(ROWS_LACKING, (boxes & ~marked).bit_count())
            if place < len(ROWS_LACKING):
                rows_lacking[place] += 1.0
    return (
        float(paper.score()),
        *lacking,
        begun,
        race,
        near,
        on_the_way,
        colours,
        *rows_lacking,
        rows,
        float(paper.marks),
        float(paper.circled - paper.used),
        float(paper.hearts),
        float(paper.hearts * still_open),
        float(paper.near.bit_count()),
        (colour_shares[-1] + colour_shares[-2]) / 2,
        colour_shares[0],
        *map(float, f"{marked:0{BOXES}b}"),
    )


def _share(boxes: int, marked: int) -> float:
    return (boxes & marked).bit_count() / boxes.bit_count()
