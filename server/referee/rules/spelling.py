"""Texts of strangers, safe to show: cut to a length, control characters replaced; the nearest name ("did you mean").

What a bot sends or writes ends up here, so all of it takes a short time however long the text is.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr
from typing import Any

SHOWN = 80
"""Characters of a wrong value that a sentence repeats."""
LINE = 300
"""Characters of a path, a command or a line of output that are shown."""
LONGEST_NAME = 64
"""Characters of a name that could be a slip of the pen; to compare longer ones with others takes long."""

_OUTLINE = Repr()
_OUTLINE.maxlevel = 2
_OUTLINE.maxlist = _OUTLINE.maxtuple = _OUTLINE.maxdict = 20
_OUTLINE.maxstring = _OUTLINE.maxlong = _OUTLINE.maxother = SHOWN


def brief(value: Any) -> str:
    """A wrong value as a sentence shows it: as Python writes it, cut where it is long."""
    try:
        written = repr(value[: SHOWN + 1]) if isinstance(value, str) else _OUTLINE.repr(value)
    except ValueError:  # a number of thousands of digits
        return "a number too large to be shown"
    return written[: SHOWN - 1] + "…" if len(written) > SHOWN else written


def printable(text: str, most: int = LINE, allowed: str = "") -> str:
    """A text of a bot's, cut to `most` characters and safe for a terminal and a record; `allowed` ones stay as well."""
    if len(text) > most:
        text = text[: most - 1] + "…"
    if text.isprintable():  # nearly always, and far quicker than looking at each character
        return text
    return "".join(
        [letter if letter.isprintable() or letter in allowed else "\N{REPLACEMENT CHARACTER}" for letter in text]
    )


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, if one is."""
    if len(name) > LONGEST_NAME:
        return None
    near = get_close_matches(name, list(known), 1)
    return near[0] if near else None
