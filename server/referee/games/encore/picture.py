"""The picture of a view of Encore et Encore!: the dice and everybody's sheet with coloured boxes and marks, as SVG.

A seat sees its own sheet large and the others small. The public sees all in one size. Boxes of one colour are one path,
as are all marks, so that a picture of six sheets stays small.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import cos, pi, sin

from arena.games.encore.v1 import encore_pb2 as pb
from referee.games.encore.telling import about, dice_taken, marked_lately, standing, told
from referee.rules.boards.frame import EDGE, paint_heading, paint_news, paint_ranks
from referee.rules.boards.seats import Names, seat_of, viewer
from referee.rules.boards.spots import Spot
from referee.rules.boards.style import Palette
from referee.rules.boards.svg import WIDTH, Canvas, heart, number, text_width

NAME, TITLE = "encore", "Encore et Encore!"

KNOWN_COLOURS = {
    "pink": "#ef6fa0",
    "orange": "#f5962b",
    "yellow": "#f7d437",
    "green": "#63b556",
    "blue": "#4a9de0",
    "red": "#dd4b44",
    "purple": "#9b6bc7",
    "brown": "#a5764a",
    "turquoise": "#3fb8af",
    "grey": "#9aa0a6",
}
OTHER_COLOURS = ("#c0504d", "#9bbb59", "#8064a2", "#4bacc6", "#f79646")
"""For colours of a sheet of one's own that have other names."""
PALETTE: Palette = {
    **{name: (f"fill:{colour}", "") for name, colour in KNOWN_COLOURS.items()},
    **{f"other{place}": (f"fill:{colour}", "") for place, colour in enumerate(OTHER_COLOURS)},
    "mark": ("stroke:#1c2027;fill:none;stroke-linecap:round;stroke-width:1.1", ""),
    "thin": ("stroke-width:.5", ""),
    "fuse": ("stroke:#f5962b;stroke-width:2", ""),
    "fresh": ("fill:#1c2027", ""),
    "cross": ("stroke:#fff;fill:none;stroke-linecap:round;stroke-width:1.1", ""),
    "star": ("fill:#fff;fill-opacity:.85", ""),
    "gold": ("fill:#ffe27a;stroke:#8a6400", ""),
    "start": ("fill:none;stroke:#1c2027;stroke-width:2", "fill:none;stroke:#edf0f5;stroke-width:2"),
    "die": ("fill:#fff;stroke:#8b8577", "fill:#f3efe3;stroke:#0c0e12"),
    "special": ("fill:#2b3442;stroke:#11161d", "fill:#3d4a5d;stroke:#0c0e12"),
    "white": ("fill:#fff", ""),
    "black": ("fill:#1c2027", ""),
    "none": ("fill:none;stroke:#b9b3a3", "fill:none;stroke:#4a5360"),
    "used": ("stroke:#b3261e;fill:none;stroke-width:2", "stroke:#ff8a80;fill:none;stroke-width:2"),
    "heart": ("fill:#d81b60", "fill:#f0568f"),
    "gone": ("opacity:.3", ""),
}


def paint(view: pb.View, names: Sequence[str] | None = None) -> str:
    """The view as an SVG document."""
    return _painted(Canvas(), view, names)


def spots(view: pb.View, names: Sequence[str] | None = None) -> list[Spot]:
    """The places of the picture that can be clicked."""
    canvas = Canvas()
    _painted(canvas, view, names)
    return canvas.spots()


def _painted(canvas: Canvas, view: pb.View, names: Sequence[str] | None) -> str:
    called = Names(names)
    how, seen, news = standing(view, called), viewer(view, called), told(view, names)
    looks = _looks(view.sheet)
    y = paint_heading(canvas, TITLE, about(view, called), seen, how)
    if view.ranks:
        y = paint_ranks(canvas, y, view.ranks, view.scores, called, "points")
    else:
        y = _dice(canvas, y, view)
    y = _sheets(canvas, y + 4, view, called, looks)
    y = paint_news(canvas, y, news)
    summary = ", ".join(part for part in (TITLE, about(view, called), how) if part)
    return canvas.document(NAME, y + 10, summary, ". ".join([seen, *news]), PALETTE)


def _looks(sheet: pb.Sheet) -> dict[str, str]:
    """The class of each colour, by its letter and by its name."""
    looks = {}
    for place, (letter, name) in enumerate(zip(sheet.colours, sheet.colour_names, strict=False)):
        looks[letter] = looks[name] = name if name in KNOWN_COLOURS else f"other{place % len(OTHER_COLOURS)}"
    return looks


