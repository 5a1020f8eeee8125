"""The crosstable: in how many of their meetings the row's bot finished ahead of the column's."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from referee_leaderboard.crosstable import Crosstable
from referee_leaderboard.drawing.window import Block, Window
from referee_leaderboard.names import clean, count, fit, left, percent, right, widest
from referee_leaderboard.sheet import line
from referee_leaderboard.standings import Standings

CELL_LEAST, CELL_MOST = 5, 10
CELL_NAMED = 8
"""From this width on a column carries its bot's name, below it the bot's place."""
NAME_MOST = 24


def versus(standings: Standings, width: int, height: int, offset: int = 0, across: int = 0) -> Block:
    """Rows and columns in the order of the table; `offset` skips rows, `across` columns."""
    rows = standings.met
    if len(rows) < 2:
        return Block.saying("A crosstable needs two bots." if rows else "No bots have entered yet.", height)
    places = len(str(len(rows)))
    names = [clean(row.bot) for row in rows]
    name_width = min(max(map(cell_len, names)), NAME_MOST, max(6, width // 3))
    margin = places + 2 + name_width
    cell = min(CELL_MOST, max(CELL_LEAST, (width - margin) // len(rows)))
    columns = Window.of_columns(len(rows), max(1, (width - margin) // cell), across)
    note_lines = 1 if height >= 6 else 0
    window = Window.of_rows(len(rows), height - 1 - note_lines, offset)

    heads = [_head(column, names, cell) for column in range(columns.first, columns.end)]
    lines = [line(" " * margin, *heads)]
    index = {bot: place for place, bot in enumerate(standings.crosstable.bots)}
    for place in range(window.first, window.end):
        style = "bold" if rows[place].rank == 1 else ""
        text = line((right(str(place + 1), places), "dim"), "  ", (left(names[place], name_width), style))
        for column in range(columns.first, columns.end):
            pair = (index.get(rows[place].bot), index.get(rows[column].bot))
            text.append_text(_cell(standings.crosstable, pair, cell, itself=place == column))
        lines.append(text)
    if window.partial:
        lines.append(window.more_line())
    if note_lines:
        lines.append(_note(columns, width))
    return Block(lines[: max(0, height)], window, columns)


def lines_needed(standings: Standings) -> int:
    """The height at which the crosstable shows every bot."""
    return 2 + len(standings.met)


def width_needed(standings: Standings) -> int:
    """The width at which the crosstable shows every column."""
    rows = standings.met
    names = max((cell_len(clean(row.bot)) for row in rows), default=0)
    return len(str(len(rows))) + 2 + min(names, NAME_MOST) + CELL_LEAST * len(rows)


def _head(column: int, names: list[str], cell: int) -> tuple[str, str]:
    return right(fit(names[column], cell - 2) if cell >= CELL_NAMED else str(column + 1), cell), "bold"


def _cell(crosstable: Crosstable, pair: tuple[int | None, int | None], cell: int, itself: bool) -> Text:
    i, j = pair
    if itself:
        return line((right("–", cell), "dim"))
    met, better = (0, 0) if i is None or j is None else (crosstable.meetings[i][j], crosstable.better[i][j])
    share = better / met if met else 0.0
    style = "dim" if not met else "bold green" if share > 0.5 else "red" if share < 0.5 else ""
    return line((right(percent(better, met), cell), style))


def _note(columns: Window, width: int) -> Text:
    which = f"Columns {columns.first + 1}–{columns.end} of {count(columns.total)}; " if columns.partial else ""
    words = (
        "% of meetings in which the row's bot finished ahead of the column's",
        "% of meetings finished ahead",
        "% finished ahead",
    )
    return line((fit(widest([which + part for part in words], width), width), "dim italic"))
