"""Names and numbers made fit for a cell: measured in terminal cells, never interpreted, never wider than asked."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from rich.cells import cell_len, get_character_cell_size

ELLIPSIS = "…"
_MARKS_KEPT = 2


@lru_cache(maxsize=4096)
def clean(name: str) -> str:
    """A name that takes the same cells on every terminal.

    Control and direction characters could move the cursor or turn the line around; joiners, variation selectors and
    skin tones are measured differently by different terminals; towers of accents reach into other lines.
    """
    kept: list[str] = []
    marks = 0
    for character in name:
        category = unicodedata.category(character)
        if category in ("Mn", "Me"):
            marks += 1
            if kept and marks <= _MARKS_KEPT and not 0xFE00 <= ord(character) <= 0xFE0F:
                kept.append(character)
            continue
        if category in ("Cf", "Cs") or 0x1F3FB <= ord(character) <= 0x1F3FF:
            continue
        marks = 0
        if category in ("Cc", "Zl", "Zp", "Co", "Cn"):
            kept.append("\N{REPLACEMENT CHARACTER}")
        elif category == "Zs":
            kept.append(" ")
        elif get_character_cell_size(character) > 0:
            kept.append(character)
    return "".join(kept).strip() or "?"


def fit(text: str, width: int) -> str:
    """`text` in at most `width` cells, the missing end marked with an ellipsis."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    taken = 0
    for index, character in enumerate(text):
        cells = get_character_cell_size(character)
        if taken + cells > width - 1:
            return text[:index].rstrip() + ELLIPSIS
        taken += cells
    return text


def left(text: str, width: int) -> str:
    """`text` cut or padded on the right to exactly `width` cells."""
    cut = fit(text, width)
    return cut + " " * (width - cell_len(cut))


def right(text: str, width: int) -> str:
    """`text` cut or padded on the left to exactly `width` cells."""
    cut = fit(text, width)
    return " " * (width - cell_len(cut)) + cut


def share(widths: Sequence[int], room: int) -> list[int]:
    """Share `room` cells among names so wide: the short ones keep their width, the long ones get equal parts."""
    granted = [0] * len(widths)
    waiting = sorted(range(len(widths)), key=lambda index: widths[index])
    for position, index in enumerate(waiting):
        part = max(0, room) // (len(waiting) - position)
        granted[index] = min(widths[index], part)
        room -= granted[index]
    return granted


def duration(seconds: float | None) -> str:
    """`0:43`, `12:04`, `3:12:04`, `2d 03h`; a dash when not known."""
    if seconds is None:
        return "–"
    whole = max(0, math.floor(seconds))
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    if days:
        return f"{days}d {hour:02d}h"
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"


def decimal(value: float | None, digits: int = 2) -> str:
    """A number with fixed digits after the point, never `-0.00`; a dash when not known."""
    if value is None:
        return "–"
    if abs(value) >= 1e7:
        return f"{value:.1e}"
    shown = f"{value:.{digits}f}"
    return shown[1:] if shown.startswith("-") and not shown.strip("-0.") else shown


def signed(value: float | None) -> str:
    """A number relative to a mean: with its sign, two digits after the point; a dash when not known."""
    shown = decimal(value)
    return f"+{shown}" if value is not None and value > 0 and shown.strip("0.") else shown


def count(value: int) -> str:
    """A whole number with thousands marked: `12,000`."""
    return f"{value:,}"


def speed(matches_per_second: float | None) -> str:
    """`41.2/s`, or `3.0/min` for slow games; a dash when not known."""
    if matches_per_second is None:
        return "–"
    if 0 < matches_per_second < 0.5:
        return f"{matches_per_second * 60:.1f}/min"
    return f"{matches_per_second:,.0f}/s" if matches_per_second >= 100 else f"{matches_per_second:.1f}/s"


def wins(value: float) -> str:
    """A number of wins, shared first places split: `12,000`, `10.5`."""
    return count(int(value)) if value == int(value) else f"{value:,.1f}"


def percent(part: float, whole: int) -> str:
    """`62%`, of which 0% and 100% are said only when they are exact; a dot when there is nothing to divide."""
    if whole <= 0:
        return "·"
    rounded = round(100 * part / whole)
    if part < whole:
        rounded = min(rounded, 99)
    if part > 0:
        rounded = max(rounded, 1)
    return f"{rounded}%"


def plural(number: int, noun: str) -> str:
    """`1 player`, `4 players`, `2 matches`."""
    if number == 1:
        return f"1 {noun}"
    return f"{count(number)} {noun}{'es' if noun.endswith(('ch', 's', 'x')) else 's'}"


def widest(texts: Sequence[str], width: int) -> str:
    """The first of these, ever shorter ones, that fits into `width` cells; the last if none does."""
    return next((text for text in texts if cell_len(text) <= width), texts[-1])
