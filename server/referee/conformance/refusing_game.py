"""A game that refuses one good move, to see what a bot does when it is told no."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from referee.rules.chance import Chance
from referee.rules.game import Game, Rejection, Seat, State

REFUSED = Rejection("refused_once", "this move is refused once, to see what the bot does; answer again, even the same")


class ContraryGame(Game[Any]):
    """Another game in every respect, but the first legal move of one seat is refused."""

    def __init__(self, game: Game[Any], seat: Seat) -> None:
        kind = cast(Any, self)
        for attribute in ("name", "title", "version", "seats", "options", "labels", "draw_probability"):
            setattr(kind, attribute, getattr(game, attribute))
        self._game = game
        self._seat = seat

    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> State[Any]:
        return cast(State[Any], _ContraryState(self._game.new(players, options, chance), self._seat))

    def bound(self, players: int, options: Mapping[str, Any]) -> int:
        return self._game.bound(players, options)


class _ContraryState:
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
