"""The seats: how often each bot won from each seat, with intervals, and one test whether any seat is better."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from referee_leaderboard.drawing.window import Block, Window
from referee_leaderboard.names import clean, count, decimal, fit, left, percent, right
from referee_leaderboard.seats import SeatRecord, Seats, SeatTotal
from referee_leaderboard.sheet import line
from referee_leaderboard.standings import Standings

CELL, CELL_WITH_RANK, CELL_MOST = 6, 12, 16
NAME_MOST = 24
_EVERYBODY = "all bots"


def seating(standings: Standings, width: int, height: int, offset: int = 0, across: int = 0) -> Block:
    """One column per seat: share of matches won and, where there is room, the mean rank; first all bots together."""
    rows = standings.rows
    totals = {total.seat: total for total in standings.seats.overall}
    if not totals:
        return Block.saying("No match has ended yet, so no seat has a record.", height)
    records = {(record.bot, record.seat): record for record in standings.seats.records}
    seats = sorted(totals)
    names = [clean(row.bot) for row in rows]
    name_width = min(max([cell_len(_EVERYBODY), *map(cell_len, names)]), NAME_MOST, max(8, width // 3))
    room = width - name_width
    cell = min(CELL_MOST, room // len(seats)) if CELL_WITH_RANK * len(seats) <= room else CELL
    columns = Window.of_columns(len(seats), max(1, room // cell), across)
    shown = seats[columns.first : columns.end]
    notes = _notes(standings.seats, shown, columns, width, with_rank=cell > CELL)[: max(0, height - 6)]
    between = height >= 9 and len(totals) > 1 and all(total.low is not None for total in totals.values())
    window = Window.of_rows(len(rows), height - 3 - between - len(notes), offset)

    lines = [
        line(" " * name_width, *((right(f"Seat {seat}" if cell > CELL else str(seat), cell), "bold") for seat in shown))
    ]
    lines.append(line((left(_EVERYBODY, name_width), "italic")))
    for seat in shown:
        lines[-1].append_text(_cell(percent(totals[seat].won, totals[seat].matches), "", cell, "italic"))
    if between:
        lines.append(line((left("interval", name_width), "dim")))
        for seat in shown:
            lines[-1].append_text(_cell(_between(totals[seat]), "", cell, "dim"))
    lines.append(line(("─" * (name_width + cell * len(shown)), "dim")))
    for place in range(window.first, window.end):
        text = line((left(names[place], name_width), "bold" if rows[place].rank == 1 else ""))
        found = [records.get((rows[place].bot, seat)) for seat in shown]
        for record in found:
            text.append_text(_record_cell(record, cell))
        lines.append(text)
    if window.partial:
        lines.append(window.more_line())
    return Block([*lines, *notes][: max(0, height)], window, columns)


def lines_needed(standings: Standings) -> int:
    """The height at which every bot is shown."""
    return 6 + len(standings.rows)


def _record_cell(record: SeatRecord | None, cell: int) -> Text:
    if record is None or not record.matches:
        return _cell("·", "", cell, "dim")
    return _cell(percent(record.won, record.matches), decimal(record.mean_rank), cell, "")


def _between(total: SeatTotal) -> str:
    return "" if total.low is None or total.high is None else f"{100 * total.low:.0f}–{100 * total.high:.0f}"


def _cell(wins: str, mean_rank: str, cell: int, style: str) -> Text:
    if cell <= CELL:
        return line((right(wins, cell), style))
    return line((right(wins, cell - CELL), style), (right(mean_rank, CELL), "dim"))


def _notes(seats: Seats, shown: Sequence[int], columns: Window, width: int, with_rank: bool) -> list[Text]:
    words = "% of matches won from each seat with its 95 % interval" + (", then the mean rank" if with_rank else "")
    if columns.partial:
        words = f"Seats {shown[0]}–{shown[-1]} of {count(columns.total)}; " + words
    notes = [line((fit(words, width), "dim italic"))]
    if seats.verdict:
        said = seats.verdict[0].upper() + seats.verdict[1:]
        notes.insert(0, line((fit(said, width), "bold" if seats.differ else "dim italic")))
    return notes
