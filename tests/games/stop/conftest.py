"""Positions of STOP! to start a test from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from referee.games.stop import GAME
from referee.games.stop.state import StopState
from referee.rules.chance import Scripted

Deal = Callable[..., StopState]


@pytest.fixture
def deal() -> Deal:
    """Start a match whose decks begin with the given cards, top first; the red token is at seat 0 or `first`."""

    def start(*decks: str, first: int = 0, **script: list[Any]) -> StopState:
        outcomes: Mapping[str, list[Any]] = {"first": [first], "decks": [deck.split() for deck in decks], **script}
        return GAME.new(len(decks), {}, Scripted(outcomes, GAME.labels, b"tests"))

    return start


@pytest.fixture
def act() -> Callable[..., None]:
    """Play one decision: the given seats act (`s1="stop"`), the other asked seats wait or pass."""

    def one(state: StopState, **texts: str) -> None:
        moves = {seat: state.fallback(seat) for seat in state.pending()}
        for name, text in texts.items():
            seat = int(name[1:])
            assert seat in moves
            move = state.parse(text)
            assert state.check(seat, move) is None
            moves[seat] = move
        state.play(moves)

    return one


@pytest.fixture
def bury() -> Callable[[StopState, int], None]:
    """Take a player's deck out of the game, so that he holds all he owns."""

    def empty(state: StopState, seat: int) -> None:
        state.gone += sum(state.decks[seat])
        state.decks[seat] = []
        state.owned[seat] = state.hands[seat]

    return empty
