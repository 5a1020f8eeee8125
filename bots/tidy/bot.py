"""Tidy plays Encore et Encore! by finishing what it has begun.

Every legal move gets a value, and the best one is made. A box is worth more the fewer boxes its column, its row and its
colour still lack; stars and golden dice are worth what the sheet pays for them; jokers and the special die cost what
they would have scored unused.
"""

import arena
from arena.games.encore.v1 import encore_pb2


def decide(decision: arena.Decision) -> str:
    view: encore_pb2.View = decision.view
    sheet, me = view.sheet, view.players[view.seat]
    lacking = missing(sheet, me)

    def value(move: str) -> float:
        words = move.split()
        boxes = [number_of(sheet, word) for word in words if is_box(sheet, word)]
        total = sum(worth(sheet, box, lacking) for box in boxes)
        if words[0] == "heart":
            total += 3.0  # it pays one point with every column still to come
        total -= sheet.unused_mark_points * (words.count("joker") + words.count("?"))
        if words[0] == view.dice.special and view.question == encore_pb2.QUESTION_DICE:
            total -= sheet.unused_die_points
        return total

    return max(decision.legal, key=value)  # the first of equals: lists come in a fixed order


def missing(sheet: encore_pb2.Sheet, me: encore_pb2.Player) -> dict[str, int]:
    """How many boxes each column, row and colour still lacks."""
    lacking: dict[str, int] = {}
    for box, mark in enumerate(me.marked):
        for line in lines(sheet, box):
            lacking[line] = lacking.get(line, 0) + (mark == "0")
    return lacking


def worth(sheet: encore_pb2.Sheet, box: int, lacking: dict[str, int]) -> float:
    """What marking this box brings, now or later."""
    column, row, colour = lines(sheet, box)
    value = 1.0 + sheet.column_first[box // 7] / lacking[column]
    value += sheet.row_points / (2 * lacking[row]) + sheet.colour_first / lacking[colour]
    value += sheet.star_penalty * (sheet.stars[box] == "1")
    value += sheet.unused_die_points * (sheet.golden_dice[box] == "1")
    return value


def lines(sheet: encore_pb2.Sheet, box: int) -> tuple[str, str, str]:
    """The column, row and colour of a box, by names that differ from each other."""
    return f"column {box // 7}", f"row {box % 7}", f"colour {sheet.boxes[box]}"


def is_box(sheet: encore_pb2.Sheet, word: str) -> bool:
    """Boxes are two letters: the column, then the row."""
    return len(word) == 2 and word[0] in sheet.columns and word[1] in sheet.rows


def number_of(sheet: encore_pb2.Sheet, word: str) -> int:
    """The number of a box; boxes are numbered down the columns."""
    return 7 * sheet.columns.index(word[0]) + sheet.rows.index(word[1])


if __name__ == "__main__":
    arena.run(decide)
