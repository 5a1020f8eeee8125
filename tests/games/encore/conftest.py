"""Shared by the tests of Encore: another sheet, and matches played at random."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.games.encore import GAME
from referee.games.encore.state import EncoreState

HARLEQUIN = Path(__file__).parents[2] / "scenarios" / "encore" / "harlequin_sheet.json"

Moments = Callable[..., Iterator[EncoreState]]


@pytest.fixture(scope="session")
def harlequin() -> dict[str, Any]:
    """The content of a sheet that differs from the standard one in everything it may."""
    content: dict[str, Any] = json.loads(HARLEQUIN.read_text(encoding="utf-8"))
    return content


@pytest.fixture(scope="session")
def moments() -> Moments:
    """Every moment of a random match, the first and the last included; the state is the live one."""

    def play(players: int, seed: int, options: dict[str, Any] | None = None) -> Iterator[EncoreState]:
        dice = Random(seed)
        state = GAME.start(players, options, seed.to_bytes(4, "big"))
        assert isinstance(state, EncoreState)
        yield state
        while asked := state.pending():
            state.play({seat: dice.choice(state.legal(seat).moves) for seat in asked})
            yield state

    return play
