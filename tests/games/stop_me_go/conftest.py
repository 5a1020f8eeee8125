"""Tables of STOP me GO in the middle of a match, for the tests of this game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from arena.games.stop_me_go.v1 import stop_me_go_pb2 as pb
from referee.games.stop_me_go import GAME
from referee.games.stop_me_go.moves import Move
from referee.games.stop_me_go.state import StopMeGoState
from referee.rules.chance import Scripted

CARDS: dict[str, Move] = {"g": "go", "s": "stop"}


class Match:
    """A match with scripted chance; `put("sgg")` is one intervention, a letter per seat."""

    def __init__(self, players: int, options: dict[str, Any], **chance: list[Any]) -> None:
        chance_of_match = Scripted(chance, GAME.labels, b"match")
        state = GAME.start(players, options, chance=chance_of_match)
        assert isinstance(state, StopMeGoState)
        self.state = state

    def put(self, *interventions: str) -> None:
        for cards in interventions:
            moves = {seat: CARDS[card] for seat, card in enumerate(cards)}
            for seat, move in moves.items():
                assert self.state.check(seat, move) is None
            self.state.play(moves)


NewMatch = Callable[..., Match]
Midgame = Callable[[int, int, int], StopMeGoState]
Told = Callable[[pb.View], list[tuple[object, ...]]]


@pytest.fixture(scope="session")
def new_match() -> NewMatch:
    def start(players: int, options: dict[str, Any] | None = None, **chance: list[Any]) -> Match:
        return Match(players, options or {}, **chance)

    return start


def stopped(luck: Random, boldness: float, moves: Sequence[Move]) -> Move:
    """A card for an agent who plays `stop` with this probability while he can."""
    return moves[-1] if luck.random() < boldness else moves[0]


@pytest.fixture(scope="session")
def midgame() -> Midgame:
    def play(players: int, seed: int, decisions: int) -> StopMeGoState:
        """A state after so many decisions of random agents, or where the match ended before."""
        luck = Random(seed)
        boldness = luck.choice((0.02, 0.1, 0.3, 0.5))
        state = GAME.start(players, seed=b"%d" % seed)
        assert isinstance(state, StopMeGoState)
        for _ in range(decisions):
            if not state.pending():
                break
            state.play({seat: stopped(luck, boldness, state.legal(seat).moves) for seat in state.pending()})
        return state

    return play


@pytest.fixture(scope="session")
def told() -> Told:
    def tell(view: pb.View) -> list[tuple[object, ...]]:
        """Kind without its prefix, gangster, seat and stops; for the start of a round its number."""
        seen: list[tuple[object, ...]] = []
        for event in view.events:
            kind = pb.EventKind.Name(event.kind).removeprefix("EVENT_KIND_")
            if event.round:
                seen.append((kind, event.round))
            else:
                seen.append((kind, event.gangster, event.seat if event.HasField("seat") else None, list(event.stops)))
        return seen

    return tell