def _sheets(canvas: Canvas, y: float, view: pb.View, names: Names, looks: dict[str, str]) -> float:
    own = seat_of(view)
    seats = list(range(len(view.players)))
    if own is None or own not in seats:
        large = seats if len(seats) <= 2 else []
    else:
        large = [own]
    for seat in large:
        y = _large(canvas, y, view, seat, names, looks)
    small = [seat for seat in seats if seat not in large]
    gap = 8.0
    wide = (WIDTH - 2 * EDGE - gap) / 2
    for place, seat in enumerate(small):
        high = _small(canvas, EDGE + place % 2 * (wide + gap), y, wide, view, seat, names, looks)
        if place % 2 or place == len(small) - 1:
            y += high + gap
    return y


def _large(canvas: Canvas, y: float, view: pb.View, seat: int, names: Names, looks: dict[str, str]) -> float:
    """A sheet across the whole picture, with letters, points and bonuses."""
    sheet, player = view.sheet, view.players[seat]
    wide, high = len(sheet.columns), len(sheet.rows)
    cell = (WIDTH - 2 * EDGE - 10 - 20 - 34) / wide
    left, top = EDGE + 24, y + 50
    bottom = top + high * cell
    canvas.rect(EDGE, y, WIDTH - 2 * EDGE, 50 + high * cell + 108, "hot" if seat in view.asked else "panel", 8)
    _name(canvas, EDGE + 10, y + 22, WIDTH - 2 * EDGE - 20, view, seat, names, 16)
    for column, letter in enumerate(sheet.columns):
        middle = left + (column + 0.5) * cell
        canvas.text(middle, top - 6, letter, 13, "ink b m" if letter == sheet.start_column else "dim m")
        done, taken = letter in player.columns, letter in view.columns_taken
        for line, points in ((0, sheet.column_first), (1, sheet.column_later)):
            if done:
                look = "good b m"
            else:
                look = "ink b m" if taken == bool(line) else "dim m"
            canvas.text(middle, bottom + 17 + 17 * line, str(points[column]), 14, look)
            if not line and taken and not done:
                canvas.path(f"M{number(middle - 6)} {number(bottom + 13)}h12", "used")
        if sheet.column_bonus[column]:
            _bonus(canvas, middle, bottom + 46, 7, sheet.column_bonus[column])
    for row, letter in enumerate(sheet.rows):
        middle = top + (row + 0.5) * cell
        canvas.text(left - 6, middle + 5, letter, 13, "dim e")
        at = left + wide * cell + 16
        _bonus(canvas, at, middle, 9, sheet.row_bonus[row])
        if letter in view.rows_taken or letter in player.rows:
            canvas.line(at - 9, middle + 9, at + 9, middle - 9, "used")
    _boxes(canvas, left, top, cell, view, seat, looks)
    if seat == seat_of(view):
        _box_spots(canvas, left, top, cell, view.sheet)
    start = sheet.columns.find(sheet.start_column)
    if start >= 0:
        canvas.rect(left + start * cell, top, cell, high * cell, "start", 3)
    _stock(canvas, EDGE + 14, bottom + 66, view, seat)
    stars = _open_stars(sheet, player)
    parts = (
        f"rows {player.row_points} · columns {player.column_points} · hearts {player.heart_points} · "
        f"colours {player.colour_points} · open stars {stars}"
    )
    canvas.text(EDGE + 12, bottom + 98, parts, 13, "dim", WIDTH - 2 * EDGE - 20)
    return bottom + 114


def _small(
    canvas: Canvas, x: float, y: float, wide: float, view: pb.View, seat: int, names: Names, looks: dict[str, str]
) -> float:
    """A sheet of half the width: the boxes and what is left, without letters; returns its height."""
    sheet, player = view.sheet, view.players[seat]
    cell = (wide - 16) / len(sheet.columns)
    high = 34 + len(sheet.rows) * cell + 30
    canvas.rect(x, y, wide, high, "hot" if seat in view.asked else "panel", 7)
    _name(canvas, x + 9, y + 21, wide - 18, view, seat, names, 14)
    _boxes(canvas, x + 8, y + 32, cell, view, seat, looks)
    bottom = y + 32 + len(sheet.rows) * cell + 20
    canvas.text(x + 14, bottom, "!", 16, "ink b m")
    canvas.text(x + 20, bottom, f"×{player.exclamation_marks}", 14)
    _bonus(canvas, x + 64, bottom - 5, 6, "special_die")
    canvas.text(x + 74, bottom, f"×{player.special_dice}", 14)
    _bonus(canvas, x + 118, bottom - 5, 7, "heart")
    canvas.text(x + 128, bottom, f"×{player.hearts}", 14)
    stars = _open_stars(sheet, player)
    with canvas.scaled(x + 172, bottom - 13, 2):
        canvas.path(f"M0 0{_STAR}", "gold thin")
    canvas.text(x + 182, bottom, f"×{stars}", 14)
    return high


