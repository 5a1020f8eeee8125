"""A test double of a game that refuses one legal move, to see how a bot handles a rejection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from referee.rules.chance import Chance
from referee.rules.game import Game, Rejection, Seat, State

REFUSED = Rejection("refused_once", "this move is refused once, to see what the bot does; answer again, even the same")


class RefusingGame(Game[Any]):
    """Another game in every respect, but the first legal move of one seat is refused."""

    def __init__(self, game: Game[Any], seat: Seat) -> None:
        kind = cast(Any, self)
        same = ("name", "title", "version", "seats", "options", "labels", "draw_probability", "draws_by_players")
        for attribute in same:
            setattr(kind, attribute, getattr(game, attribute))
        self._game = game
        self._seat = seat

    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> State[Any]:
        return cast(State[Any], _RefusingState(self._game.new(players, options, chance), self._seat))

    def bound(self, players: int, options: Mapping[str, Any]) -> int:
        return self._game.bound(players, options)


class _RefusingState:
    def __init__(self, state: State[Any], seat: Seat) -> None:
        self._state = state
        self._seat = seat
        self._refused = False

    def check(self, seat: Seat, move: Any) -> Rejection | None:
        rejection = self._state.check(seat, move)
        if rejection is None and seat == self._seat and not self._refused:
            self._refused = True
            return REFUSED
        return rejection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state, name)
