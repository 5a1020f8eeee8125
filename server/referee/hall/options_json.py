"""A game's options as JSON text in a request: size, nesting and encoding are checked before a game sees them.

They may come from any bot on the network, and they are read inside the event loop.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from referee.rules.game import WrongUse

MOST_BYTES = 16 << 10
"""A sheet of Encore, the largest option there is, takes about one thousand."""
DEEPEST = 16
"""Lists and tables inside each other."""
NO_OBJECT = "the options must be a JSON object"


def read_options(text: str) -> dict[str, Any]:
    """The options as they were given, not yet judged by the game; WrongUse if they are no options of any game."""
    # A character has at least one byte, so that a long text is not encoded to be measured.
    if len(text) > MOST_BYTES or len(text.encode()) > MOST_BYTES:
        raise WrongUse(f"the options are too large: at most {MOST_BYTES:,} bytes of JSON are read")
    try:
        value = json.loads(text or "{}", parse_constant=_no_number)
    except (ValueError, RecursionError):  # also a number of thousands of digits
        raise WrongUse(NO_OBJECT) from None
    if not isinstance(value, dict):
        raise WrongUse(NO_OBJECT)
    _check_depth(value)
    if "\\u" in text and not _is_text(value):
        raise WrongUse("the options hold half a character (a lone surrogate), which is not text")
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _check_depth(value: dict[str, Any]) -> None:
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) in (dict, list)
        ]
        if not level:
            return
    raise WrongUse(f"the options are nested too deeply: at most {DEEPEST} lists and tables inside each other")


def _is_text(value: Any) -> bool:
    """Half a character can be written as an escape, and fits into no record and no message."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