def _name(canvas: Canvas, x: float, y: float, wide: float, view: pb.View, seat: int, names: Names, size: float) -> None:
    score = f"{view.scores[seat]} points"
    canvas.text(x + wide, y, score, size, "ink b e")
    room = wide - text_width(score, size, bold=True) - 8
    dice = seat == view.active and not view.ranks
    canvas.text(x + (20 if dice else 0), y, names.column(seat), size, "ink b", room - (20 if dice else 0))
    if dice:
        canvas.rect(x, y - 13, 15, 15, "die", 3)
        for dx, dy in ((4, 4), (7.5, 7.5), (11, 11)):
            canvas.circle(x + dx, y - 13 + dy, 1.6, "black")


def _boxes(
    canvas: Canvas, left: float, top: float, cell: float, view: pb.View, seat: int, looks: dict[str, str]
) -> None:
    """The boxes with their marks; a box is ten units wide here, so that whole numbers do."""
    sheet, marked = view.sheet, view.players[seat].marked
    high = len(sheet.rows)
    lately = marked_lately(view, seat)
    old = [box for box in range(len(marked)) if marked[box] == "1" and box not in lately]
    new = [box for box in sorted(lately) if marked[box] == "1"]
    with canvas.scaled(left, top, cell / 10):
        for letter, squares in _printed(sheet.boxes, sheet.colours, high):
            canvas.path(squares, looks[letter])
        if new:
            canvas.path(_at(new, high, 0, 0, "h9v9h-9z"), "fresh")
        canvas.path(_ornaments(sheet.stars, high, 4.5, 1, _STAR), "star")
        canvas.path(_ornaments(sheet.golden_dice, high, 2, 2, "h5v5h-5z"), "gold thin")
        if old:
            canvas.path(_at(old, high, 2, 2, "l5 5m0-5l-5 5"), "mark")
        if new:
            canvas.path(_at(new, high, 2, 2, "l5 5m0-5l-5 5"), "cross")


def _box_spots(canvas: Canvas, left: float, top: float, cell: float, sheet: pb.Sheet) -> None:
    """Every box of a sheet can be clicked; those that no legal move marks are left out later."""
    called = dict(zip(sheet.colours, sheet.colour_names, strict=False))
    high = len(sheet.rows)
    for box, colour in enumerate(sheet.boxes):
        column, row = divmod(box, high)
        name = sheet.columns[column] + sheet.rows[row]
        canvas.spot(left + column * cell, top + row * cell, cell, cell, name, f"box {name}, {called.get(colour, '')}")


@lru_cache(maxsize=16)
def _printed(boxes: str, letters: str, high: int) -> list[tuple[str, str]]:
    """The boxes of each colour as one path."""
    squares = []
    for letter in letters:
        places = [box for box in range(len(boxes)) if boxes[box] == letter]
        squares.append((letter, _at(places, high, 0, 0, "h9v9h-9z")))
    return squares


@lru_cache(maxsize=32)
def _ornaments(boxes: str, high: int, dx: float, dy: float, shape: str) -> str:
    return _at([box for box in range(len(boxes)) if boxes[box] == "1"], high, dx, dy, shape)


def _at(boxes: Iterable[int], high: int, dx: float, dy: float, shape: str) -> str:
    """The same shape in each of these boxes."""
    return "".join([f"M{number(box // high * 10 + dx)} {number(box % high * 10 + dy)}{shape}" for box in boxes])


