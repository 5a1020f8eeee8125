"""What a person gives on the command line, read into what a game wants."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from referee.cli.errors import wrong_use


def read_options(words: Sequence[str]) -> dict[str, Any]:
    """`key=value` words; a value is read as JSON where it is JSON (numbers, lists) and is a plain text otherwise."""
    options: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        key = key.strip()
        if not equals or not key:
            wrong_use(f"cannot read the option {word!r}; options are written KEY=VALUE")
        if key in options:
            wrong_use(f"the option {key!r} is given twice")
        try:
            options[key] = json.loads(text)
        except ValueError:
            options[key] = text.strip()
    return options


def read_bots(text: str) -> list[str]:
    """Names of bots between commas."""
    bots = [name.strip() for name in text.split(",")]
    if not all(bots):
        wrong_use(f"cannot read --bots {text!r}; names of bots are written with commas between them")
    return bots
