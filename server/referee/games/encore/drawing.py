"""The drawing of a view of Encore et Encore!: the dice and everybody's sheet with its marks, as lines for a terminal.

A box shows the letter of its colour, or a cross where it is marked. In colour, the colour stays behind the cross. A
star and a golden die stand to the right of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore.telling import about, dice_taken, marked_lately, standing, told
from referee.rules.boards.frame import print_heading, print_news, print_ranks
from referee.rules.boards.page import BOLD, DIM, GREEN, HOT, Page, Span, Spans
from referee.rules.boards.seats import Names, viewer
from referee.rules.boards.text import clean, columns, pad

TITLE = "Encore et Encore!"

BACKGROUNDS = {"pink": "211", "orange": "214", "yellow": "227", "green": "114", "blue": "75", "red": "203"}
"""Backgrounds among the 256 colours of terminals; a sheet may have other colours, and shows their letters."""
OTHER = "251"
BONUSES = {"special_die": "die", "heart": "heart", "bomb": "bomb"}
SHEET_WIDTH = 38


def draw(
    view: pb.View, width: int, names: Sequence[str] | None = None, *, colour: bool = False, ascii: bool = False
) -> list[str]:
    """The view as lines."""
    page = Page(width, colour=colour, ascii=ascii)
    called = Names(names)
    print_heading(page, TITLE, about(view, called), viewer(view, called), standing(view, called))
    if view.ranks:
        print_ranks(page, view.ranks, view.scores, called, "points")
    else:
        _dice(page, view)
    page.blank()
    backgrounds = _backgrounds(view)
    blocks = [_sheet(view, seat, called, backgrounds if colour else {}) for seat in range(len(view.players))]
    across = max(1, (width + 2) // (SHEET_WIDTH + 2))
    for first in range(0, len(blocks), across):
        page.beside(blocks[first : first + across])
        page.blank()
    page.wrapped("✗ marked, █ just now, ★ star, ◆ golden die; rows 1 and 2: points of a column", DIM)
    print_news(page, told(view, names))
    return page.lines


def _dice(page: Page, view: pb.View) -> None:
    colours, numbers, (special, special_gone) = dice_taken(view)
    backgrounds = {name: f"30;48;5;{BACKGROUNDS.get(name, OTHER)}" for name in view.sheet.colour_names}
    faces = [(clean(face), backgrounds.get(face, BOLD), gone) for face, gone in colours]
    faces += [(clean(face), BOLD, gone) for face, gone in numbers]
    faces.append((special, "1;30;48;5;220", special_gone))
    line: list[Span] = ["dice "]
    used = 5
    for face, style, gone in faces:
        shown = f"({face})" if gone else f"[{face}]"
        if used + columns(shown) + 1 > page.width:
            page.add(*line)
            line, used = ["     "], 5
        line += [(shown, DIM if gone else style), " "]
        used += columns(shown) + 1
    page.add(*line)
    if any(gone for _, _, gone in faces):
        page.add(("     dice in round brackets are taken", DIM))


def _sheet(view: pb.View, seat: int, names: Names, backgrounds: dict[str, str]) -> list[Spans]:
    """One player's sheet, 38 columns wide; without backgrounds it needs fewer spans."""
    sheet, player = view.sheet, view.players[seat]
    # A message makes a new text each time a field is read, so they are read once.
    boxes, marked, printed = sheet.boxes, player.marked, _printed(sheet.stars, sheet.golden_dice)
    lately = marked_lately(view, seat)
    asked = seat in view.asked
    score = f"{view.scores[seat]} points"
    block: list[Spans] = [
        [
            ("▶ " if asked else "  ", HOT),
            (pad(names.column(seat), SHEET_WIDTH - 3 - len(score)), HOT if asked else BOLD),
            " ",
            (score, BOLD),
        ],
        [("  " + " ".join(map(clean, sheet.columns)), DIM)],
    ]
    high = len(sheet.rows)
    for row, letter in enumerate(sheet.rows):
        line: list[Span] = [(f"{clean(letter)} ", DIM)]
        cells = [
            ("█" if box in lately else "✗") + printed[box] if marked[box] == "1" else boxes[box] + printed[box]
            for box in range(row, len(boxes), high)
        ]
        if backgrounds:
            for column, cell in enumerate(cells):
                box = column * high + row
                ink = "38;5;235" if box in lately else "30"
                line.append((cell, f"{ink};48;5;{backgrounds.get(boxes[box], OTHER)}"))
        else:
            line.append("".join(cells))
        bonus = BONUSES.get(sheet.row_bonus[row], clean(sheet.row_bonus[row]))
        if letter in player.rows:
            line.append((f"✓{bonus}", GREEN))
        else:
            line.append((f" {'-' if letter in view.rows_taken else bonus}", DIM))
        block.append(line)
    block.append(_column_points(view, player, first=True, colour=bool(backgrounds)))
    block.append(_column_points(view, player, first=False, colour=bool(backgrounds)))
    # Special dice: circled and free, used up, still to be had.
    unused = sheet.special_dice - player.special_dice - player.special_dice_used
    dice = "◆" * player.special_dice + "×" * player.special_dice_used + "·" * max(0, unused)
    hearts = "♥" * player.hearts + "·" * max(0, sheet.hearts - player.hearts)
    block.append([f"  {'!' * player.exclamation_marks or '-'}  dice {dice}  {hearts}"])
    stars = sum(sign == "★" and mark == "0" for sign, mark in zip(printed, marked, strict=True))
    block.append(
        [(f"  rows {player.row_points} columns {player.column_points} hearts {player.heart_points}", DIM)],
    )
    done = f" ({' '.join(map(clean, player.colours))})" if player.colours else ""
    block.append([(f"  colours {player.colour_points}{done}, open stars {stars}", DIM)])
    if player.bombs_owed:
        block.append([(f"  bombs to place: {player.bombs_owed}", HOT)])
    return block


@lru_cache(maxsize=16)
def _printed(stars: str, golden: str) -> str:
    """What is printed in each box: a star, a golden die or nothing."""
    return "".join(
        "★" if star == "1" else "◆" if gold == "1" else " " for star, gold in zip(stars, golden, strict=True)
    )


def _column_points(view: pb.View, player: pb.Player, *, first: bool, colour: bool) -> Spans:
    """Points of the columns, for the first to complete one and for everybody later; what is gone shows a dot."""
    points = view.sheet.column_first if first else view.sheet.column_later
    done, all_taken = player.columns, view.columns_taken
    head = ("1 " if first else "2 ", DIM)
    cells: list[tuple[str, str]] = []
    for letter, worth in zip(view.sheet.columns, points, strict=True):
        taken = letter in all_taken
        if letter in done:
            cells.append(("✓ ", GREEN))
        else:
            cells.append(("· " if first and taken else f"{worth:<2}", DIM if taken != first else ""))
    return [head, *cells] if colour else [head, "".join([text for text, _ in cells])]


def _backgrounds(view: pb.View) -> dict[str, str]:
    return {
        letter: BACKGROUNDS.get(name, OTHER)
        for letter, name in zip(view.sheet.colours, view.sheet.colour_names, strict=False)
    }