def _stock(canvas: Canvas, x: float, y: float, view: pb.View, seat: int) -> None:
    """What a player has left: exclamation marks, special dice, hearts, each printed one as it is on his sheet."""
    sheet, player = view.sheet, view.players[seat]
    for place in range(sheet.exclamation_marks):
        left = x + place * 15
        there = place >= sheet.exclamation_marks - player.exclamation_marks
        canvas.text(left + 6, y + 7, "!", 20, "accent b m" if there else "dim m")
        if not there:
            canvas.line(left, y + 7, left + 12, y - 7, "used")
    x += sheet.exclamation_marks * 15 + 22
    for place in range(sheet.special_dice):
        left = x + place * 20
        circled = place < player.special_dice + player.special_dice_used
        canvas.rect(left, y - 8, 16, 16, "gold" if circled else "none", 3)
        if place < player.special_dice_used:
            canvas.line(left, y + 8, left + 16, y - 8, "used")
    x += sheet.special_dice * 20 + 24
    for place in range(sheet.hearts):
        canvas.path(heart(x + place * 20, y, 8), "heart" if place < player.hearts else "none")
    if player.bombs_owed:
        for place in range(player.bombs_owed):
            _bonus(canvas, x + (sheet.hearts + place) * 20 + 4, y, 8, "bomb")


def _dice(canvas: Canvas, y: float, view: pb.View) -> float:
    colours, numbers, (special, special_gone) = dice_taken(view)
    looks = _looks(view.sheet)
    size, x = 40.0, EDGE
    for face, gone in colours:
        if not gone:
            canvas.spot(x, y, size, size, face, f"die {face}")
        canvas.rect(x, y, size, size, "die" + (" gone" if gone else ""), 8)
        if face in looks:
            canvas.rect(x + 7, y + 7, size - 14, size - 14, looks[face] + (" gone" if gone else ""), 4)
        else:
            _pie(canvas, x + size / 2, y + size / 2, 14, [looks[letter] for letter in view.sheet.colours], gone)
        x += size + 8
    x += 10
    for face, gone in numbers:
        if not gone:
            canvas.spot(x, y, size, size, face, f"die {face}")
        canvas.rect(x, y, size, size, "die" + (" gone" if gone else ""), 8)
        canvas.text(x + size / 2, y + 29, face, 25, "black b m" + (" gone" if gone else ""))
        x += size + 8
    x += 10
    canvas.rect(x, y, size + 26, size, "special" + (" gone" if special_gone else ""), 8)
    faded = " gone" if special_gone else ""
    if not special_gone:
        canvas.spot(x, y, size + 26, size, special, f"special die {special}")
    canvas.text(x + (size + 26) / 2, y + 26, special, 17, "white b m" + faded)
    return y + size + 8


def _pie(canvas: Canvas, x: float, y: float, r: float, looks: Sequence[str], gone: bool) -> None:
    """A joker: a disc of all colours."""
    count = max(1, len(looks))
    for place, look in enumerate(looks):
        a, b = (2 * pi * (place + step) / count - pi / 2 for step in (0, 1))
        arc = f"M{number(x)} {number(y)}L{number(x + r * cos(a))} {number(y + r * sin(a))}"
        arc += f"A{number(r)} {number(r)} 0 0 1 {number(x + r * cos(b))} {number(y + r * sin(b))}z"
        canvas.path(arc, look + (" gone" if gone else ""))


def _bonus(canvas: Canvas, x: float, y: float, r: float, bonus: str) -> None:
    """The sign of a bonus around this point: a golden die, a heart, a bomb."""
    if bonus == "special_die":
        canvas.rect(x - r, y - r, 2 * r, 2 * r, "gold", 3)
    elif bonus == "heart":
        canvas.path(heart(x, y, r), "heart")
    elif bonus == "bomb":
        canvas.circle(x, y + 1, r * 0.8, "ink")
        canvas.path(f"M{number(x + r * 0.5)} {number(y - r * 0.5)}q2-5 5-4", "mark fuse")
    elif bonus:
        canvas.text(x, y + 5, bonus, 13, "dim m", 4 * r)


def _open_stars(sheet: pb.Sheet, player: pb.Player) -> int:
    return (int(sheet.stars, 2) & ~int(player.marked, 2)).bit_count()


_CORNERS = [
    (sin(pi * corner / 5) * (1.7 if corner % 2 else 3.8), -cos(pi * corner / 5) * (1.7 if corner % 2 else 3.8))
    for corner in range(10)
]
_STAR = "".join(f"l{b[0] - a[0]:.1f} {b[1] - a[1]:.1f}" for a, b in pairwise(_CORNERS)) + "z"
"""A star of a box that is ten units wide, from its upper corner."""
