"""CSS of the pictures: one palette for light and dark, scoped so that several pictures can stand in one HTML page.

Every rule begins with a class that only pictures of one game have. Two pictures of the same game bring the same rules
twice, which changes nothing. Colours stand in the rules themselves and not in CSS variables, for programs that turn SVG
into bitmaps know no variables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

Palette = Mapping[str, tuple[str, str]]
"""By class: what it looks like in the light and in the dark, each as CSS; an empty second one means no difference."""

BASE: Palette = {
    "bg": ("fill:#f6f4ee", "fill:#14171c"),
    "panel": ("fill:#fff;stroke:#ddd8cb", "fill:#1e232b;stroke:#343b47"),
    "hot": ("fill:#fff7d6;stroke:#d99a00;stroke-width:2", "fill:#3a3114;stroke:#f2b632;stroke-width:2"),
    "shade": ("fill:#ebe7dc", "fill:#2a313b"),
    "ink": ("fill:#1c2027", "fill:#edf0f5"),
    "dim": ("fill:#626873", "fill:#a4adba"),
    "accent": ("fill:#9a5b00", "fill:#f2b632"),
    "good": ("fill:#19733b", "fill:#6fd08c"),
    "bad": ("fill:#b3261e", "fill:#ff8a80"),
    "rule": ("stroke:#ddd8cb;fill:none", "stroke:#343b47;fill:none"),
}
"""What every picture may use."""

FIXED = (
    ("text", "font-family:sans-serif"),
    (".b", "font-weight:700"),
    (".m", "text-anchor:middle"),
    (".e", "text-anchor:end"),
)


def scope(name: str) -> str:
    """The class of all pictures of this game."""
    return "board-" + (re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "game")


@lru_cache(maxsize=64)
def _css(name: str, rules: tuple[tuple[str, tuple[str, str]], ...]) -> str:
    within = "." + scope(name)
    light = "".join(f"{within} {selector}{{{look}}}" for selector, look in FIXED)
    light += "".join(f"{within} .{kind}{{{look}}}" for kind, (look, _) in rules)
    dark = "".join(f"{within} .{kind}{{{look}}}" for kind, (_, look) in rules if look)
    return f"{light}@media (prefers-color-scheme:dark){{{dark}}}"


def css(name: str, own: Palette | None = None) -> str:
    """The rules for pictures of this game: the palette of all, and its own."""
    return _css(name, tuple({**BASE, **(own or {})}.items()))
