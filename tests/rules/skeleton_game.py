"""The game that `referee new-game` makes, as a module for tests: as it is, or with a mistake in it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any, NamedTuple

from referee.cli.main import main
from referee.rules.game import Game


class Edit(NamedTuple):
    """A change that an author could make: in this file, this text becomes that one."""

    file: str
    old: str
    new: str


def make(folder: Path, name: str, edits: Sequence[Edit] = ()) -> Game[Any]:
    """The game of a fresh skeleton under a name that was not used before, after some edits."""
    assert main(["new-game", name, str(folder / name)]) == 0
    package = folder / name / name
    for edit in edits:
        path = package / edit.file
        text = path.read_text()
        assert text.count(edit.old) == 1, f"{edit.old!r} is not (or not once) in {edit.file}"
        path.write_text(text.replace(edit.old, edit.new))
    sys.path.insert(0, str(folder / name))
    invalidate_caches()
    try:
        game: Game[Any] = import_module(name).GAME
    finally:
        sys.path.remove(str(folder / name))
    return game
