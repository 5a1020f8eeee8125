"""Tidy plays Encore et Encore! by finishing what it has begun.

Every legal move gets a value, and the best one is made. A box is worth more the fewer boxes its column, its row and its
colour still lack; stars and golden dice are worth what the sheet pays for them; jokers and the special die cost what
they would have scored unused.
"""

from functools import cache

import arena
from arena.games.encore.v1 import encore_pb2

HEIGHT = 7  # boxes are numbered down the columns


def decide(decision: arena.Decision) -> str:
    view: encore_pb2.View = decision.view
    sheet, me = view.sheet, view.players[view.seat]
    special = view.dice.special if view.question == encore_pb2.QUESTION_DICE else ""
    worths = worth_of_boxes(sheet, me)  # legal moves name no other boxes
    mark_points, die_points = sheet.unused_mark_points, sheet.unused_die_points

    def value(move: str) -> float:
        words = move.split()
        total = sum([worths[word] for word in words if word in worths])
        if words[0] == "heart":
            total += 3.0  # it pays one point with every column still to come
        total -= mark_points * (("joker" in words) + ("?" in words))
        if words[0] == special:
            total -= die_points
        return total

    return max(decision.legal, key=value)  # the first of equals: lists come in a fixed order


def worth_of_boxes(sheet: encore_pb2.Sheet, me: encore_pb2.Player) -> dict[str, float]:
    """What marking each box brings, now or later, for all boxes that are not marked yet."""
    free = [box for box, mark in enumerate(me.marked) if mark == "0"]
    line_of, names = lines(sheet.boxes), boxes(sheet.columns, sheet.rows)
    lacking: dict[str, int] = {}  # how many boxes each column, row and colour still lacks
    for box in free:
        for line in line_of[box]:
            lacking[line] = lacking.get(line, 0) + 1
    # Read once: looking into a message costs more than a sum.
    column_first, row_points, colour_first = list(sheet.column_first), sheet.row_points, sheet.colour_first
    stars, golden, penalty, die_points = sheet.stars, sheet.golden_dice, sheet.star_penalty, sheet.unused_die_points
    found = {}
    for box in free:
        column, row, colour = line_of[box]
        value = 1.0 + column_first[box // HEIGHT] / lacking[column]
        value += row_points / (2 * lacking[row]) + colour_first / lacking[colour]
        value += penalty * (stars[box] == "1")
        value += die_points * (golden[box] == "1")
        found[names[box]] = value
    return found


@cache
def lines(colours: str) -> list[tuple[str, str, str]]:
    """The column, row and colour of every box, by names that differ from each other."""
    return [(f"column {box // HEIGHT}", f"row {box % HEIGHT}", f"colour {of}") for box, of in enumerate(colours)]


@cache
def boxes(columns: str, rows: str) -> list[str]:
    """The names of all boxes: two letters, the column, then the row."""
    return [column + row for column in columns for row in rows]


if __name__ == "__main__":
    arena.run(decide)
