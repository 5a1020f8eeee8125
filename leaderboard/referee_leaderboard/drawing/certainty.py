"""The strengths: order-free ratings with their errors, and how sure it is that one bot is stronger than another."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from referee_leaderboard.drawing.window import Block, Window
from referee_leaderboard.names import clean, count, fit, left, right, signed, widest
from referee_leaderboard.sheet import line
from referee_leaderboard.standings import Standings
from referee_leaderboard.strengths import SURE, Strength, Strengths

CELL = 5
NAME_MOST = 24
_FACTS = (("strength", 9), ("ranks", 8), ("first", 6), ("95 %", 15))
"""The columns before the matrix; on a narrow screen the last ones are left out."""


def certainty(standings: Standings, width: int, height: int, offset: int = 0, across: int = 0) -> Block:
    """Strongest first; `offset` skips rows, `across` columns. Bars join bots that cannot be told apart."""
    found = standings.strengths
    rows = found.rows
    if len(rows) < 2:
        words = "Strengths need two bots." if len(standings.rows) < 2 else "Strengths are not known yet."
        return Block.saying(words, height)
    places = len(str(len(rows)))
    names = [clean(row.bot) for row in rows]
    name_width = min(max(map(cell_len, names)), NAME_MOST, max(6, width // 4))
    bars = _bars(found.groups, len(rows))
    margin = places + 1 + len(bars[0]) + 1 + name_width
    facts = [fact for number, fact in enumerate(_FACTS) if margin + sum(w for _, w in _FACTS[: number + 1]) <= width]
    room = width - margin - sum(w for _, w in facts)
    columns = Window.of_columns(len(rows) if found.ahead else 0, max(0, (room - 1) // CELL), across)
    notes = _notes(found, columns, width)[: max(0, height - 6)]
    window = Window.of_rows(len(rows), height - 1 - len(notes), offset)

    heads = [(right(name, w), "bold") for name, w in facts]
    numbers = [(right(str(column + 1), CELL), "bold") for column in range(columns.first, columns.end)]
    lines = [line(" " * margin, *heads, " " if numbers else "", *numbers)]
    for place in range(window.first, window.end):
        row = rows[place]
        text = line((right(str(place + 1), places), "dim"), " ", (bars[place], "cyan"), " ")
        text.append_text(line((left(names[place], name_width), "bold" if row.rank == 1 else "")))
        for name, w in facts:
            text.append_text(line(right(_fact(row, name), w)))
        text.append(" " if numbers else "")
        for column in range(columns.first, columns.end):
            text.append_text(_cell(found, place, column))
        lines.append(text)
    if window.partial:
        lines.append(window.more_line())
    return Block([*lines, *notes][: max(0, height)], window, columns)


def verdict(standings: Standings) -> str:
    """Whether the first is really the first, in a sentence; empty where strengths are not known."""
    found = standings.strengths
    if len(found.rows) < 2 or not found.matches:
        return ""
    # A bot that has not played may be stronger than all of them.
    of_all = len(found.rows) >= len(standings.rows)
    name = ("" if of_all else f"of the {count(len(found.rows))} bots with results ") + clean(found.rows[0].bot)
    rivals = sum(row.rank_low == 1 for row in found.rows[1:])
    if not rivals:
        return f"{name} is the strongest: {share(found.rows[0].first)} sure"
    others = "1 other bot" if rivals == 1 else f"{count(rivals)} other bots"
    return f"{name} is the strongest with {share(found.rows[0].first)} probability; {others} may be"


def share(probability: float) -> str:
    """`83%`; `<1%` and `>99%` where it is nearly, but never quite, certain."""
    if probability < 0.005:
        return "<1%"
    return ">99%" if probability > 0.995 else f"{100 * probability:.0f}%"


def interval(row: Strength) -> str:
    """From where to where a strength is: `-0.85…+1.31`."""
    low, high = row.interval
    return f"{signed(low)}…{signed(high)}"


def _fact(row: Strength, name: str) -> str:
    if name == "strength":
        return signed(row.value)
    if name == "95 %":
        return interval(row)
    if name == "first":
        return share(row.first)
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"


def _cell(found: Strengths, place: int, column: int) -> Text:
    if place == column:
        return line((right("–", CELL), "dim"))
    probability = found.ahead[place][column]
    style = "bold green" if probability >= SURE else "red" if probability <= 1 - SURE else "dim"
    return line((right(share(probability), CELL), style))


def _bars(groups: tuple[tuple[int, ...], ...], rows: int) -> list[str]:
    """One column per group that overlaps with others, a bar beside each of its rows."""
    lanes: list[list[str]] = []
    ends: list[int] = []
    for first, last in groups:
        lane = next((number for number, end in enumerate(ends) if end < first), len(ends))
        if lane == len(ends):
            lanes.append([" "] * rows)
            ends.append(last)
        ends[lane] = last
        for row in range(first, last + 1):
            lanes[lane][row] = "┌" if row == first else "└" if row == last else "│"
    shown = lanes[:4] or [[" "] * rows]
    return ["".join(lane[row] for lane in shown) for row in range(rows)]


def _notes(found: Strengths, columns: Window, width: int) -> list[Text]:
    partial = columns.partial and columns.end
    which = f"Columns {columns.first + 1}–{columns.end} of {count(columns.total)}; " if partial else ""
    words = (
        "Bots beside one bar cannot be told apart; right, % sure that the row's bot is stronger than the column's",
        "Bots beside one bar cannot be told apart; right, % sure that the row is stronger",
        "One bar: not told apart; right, % sure to be stronger",
        "One bar: not told apart",
    )
    about = f"By {count(found.matches)} results together, in whatever order they came"
    notes = [widest([which + part for part in words], width), about, *found.notes]
    return [line((fit(clean(note), width), "dim italic")) for note in notes]
