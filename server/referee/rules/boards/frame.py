"""The frame of a board, the same in all games: the heading above it, what happened and the final ranks below.

Each part comes twice, as lines on a `Page` and as shapes on a `Canvas`.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.rules.boards.page import BOLD, DIM, HOT, Page
from referee.rules.boards.seats import Names, ordinal
from referee.rules.boards.svg import Canvas, text_width, wrapped
from referee.rules.boards.text import columns, pad

EDGE = 14.0
"""Units between the edge of a picture and what is in it."""
MOST_EVENTS = 10
"""The latest events that a board shows."""


def print_heading(page: Page, title: str, about: str, viewer: str, standing: str) -> None:
    """Title and whose view it is, then what is going on, then who is asked or how it ended."""
    beside = f" · {about}" if about else ""
    if columns(title) + columns(beside) + 1 + columns(viewer) <= page.width:
        page.split([(title, BOLD), beside], [(viewer, DIM)])
    else:
        page.split([(title, BOLD)], [(viewer, DIM)])
        page.wrapped(about)
    if standing:
        page.wrapped(standing, HOT)
    page.blank()


def print_news(page: Page, told: Sequence[str]) -> None:
    """What happened, one line each, the latest last."""
    if told:
        page.blank()
        page.rule("what happened")
        for line in latest(told):
            page.wrapped(line, first="· ")


def print_ranks(page: Page, ranks: Sequence[int], scores: Sequence[int], names: Names, unit: str) -> None:
    """The final table: ranks, seats, scores, the best first."""
    seats = sorted(range(len(ranks)), key=lambda seat: (ranks[seat], seat))
    wide = min(max((columns(names.column(seat)) for seat in seats), default=0), page.width - 16)
    page.add((f"rank  {pad('seat', wide)}  {unit:>5}", DIM))
    for seat in seats:
        line = f"{ordinal(ranks[seat]):>4}  {pad(names.column(seat), wide)}  {scores[seat]:>{max(5, len(unit))}}"
        page.add((line, BOLD if ranks[seat] == 1 else ""))


def paint_heading(canvas: Canvas, title: str, about: str, viewer: str, standing: str) -> float:
    """The same on a picture; returns how far down it goes."""
    room = canvas.width - 2 * EDGE
    headed = min(text_width(title, 20, bold=True), room * 0.7)
    canvas.text(EDGE, 30, title, 20, "ink b", headed + 1)
    canvas.text(canvas.width - EDGE, 30, viewer, 14, "dim e", room - headed - 12)
    y = 36.0
    for line in wrapped(about, 14, room):
        y += 18
        canvas.text(EDGE, y, line, 14, "dim")
    for line in wrapped(standing, 16, room * 0.94):
        y += 22
        canvas.text(EDGE, y, line, 16, "accent b")
    return y + 12


def paint_news(canvas: Canvas, y: float, told: Sequence[str]) -> float:
    """What happened, below `y`; returns how far down it goes."""
    if not told:
        return y
    room = canvas.width - 2 * EDGE
    canvas.line(EDGE, y + 8, canvas.width - EDGE, y + 8)
    y += 14
    for told_line in latest(told):
        for number, line in enumerate(wrapped(told_line, 14, room - 12)):
            y += 18
            if not number:
                canvas.circle(EDGE + 3, y - 5, 2, "dim")
            canvas.text(EDGE + 12, y, line, 14)
    return y + 6


def paint_ranks(
    canvas: Canvas, y: float, ranks: Sequence[int], scores: Sequence[int], names: Names, unit: str
) -> float:
    """The final table, below `y`; returns how far down it goes."""
    room = canvas.width - 2 * EDGE
    for seat in sorted(range(len(ranks)), key=lambda seat: (ranks[seat], seat)):
        first = ranks[seat] == 1
        canvas.rect(EDGE, y, room, 30, "hot" if first else "panel", 6)
        canvas.text(EDGE + 12, y + 20, ordinal(ranks[seat]), 15, "accent b" if first else "dim")
        canvas.text(EDGE + 62, y + 20, names.column(seat), 15, "ink b" if first else "ink", room - 170)
        canvas.text(EDGE + room - 12, y + 20, f"{scores[seat]} {unit}", 15, "ink b e" if first else "ink e")
        y += 34
    return y


def latest(told: Sequence[str]) -> list[str]:
    """The latest events, and how many came before them."""
    earlier = len(told) - MOST_EVENTS
    return [f"({earlier} earlier)", *told[-MOST_EVENTS:]] if earlier > 0 else list(told)
