"""The position of a match whose game failed at the very start: nobody is asked, and nothing can be seen or played.

So a match that never began has a table, a record and an end like any other that is void.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from referee.rules.chance import Chance
from referee.rules.game import NOT_ASKED, Legal, Rejection, Result, Seat, State, Unreadable
from referee.rules.views import View


class Unstarted(State[Any]):
    """What stands in for the state that the game did not make."""

    def __init__(self, players: int) -> None:
        self.players = players

    def pending(self) -> tuple[Seat, ...]:
        return ()

    def result(self) -> Result | None:
        return None

    def legal(self, seat: Seat) -> Legal[Any]:
        return Legal(())

    def check(self, seat: Seat, move: Any) -> Rejection | None:
        return NOT_ASKED

    def play(self, moves: Mapping[Seat, Any]) -> None: ...

    def view(self, seat: Seat | None) -> View:
        return {}

    def fallback(self, seat: Seat) -> Any:
        return ""

    def scores(self) -> list[int]:
        return [0] * self.players

    def copy(self) -> Self:
        return self

    def parse(self, text: str) -> Any:
        raise Unreadable("the match did not begin")

    def format(self, move: Any) -> str:
        return str(move)

    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        return self

    def pieces(self) -> Mapping[str, int]:
        return {}
