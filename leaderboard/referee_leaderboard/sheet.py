"""A sheet of finished lines: what every drawing here returns.

Lines are laid out cell by cell before rich sees them, so a sheet is never wider or taller than was asked for, and
nothing wraps. On a console that can only do ASCII every drawn character has a stand-in of the same width.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.segment import Segment
from rich.text import Text

STAND_INS = {
    "─": "-", "━": "=", "╸": "=", "│": "|", "├": "|", "┤": "|", "┌": "+", "└": "+", "◆": "O", "┈": ".",
    "▲": "^", "▼": "v", "↑": "^", "↓": "v", "←": "<", "→": ">", "●": "*", "○": "o", "■": "#", "✗": "x",
    "…": "~", "·": "-", "–": "-", "−": "-", "±": "+", "μ": "u", "σ": "s",
}  # fmt: skip


class Sheet:
    """Lines of text, cut to a width and a height."""

    def __init__(self, lines: Iterable[Text], width: int, height: int | None = None) -> None:
        self.width = max(0, width)
        cut = list(lines)
        self.lines = [clip(line, self.width) for line in (cut if height is None else cut[: max(0, height)])]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.lines:
            drawn = to_ascii(line) if options.ascii_only else line
            yield from drawn.render(console)
            yield Segment.line()

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widest = max((line.cell_len for line in self.lines), default=0)
        return Measurement(widest, widest)


def line(*parts: str | tuple[str, str]) -> Text:
    """A line of plain and (text, style) parts; markup in them is never interpreted."""
    text = Text(no_wrap=True, end="")
    for part in parts:
        if isinstance(part, str):
            text.append(part)
        else:
            text.append(part[0], style=part[1])
    return text


def clip(text: Text, width: int) -> Text:
    """`text` without what lies beyond `width` cells."""
    if text.cell_len <= width:
        return text
    cut = text.copy()
    cut.truncate(width)
    return cut


def padded(text: Text, width: int) -> Text:
    """`text` in exactly `width` cells."""
    cut = clip(text, width).copy()
    cut.append(" " * (width - cut.cell_len))
    return cut


def ends(start: Text, end: Text, width: int) -> Text:
    """Two texts at the two ends of a line; when both do not fit, the start gives way."""
    end = clip(end, width)
    room = width - end.cell_len
    return padded(clip(start, max(0, room - 1)), room) + end


def heading(title: str, width: int, note: str = "") -> Text:
    """A title in a rule: `── Playing now ───────────── 4 tables ──`."""
    words = line(("── ", "dim"), (title, "bold"), " ")
    tail = line((f" {note} ──", "dim")) if note and cell_len(title) + cell_len(note) + 12 <= width else line()
    rule = line(("─" * max(0, width - words.cell_len - tail.cell_len), "dim"))
    return clip(words + rule + tail, width)


def beside(first: Sequence[Text], second: Sequence[Text], width: int, gap: int = 3) -> Iterator[Text]:
    """Two blocks next to each other, the first one `width` cells wide."""
    for index in range(max(len(first), len(second))):
        start = first[index] if index < len(first) else line()
        end = second[index] if index < len(second) else line()
        yield padded(start, width) + " " * gap + end


def to_ascii(text: Text) -> Text:
    """The same line in ASCII, cell for cell."""
    spelled = line()
    for piece in text.divide(sorted({edge for span in text.spans for edge in (span.start, span.end)})):
        spelled.append_text(Text("".join(map(_stand_in, piece.plain)), style=_style_of(piece), end=""))
    return spelled


def _style_of(piece: Text) -> str:
    return " ".join(str(span.style) for span in piece.spans)


def _stand_in(character: str) -> str:
    if character.isascii():
        return character
    if character in STAND_INS:
        return STAND_INS[character]
    letter = unicodedata.normalize("NFKD", character)[0]
    width = cell_len(character)
    return letter.ljust(width)[:width] if letter.isascii() and letter.isprintable() else "?" * width
