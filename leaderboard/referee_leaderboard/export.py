"""Export of standings: plain text, CSV for spreadsheets, SVG for pictures. The web page is in `page.py`."""

from __future__ import annotations

import csv
import io
import re

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.terminal_theme import TerminalTheme

from referee_leaderboard.names import clean
from referee_leaderboard.screen import View, render
from referee_leaderboard.sheet import Sheet
from referee_leaderboard.standings import FAULTS, Standings

_COLUMNS = ("rank", "bot", "score", "mu", "sigma", "matches", "wins", "mean_rank", "mean_score", "faults", "absent")
_STRENGTH_COLUMNS = {
    "strength": "value", "strength_error": "error", "rank_low": "rank_low", "rank_high": "rank_high", "first": "first",
}  # fmt: skip

# Runs of ASCII and of drawn lines with single spaces inside; gaps; any other character, with its accents, alone.
_PIECES = re.compile(r"[!-~─-╿]+(?: [!-~─-╿]+)*| +|.[\u0300-\u036f]*")

_DARK_THEME = TerminalTheme(
    (24, 26, 31),
    (214, 218, 226),
    [
        (24, 26, 31), (240, 113, 120), (126, 198, 153), (229, 192, 123),
        (97, 154, 239), (198, 146, 233), (94, 190, 205), (214, 218, 226),
    ],
    [
        (92, 99, 112), (255, 133, 140), (152, 224, 173), (247, 212, 140),
        (130, 178, 255), (215, 170, 250), (120, 214, 229), (255, 255, 255),
    ],
)  # fmt: skip


def to_text(drawn: RenderableType, width: int = 80, ascii_only: bool = False) -> str:
    """A drawing as plain text without colour."""
    page = io.BytesIO()
    file = io.TextIOWrapper(page, encoding="ascii" if ascii_only else "utf-8", newline="\n")
    console = Console(file=file, width=max(1, width), color_system=None, force_terminal=False, legacy_windows=False)
    console.print(drawn, end="", soft_wrap=True)
    file.flush()
    return page.getvalue().decode()


def to_csv(standings: Standings) -> str:
    """One line per bot under a line of column names; ratings in full precision, nothing for what is not known.

    Where a format draws rounds, its own count stands at the end: place, points, whether the bot is out, and what parts
    equal points.
    A name that a spreadsheet would take for a formula gets an apostrophe in front, which spreadsheets hide.
    """
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\n")
    strengths = {row.bot: row for row in standings.strengths.rows}
    interval = ("strength_low", "strength_high")
    places = {each.bot: each for each in standings.format.places}
    own = ("place", "points", "out", "tie_break") if places else ()
    writer.writerow([*_COLUMNS, *_STRENGTH_COLUMNS, "wins_split", "draws", *FAULTS, *interval, *own])
    for row in standings.rows:
        cells = {name: getattr(row, name) for name in _COLUMNS}
        cells["bot"] = _no_formula(row.bot)
        cells["absent"] = "yes" if row.absent else "no"
        for name, attribute in _STRENGTH_COLUMNS.items():
            cells[name] = getattr(strengths[row.bot], attribute) if row.bot in strengths else None
        cells["wins_split"] = row.wins_split
        cells["draws"] = row.draws
        kinds = {one.kind: one.count for one in row.fault_kinds}
        for kind in FAULTS:
            # Faults whose kinds are not known are not said to be none.
            cells[kind] = kinds.get(kind, 0) if row.fault_kinds or not row.faults else None
        known = strengths.get(row.bot)
        cells["strength_low"], cells["strength_high"] = (None, None) if known is None else known.interval
        if (there := places.get(row.bot)) is not None:
            cells |= {name: getattr(there, name) for name in own}
        writer.writerow(["" if cell is None else cell for cell in cells.values()])
    return page.getvalue()


def to_svg(standings: Standings, width: int = 100, height: int = 30, view: View = "table") -> str:
    """A picture of the screen in a window of so many cells."""
    console = Console(
        file=io.StringIO(), record=True, width=width, height=height, force_terminal=True, color_system="truecolor"
    )
    # The empty line below gives the last line its whole height.
    console.print(_Pieces(render(standings, view, width, height)))
    title = f"{clean(standings.tournament)} · leaderboard"
    picture = console.export_svg(title=title, theme=_DARK_THEME, unique_id="leaderboard")
    # rich fetches a web font for its pictures; the reader's own monospace font does as well and fetches nothing.
    picture = re.sub(r"@font-face \{[^}]*\}\s*", "", picture)
    return picture.replace("font-family: Fira Code,", "font-family: ui-monospace, Menlo, Consolas, DejaVu Sans Mono,")


class _Pieces:
    """A sheet cut at its gaps: in a picture every piece then starts at a place of its own.

    Some viewers drop the spaces around a piece, rich squeezes wide letters, and other letters than the ones of the
    picture's font have other widths: columns stay straight all the same.
    """

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for drawn in self._sheet.lines:
            for text, style, _ in drawn.render(console):
                yield from (Segment(piece, style) for piece in _PIECES.findall(text))
            yield Segment.line()
        yield Segment(" ")


def _no_formula(name: str) -> str:
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t", "\r")) else name
