"""An SVG document in the making: escaped, deterministic, without scripts, files, fonts from elsewhere or ids.

Ids are left out on purpose: two pictures in one HTML page would share them. Fonts are generic families only, so no
width of a text is known; `text_width` estimates it for a rather wide font, and texts are cut to the room they have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from referee.rules.boards.spots import Spot
from referee.rules.boards.style import Palette, css, scope
from referee.rules.boards.text import ELLIPSIS, clean

WIDTH = 480
"""Units across a picture. At 360 px, the smallest screen to read it on, a text of size 14 is 10 px high."""

BOLDER = 1.12
"""How much wider a bold text is."""

_NOT_XML = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
_NARROW = frozenset("ijlI.,:;'|!()[] tfr-/\"`·")
_BROAD = frozenset("mwMWQO@%&")


def escape(text: str) -> str:
    """Text as XML: for content and for attributes in double quotes; characters that XML cannot hold are left out."""
    text = _NOT_XML.sub("", text)
    if "&" in text or "<" in text or ">" in text or '"' in text:
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text


def text_width(text: str, size: float, bold: bool = False) -> float:
    """About how wide a text of this size is, in units: a generous estimate for a sans-serif font."""
    return sum(map(_ems, text)) * size * (BOLDER if bold else 1)


@lru_cache(maxsize=4096)
def _ems(char: str) -> float:
    if char in _NARROW:
        return 0.38
    if char in _BROAD:
        return 0.95
    if char.isascii():
        return 0.7 if char.isupper() else 0.64
    return 1.05 if ord(char) > 0x2E7F else 0.7


def fit(text: str, size: float, width: float, bold: bool = False) -> str:
    """The text, cleaned and cut so that it should fit this width."""
    text = clean(text)
    left = width / (size * (BOLDER if bold else 1))
    if sum(map(_ems, text)) <= left:
        return text
    left -= _ems(ELLIPSIS)
    for count, char in enumerate(text):
        left -= _ems(char)
        if left < 0:
            return text[:count].rstrip() + ELLIPSIS
    return text


def wrapped(text: str, size: float, width: float) -> list[str]:
    """The text in lines that should fit this width, broken at spaces."""
    lines: list[str] = []
    line = ""
    for word in clean(text).split():
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, size) > width:
            lines.append(line)
            longer = word
        line = fit(longer, size, width)
    return [*lines, line] if line else lines


@lru_cache(maxsize=1 << 14)
def number(value: float) -> str:
    """A coordinate: whole where it is, else with at most two decimals."""
    if value == int(value):
        return str(int(value))
    short = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def heart(x: float, y: float, r: float) -> str:
    """The path of a heart around this point."""
    return "M{} {}C{} {} {} {} {} {}C{} {} {} {} {} {}z".format(
        *map(number, (x, y + r)),
        *map(number, (x - 1.9 * r, y - 0.1 * r, x - 0.9 * r, y - 1.5 * r, x, y - 0.45 * r)),
        *map(number, (x + 0.9 * r, y - 1.5 * r, x + 1.9 * r, y - 0.1 * r, x, y + r)),
    )


def octagon(x: float, y: float, r: float) -> str:
    """The path of a stop sign around this point."""
    k = r * 0.41
    corners = ((-k, -r), (k, -r), (r, -k), (r, k), (k, r), (-k, r), (-r, k), (-r, -k))
    return "M" + "L".join(f"{number(x + dx)} {number(y + dy)}" for dx, dy in corners) + "z"


class Canvas:
    """Shapes and texts, in the order in which they are painted. `look` is a list of classes of the palette."""

    def __init__(self, width: float = WIDTH) -> None:
        self.width = width
        self.parts: list[str] = []
        self.height = 0.0
        """Known once the document is made."""
        self._spots: list[tuple[float, float, float, float, str, str]] = []

    def rect(self, x: float, y: float, width: float, height: float, look: str, radius: float = 0) -> None:
        corner = f' rx="{number(radius)}"' if radius else ""
        self.parts.append(
            f'<rect class="{look}" x="{number(x)}" y="{number(y)}" '
            f'width="{number(width)}" height="{number(height)}"{corner}/>'
        )

    def spot(self, x: float, y: float, width: float, height: float, word: str, label: str) -> None:
        """This place can be clicked, and stands for a move or a word of one. Nothing is painted."""
        self._spots.append((x, y, width, height, word, label))

    def spots(self) -> list[Spot]:
        """The places that can be clicked, once the document is made."""
        across, down = self.width, self.height
        return [
            Spot(x / across, y / down, width / across, height / down, word, clean(label))
            for x, y, width, height, word, label in self._spots
        ]

    def circle(self, x: float, y: float, radius: float, look: str) -> None:
        self.parts.append(f'<circle class="{look}" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>')

    def path(self, d: str, look: str) -> None:
        """A path; `d` is written by the caller and never holds a stranger's text."""
        self.parts.append(f'<path class="{look}" d="{d}"/>')

    @contextmanager
    def scaled(self, x: float, y: float, scale: float) -> Iterator[None]:
        """What is drawn meanwhile has its origin at this point and is this much larger."""
        self.parts.append(f'<g transform="translate({number(x)} {number(y)}) scale({number(scale)})">')
        yield
        self.parts.append("</g>")

    def line(self, x1: float, y1: float, x2: float, y2: float, look: str = "rule") -> None:
        self.path(f"M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}", look)

    def text(
        self, x: float, y: float, text: str, size: float = 14, look: str = "ink", width: float | None = None
    ) -> None:
        """A line of text with its baseline at `y`, cut to `width`.

        Among the classes of `look`, `b` is bold, `m` centres the text at `x`, `e` ends it there.
        """
        bold = "b" in look.split()
        shown = clean(text) if width is None else fit(text, size, width, bold)
        if shown:
            place = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}"'
            self.parts.append(f'<text class="{look}" {place}>{escape(shown)}</text>')

    def document(self, name: str, height: float, title: str, description: str = "", own: Palette | None = None) -> str:
        """The whole `<svg>` document of a picture of the game `name`, so high, with a title for screen readers."""
        self.height = height
        told = f"<desc>{escape(clean(description))}</desc>" if description else ""
        view_box = f"0 0 {number(self.width)} {number(height)}"
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="{scope(name)}" viewBox="{view_box}" role="img">'
            f"<title>{escape(clean(title))}</title>{told}<style>{css(name, own)}</style>"
            f'<rect class="bg" width="{number(self.width)}" height="{number(height)}"/>'
            f"{''.join(self.parts)}</svg>\n"
        )
