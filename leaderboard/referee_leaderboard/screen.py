"""The whole leaderboard as a pure function of standings, a size and a view: no clock, no terminal, no colour needed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from rich.console import RenderableType
from rich.text import Text

from referee_leaderboard.connection import Connection
from referee_leaderboard.drawing import bracket, certainty, seating, table, versus
from referee_leaderboard.drawing.header import header, played, progress, warnings
from referee_leaderboard.drawing.matches import latest_results, playing_now
from referee_leaderboard.drawing.window import Block, Window
from referee_leaderboard.names import clean, fit
from referee_leaderboard.sheet import Sheet, beside, clip, heading, line
from referee_leaderboard.standings import Standings

View = Literal["table", "crosstable", "seats", "strengths", "format"]
VIEWS: tuple[View, ...] = get_args(View)
UNTIL = "until"
"""The format that asks a question; its last stage is the answer."""
WIDE_SCREEN = 150
"""From this width on everything is shown together."""
LATEST_LEAST = 6
"""Lines that the latest results keep before a crosstable is squeezed in."""


class Screen(Sheet):
    """A drawn screen, which also knows which rows and columns it shows: what scrolling needs."""

    def __init__(self, lines: Iterable[Text], width: int, height: int, rows: Window, columns: Window) -> None:
        super().__init__(lines, width, height)
        self.rows = rows
        self.columns = columns


def render(
    standings: Standings,
    view: View = "table",
    width: int = 80,
    height: int = 24,
    connection: Connection | None = None,
    *,
    offset: int = 0,
    across: int = 0,
    footer: str = "",
) -> Screen:
    """The leaderboard in at most `width` by `height` cells.

    `offset` skips rows and `across` columns where not all fit; `footer` is a last line, such as the keys.
    """
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r}: choose one of {', '.join(VIEWS)}")
    lines = [header(standings, width), progress(standings, width), *warnings(standings, width, connection)]
    if height >= 12:
        lines.append(line())
    room = height - len(lines) - (1 if footer else 0)
    body = _body(standings, view, width, room, offset, across) if room > 0 else Block([])
    lines += body.lines
    if footer:
        lines = [*lines, *([line()] * (height - 1 - len(lines)))][: max(0, height - 1)]
        lines.append(line((fit(footer, width), "dim")))
    return Screen(lines, width, height, body.rows, body.columns)


def final_table(standings: Standings, width: int = 80) -> RenderableType:
    """What a run leaves on the normal screen: every bot, a bracket, the progress made and the digest of the ratings."""
    lines = [header(standings, width), *warnings(standings, width)]
    lines += table.table(standings, width, table.lines_needed(standings) - len(standings.pooled)).lines
    if drawn := bracket.stages(standings, width):
        lines += [*drawn, line()]
    if verdict := certainty.verdict(standings):
        lines.append(line((fit(verdict, width), "dim")))
    done = played(standings)
    if standings.provisional:
        done += "; provisional while matches are open"
    lines.append(line((done, "dim")))
    lines = [clip(drawn, width) for drawn in lines]
    # These are whole sentences, and the digest is there to be compared: never cut, a narrow terminal may wrap them.
    lines += [line(one.sentences(standings.players)[0]) for one in standings.pooled]
    if standings.format.name == UNTIL and standings.format.stage:
        lines.append(line((clean(standings.format.stage), "bold")))
    if standings.digest:
        lines.append(line(("digest ", "dim"), clean(standings.digest)))
    return Sheet(lines, max(width, *(drawn.cell_len for drawn in lines)))


def _body(standings: Standings, view: View, width: int, height: int, offset: int, across: int) -> Block:
    if view == "crosstable":
        return versus.versus(standings, width, height, offset, across)
    if view == "seats":
        return seating.seating(standings, width, height, offset, across)
    if view == "strengths":
        return certainty.certainty(standings, width, height, offset, across)
    if view == "format":
        return bracket.bracket(standings, width, height, offset)
    if width >= WIDE_SCREEN and height >= 20:
        return _wall(standings, width, height, offset)
    return _column(standings, width, height, offset)


def _column(standings: Standings, width: int, height: int, offset: int) -> Block:
    """The table, and under it the matches, which get what it leaves but on a tall screen at least a third."""
    least = height // 3 if height >= 15 else 0
    block = table.table(standings, width, min(table.lines_needed(standings), height - least), offset)
    lines = [*block.lines, line()]
    room = height - len(lines)
    if room < 2:
        return block
    live = min(len(standings.playing) + 1, max(2, room // 2)) if standings.playing and room >= 5 else 0
    cross = 1 + versus.lines_needed(standings)
    if len(standings.rows) < 2 or width < versus.width_needed(standings) or room - live - cross < LATEST_LEAST:
        cross = 0
    if live:
        lines += playing_now(standings, width, live)
    lines += latest_results(standings, width, room - live - cross)
    if cross:
        lines += [heading("Crosstable", width), *versus.versus(standings, width, cross - 1).lines]
    return Block(lines, block.rows)


def _wall(standings: Standings, width: int, height: int, offset: int) -> Block:
    """The table, the crosstable and the seats on the left, the matches on the right."""
    side = max(60, width * 2 // 5)
    main = width - side - 3
    block = table.table(standings, main, min(table.lines_needed(standings), height), offset)
    lines = list(block.lines)
    for title, needed, draw in (
        ("Crosstable", versus.lines_needed(standings), versus.versus),
        ("Seats", seating.lines_needed(standings), seating.seating),
    ):
        room = height - len(lines) - 2
        if len(standings.rows) >= 2 and room >= min(needed, 8):
            lines += [line(), heading(title, main), *draw(standings, main, min(room, needed)).lines]
    live = min(len(standings.playing) + 1, height // 2) if standings.playing else 2
    matches = [*playing_now(standings, side, live), line(), *latest_results(standings, side, height - live - 1)]
    return Block(list(beside(lines, matches, main)), block.rows)
