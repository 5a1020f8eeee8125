"""The board of a game that brings none of its own: a tidy table of any view, as text and as an SVG picture.

It shows what the views of all games share (seats with scores, ranks and who is asked, what happened), and below that
every other field: plain values as `name  value`, lists of records as tables. It never guesses what a field means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from referee.rules.boards.frame import EDGE, paint_heading, paint_news, print_heading, print_news
from referee.rules.boards.page import CYAN, DIM, HOT, Page
from referee.rules.boards.plain import Plain, plain, plain_events, plain_view
from referee.rules.boards.seats import Names, ending, viewer
from referee.rules.boards.svg import WIDTH, Canvas, text_width, wrapped
from referee.rules.boards.text import columns, pad
from referee.rules.views import COMMON

Grid = list[list[str]]
"""A table: the headings, then the rows, all of the same length."""

MOST_LINES = 400
"""Lines of a picture that are shown."""


class Shown(NamedTuple):
    """A view as it is shown: texts only."""

    title: str
    viewer: str
    standing: str
    asked: frozenset[int]
    seats: Grid
    facts: list[tuple[str, str | Grid]]
    news: list[str]


def drawing(
    title: str, view: Any, width: int, names: Sequence[str] | None = None, *, colour: bool = False, ascii: bool = False
) -> list[str]:
    """Any view as lines of text."""
    board = board_of(title, view, names)
    page = Page(width, colour=colour, ascii=ascii)
    print_heading(page, board.title, "", board.viewer, board.standing)
    if len(board.seats) > 1:
        _print_grid(page, board.seats, board.asked)
    if board.facts:
        page.blank()
        wide = min(max(columns(name) for name, _ in board.facts), max(8, page.width // 3))
        for name, value in board.facts:
            if isinstance(value, str):
                label = pad(name, wide)
                page.wrapped(value, first=f"{label}  ", indent=" " * (wide + 2))
            else:
                page.add((name, CYAN))
                _print_grid(page, value, frozenset(), "  ")
    print_news(page, board.news)
    return page.lines


def picture(name: str, title: str, view: Any, names: Sequence[str] | None = None) -> str:
    """Any view as an SVG document."""
    board = board_of(title, view, names)
    canvas = Canvas()
    edge = EDGE
    room = WIDTH - 2 * edge
    y = paint_heading(canvas, board.title, "", board.viewer, board.standing)
    if len(board.seats) > 1:
        y = _paint_grid(canvas, edge, y, room, board.seats, board.asked)
    lines = 0
    for label, value in board.facts:
        if lines > MOST_LINES:
            y += 20
            canvas.text(edge, y, "…", 14, "dim")
            break
        if isinstance(value, str):
            shown = wrapped(value, 14, room * 0.64)[: MOST_LINES // 4] or [""]
            canvas.text(edge, y + 20, label, 14, "dim", room * 0.34)
            for line in shown:
                y += 20
                canvas.text(edge + room * 0.36, y, line, 14, "ink", room * 0.64)
            lines += len(shown)
        else:
            y += 24
            canvas.text(edge, y, label, 14, "dim", room)
            y = _paint_grid(canvas, edge, y + 4, room, value[: MOST_LINES // 4], frozenset())
            lines += len(value)
    y = paint_news(canvas, y, board.news)
    about = ". ".join([board.viewer, *([board.standing] if board.standing else []), *board.news])
    return canvas.document(name, y + 20, title, about)


def told(view: Any, names: Sequence[str] | None = None) -> list[str]:
    """What happened, one line for each event of any view."""
    called = Names(names)
    return [_event(event, called) for event in plain_events(view)]


def board_of(title: str, view: Any, given: Sequence[str] | None = None) -> Shown:
    """Any view as texts."""
    names = Names(given)
    shown = plain_view(view)
    scores, ranks, asked = (_texts(shown.get(name)) for name in ("scores", "ranks", "asked"))
    players = max(len(scores), len(ranks))
    headings = ["seat", "score"] + (["rank"] if ranks else [])
    rows = [[names.column(seat), _at(scores, seat)] + ([_at(ranks, seat)] if ranks else []) for seat in range(players)]
    pending = [int(seat) for seat in asked if seat.isdecimal() and len(seat) < 6]
    standing = ""
    reason = shown.get("reason", "")
    if ranks:
        numbers = [int(rank) if rank.isdecimal() and len(rank) < 6 else 0 for rank in ranks]
        standing = ending(numbers, reason if isinstance(reason, str) else "", names)
    elif pending:
        standing = f"asked: {names.all(pending)}"
    facts: list[tuple[str, str | Grid]] = []
    for name, value in shown.items():
        if name not in COMMON:
            _add_fact(facts, name, value)
    events = told(view, given)
    return Shown(plain_text(title), viewer(view, names), standing, frozenset(pending), [headings, *rows], facts, events)


def plain_text(value: Any) -> str:
    """One value as one text."""
    return _text(plain(value))


def _add_fact(facts: list[tuple[str, str | Grid]], name: str, value: Plain) -> None:
    label = name.replace("_", " ")
    if isinstance(value, dict) and value and not all(isinstance(item, str) for item in value.values()):
        for key, item in value.items():
            _add_fact(facts, f"{name}.{key}", item)
    elif isinstance(value, list) and value and all(isinstance(item, dict) and item for item in value):
        facts.append((label, _grid(value)))
    else:
        facts.append((label, _text(value)))


def _grid(records: Sequence[Plain]) -> Grid:
    """Records as a table: a column for every key that one of them has."""
    items = [record for record in records if isinstance(record, dict)]
    keys = list(dict.fromkeys(key for item in items for key in item))
    return [[key.replace("_", " ") for key in keys], *([_text(item.get(key, "")) for key in keys] for item in items)]


def _text(value: Plain) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(item)}" for key, item in value.items()) or "none"
    if any(isinstance(item, dict) for item in value):
        return "; ".join(map(_text, value))
    return " ".join(f"[{_text(item)}]" if isinstance(item, list) else _text(item) for item in value) or "none"


def _texts(value: Plain | None) -> list[str]:
    return [_text(item) for item in value] if isinstance(value, list) else []


def _at(texts: list[str], seat: int) -> str:
    return texts[seat] if seat < len(texts) else ""


def _event(event: Plain, names: Names) -> str:
    """One event in words: what, who, and everything else that it says."""
    if not isinstance(event, dict):
        return _text(event)
    kind = _text(event.get("kind", "")).replace("_", " ")
    seat = event.get("seat")
    who = names[int(seat)] if isinstance(seat, str) and seat.isdecimal() and len(seat) < 6 else ""
    rest = [
        f"{key.replace('_', ' ')} {_text(value)}"
        for key, value in event.items()
        if key not in ("kind", "seat") and value not in ("", [], {}, "-")
    ]
    head = f"{who}: {kind}" if who else kind
    return f"{head} ({', '.join(rest)})" if rest else head


def _print_grid(page: Page, grid: Grid, asked: frozenset[int], indent: str = "") -> None:
    widths = [max(columns(row[number]) for row in grid) for number in range(len(grid[0]))]
    room = page.width - columns(indent) - 2 * (len(widths) - 1) - 2
    # The widest columns give way until the table fits.
    while sum(widths) > room and max(widths) > 3:
        widths[widths.index(max(widths))] -= 1
    for number, row in enumerate(grid):
        cells = [
            pad(cell, wide, _side(grid, index)) for index, (cell, wide) in enumerate(zip(row, widths, strict=True))
        ]
        mark = "▶ " if number - 1 in asked else "  " if asked or not indent else ""
        style = DIM if not number else HOT if number - 1 in asked else ""
        page.add(indent, (mark, HOT), ("  ".join(cells), style))


def _paint_grid(canvas: Canvas, x: float, y: float, room: float, grid: Grid, asked: frozenset[int]) -> float:
    count = len(grid[0])
    wanted = [max(text_width(row[number], 14) for row in grid) + 16 for number in range(count)]
    while sum(wanted) > room and max(wanted) > 30:
        wanted[wanted.index(max(wanted))] -= 4
    spare = max(0.0, room - sum(wanted)) / count
    widths = [min(wide + spare, wide * 2.5) for wide in wanted]
    for number, row in enumerate(grid):
        if number - 1 in asked:
            canvas.rect(x, y + 2, room, 22, "hot", 4)
        left = x
        for index, (cell, wide) in enumerate(zip(row, widths, strict=True)):
            end = _side(grid, index) == ">"
            look = ("dim" if not number else "ink") + (" e" if end else "")
            canvas.text(left + wide - 8 if end else left + 8, y + 18, cell, 14, look, wide - 12)
            left += wide
        y += 24
        if not number:
            canvas.line(x, y, x + room, y)
    return y + 4


def _side(grid: Grid, column: int) -> str:
    """Numbers stand to the right, words to the left."""
    cells = [row[column] for row in grid[1:] if row[column]]
    return ">" if cells and all(cell.lstrip("-").isdecimal() for cell in cells) else "<"
