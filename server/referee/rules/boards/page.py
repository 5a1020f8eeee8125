"""The lines of one drawing: spans of text with colours, never wider than the terminal, with ASCII only where asked."""

from __future__ import annotations

from collections.abc import Sequence

from referee.rules.boards.text import ELLIPSIS, clip, columns, to_ascii, wrap

Span = str | tuple[str, str]
"""A piece of a line: its text, or its text and its style (parameters of an ANSI SGR sequence, such as `1;31`)."""
Spans = Sequence[Span]

BOLD = "1"
DIM = "2"
RED = "31"
GREEN = "32"
YELLOW = "33"
BLUE = "34"
MAGENTA = "35"
CYAN = "36"
HOT = "1;32"
"""Who is asked now."""


class Page:
    """Lines in the making. Texts are clean already (see `text.clean`)."""

    def __init__(self, width: int, *, colour: bool = False, ascii: bool = False) -> None:
        self.width = max(1, width)
        self.colour = colour
        self.ascii = ascii
        self.lines: list[str] = []

    def add(self, *spans: Span) -> None:
        """One line, cut at the width."""
        self.lines.append(self._line(spans))

    def blank(self) -> None:
        """An empty line, unless there is one or nothing above it."""
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def wrapped(self, text: str, style: str = "", indent: str = "  ", first: str = "") -> None:
        """A text over as many lines as it needs; `first` stands before it, and later lines begin with `indent`."""
        if not text:
            return
        for line in wrap(first + text, self.width, indent) if not first else self._hanging(text, first, indent):
            self.add((line, style))

    def split(self, left: Spans, right: Spans) -> None:
        """One line with a part at each edge; where there is no room for both, two lines."""
        wide = span_columns(left) + 1 + span_columns(right)
        if wide > self.width:
            self.add(*left)
            self.add(*right)
        else:
            self.add(*left, " " * (self.width - wide + 1), *right)

    def rule(self, title: str = "") -> None:
        """A line across, with a title in it."""
        head = f"── {title} " if title else ""
        self.add((clip(head, self.width) + "─" * max(0, self.width - columns(head)), DIM))

    def beside(self, blocks: Sequence[Sequence[Spans]], gap: int = 2) -> None:
        """Blocks of lines next to each other, as many in a row as there is room for."""
        row: list[tuple[Sequence[Spans], int]] = []
        used = 0
        for block in blocks:
            wide = block_columns(block)
            if row and used + gap + wide > self.width:
                self._row(row, gap)
                row, used = [], 0
            used += wide + (gap if row else 0)
            row.append((block, wide))
        if row:
            self._row(row, gap)

    def _row(self, row: Sequence[tuple[Sequence[Spans], int]], gap: int) -> None:
        for number in range(max(len(block) for block, _ in row)):
            spans: list[Span] = []
            before = 0
            for block, wide in row:
                line = block[number] if number < len(block) else ()
                spans += [" " * before, *line]
                before = wide - span_columns(line) + gap
            self.add(*spans)

    def _hanging(self, text: str, first: str, indent: str) -> list[str]:
        lines = wrap(text, max(1, self.width - max(columns(first), columns(indent))))
        return [first + lines[0], *(indent + line for line in lines[1:])]

    def _line(self, spans: Spans) -> str:
        pieces: list[tuple[str, str]] = []
        left = self.width
        for span in spans:
            text, style = (span, "") if isinstance(span, str) else span
            wide = columns(text)
            if wide > left and text.isspace():
                text, wide = text[:left], left
            if wide > left:
                # Nothing follows: the ellipsis ends the line, in place of what was there where nothing is left.
                if left == 0:
                    text, style = pieces.pop() if pieces else ("", "")
                    text = clip(text + ELLIPSIS, columns(text))
                else:
                    text = clip(text, left)
                pieces.append((text, style))
                break
            if text:
                pieces.append((text, style))
            left -= wide
        # Spaces at the end say nothing, unless they have a colour of their own.
        while pieces and not (self.colour and pieces[-1][1]):
            text, style = pieces.pop()
            if text := text.rstrip():
                pieces.append((text, style))
                break
        if not self.colour:
            line = "".join([text for text, _ in pieces])
            return to_ascii(line) if self.ascii else line
        written = []
        for text, style in pieces:
            if text.isspace() and "48;" not in style:  # a colour without a background does not show
                style = ""
            shown = to_ascii(text) if self.ascii else text
            written.append(f"\x1b[{style}m{shown}\x1b[0m" if style else shown)
        return "".join(written)


def span_columns(spans: Spans) -> int:
    """How wide these spans are together."""
    return sum(columns(span) if isinstance(span, str) else columns(span[0]) for span in spans)


def block_columns(block: Sequence[Spans]) -> int:
    """How wide the widest line of a block is."""
    return max(map(span_columns, block), default=0)
