"""Wrong names and values in a sentence: cut to a length that can be shown, with the nearest name there is.

What a bot sends over the wire ends up here, so both take the same short time however long the text is.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr
from typing import Any

SHOWN = 80
"""Characters of a wrong value that a sentence repeats."""
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


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, if one is."""
    if len(name) > LONGEST_NAME:
        return None
    near = get_close_matches(name, list(known), 1)
    return near[0] if near else None
