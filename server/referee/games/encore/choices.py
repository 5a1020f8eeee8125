"""The legal moves of Encore et Encore!: the full list, in canonical order.

`pass` first; then the pairs of dice, by colour in the sheet's order (joker last) and number (`?` last); then the
special die. Moves with the same dice: fewer boxes first, then by their boxes as printed; lines row by row, blocks by
their first box.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, compress

from referee.games.encore.moves import BLOCK, BOMB, HEART, LINE, PASSING, STARS, Move
from referee.games.encore.paper import Paper
from referee.games.encore.sheet import Offer

# What the pending seats are asked for.
EVERYBODY, ACTIVE, OTHERS, BOMBS = range(4)

CIRCLING_A_HEART = Move(HEART, 0)


def choices(paper: Paper, offer: Offer, special: int) -> tuple[Move, ...]:
    """All moves among the dice on the table; `special` is the action of the special die, or PASS when it is gone."""
    tables, pick = offer
    pairs = compress(chain.from_iterable(tables), b"".join(pick(paper.open_shapes())))
    if special and paper.circled > paper.used:
        return (PASSING, *pairs, *special_moves(paper, special))
    return (PASSING, *pairs)


def bombs(paper: Paper) -> tuple[Move, ...]:
    """The moves of a player who is owed a bomb."""
    return (PASSING, *paper.sheet.bombs(paper.marked))


def special_moves(paper: Paper, special: int) -> Iterable[Move]:
    """All ways to carry out an action of the special die."""
    sheet, marked, near = paper.sheet, paper.marked, paper.near
    if special == HEART:
        return (CIRCLING_A_HEART,) if paper.hearts < sheet.hearts else ()
    if special == BOMB:
        return sheet.bombs(marked)
    if special == STARS:
        return sheet.star_choices((near | sheet.start_column & ~marked) & sheet.stars)
    if special == LINE:
        return [move for _, _, row in sheet.rows if row & near for move in sheet.lines(row & near)]
    assert special == BLOCK
    moves = sheet.block_moves
    # A block with a marked box has an unmarked one beside it, or is full: so what is near decides alone.
    return [moves[block & ~marked] for block in sheet.blocks if block & near]
