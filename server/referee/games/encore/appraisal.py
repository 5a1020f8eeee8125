"""A position of Encore et Encore! in numbers, from which `referee luck` learns who will be ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.games.encore.paper import Paper
from referee.rules.game import Appraisal

if TYPE_CHECKING:
    from referee.games.encore.state import EncoreState


def appraise(state: EncoreState) -> Appraisal:
    """By seat: points, what begun columns, colours and rows may still bring, boxes, jokers, special dice, hearts, where
    the next mark can go, and stars. The match has come as far as the two fullest colours of the fullest sheet.
    """
    return Appraisal(max(_two_colours(state, paper) for paper in state.papers), [_seat(state, p) for p in state.papers])


def _two_colours(state: EncoreState, paper: Paper) -> float:
    fullest = sorted(_share(boxes, paper.marked) for _, _, boxes in state.sheet.colours)
    return (fullest[-1] + fullest[-2]) / 2


def _seat(state: EncoreState, paper: Paper) -> tuple[float, ...]:
    sheet, marked = state.sheet, paper.marked
    begun = nearly = colours = rows = 0.0
    for bit, number, boxes in sheet.columns:
        if not paper.columns & bit:
            points = (sheet.column_later if state.columns_taken & bit else sheet.column_first)[number]
            share = _share(boxes, marked)
            begun += points * share
            nearly += points * share**3
    for bit, _, boxes in sheet.colours:
        if not paper.colours & bit:
            points = sheet.colour_later if state.colours_taken & bit else sheet.colour_first
            colours += points * _share(boxes, marked) ** 3
    for bit, _, boxes in sheet.rows:
        if not paper.rows & bit:
            rows += _share(boxes, marked) ** 3
    return (
        float(paper.score()),
        begun,
        nearly,
        colours,
        rows,
        float(marked.bit_count()),
        float(paper.marks),
        float(paper.circled - paper.used),
        float(paper.hearts),
        float(paper.near.bit_count()),
        float((sheet.stars & ~marked).bit_count()),
    )


def _share(boxes: int, marked: int) -> float:
    return (boxes & marked).bit_count() / boxes.bit_count()
