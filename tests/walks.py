"""The walks through the program in `server/README.md`, as data."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

SERVER = Path(__file__).parents[1] / "server"
PAGE = (SERVER / "README.md").read_text(encoding="utf-8")
WALKS = PAGE[PAGE.index("## Three walks") : PAGE.index("## What a stranger may send")]


class Step(NamedTuple):
    """A line of a walk: a file below `server/referee/`, and what to look for in it."""

    file: str
    names: tuple[str, ...]


def steps_in(text: str) -> list[Step]:
    found = re.findall(r"`([a-z_/]+\.py)` ((?:`\w+`(?:, and )?)+)", text)
    return [Step(file, tuple(re.findall(r"`(\w+)`", names))) for file, names in found]


def _between(start: str, end: str) -> list[Step]:
    text = WALKS[WALKS.index(start) :]
    return steps_in(text[: text.index(end)])


IN = _between("A decision over the network, in:", "And out,")
OUT = _between("And out,", "A decision of a hosted bot")
