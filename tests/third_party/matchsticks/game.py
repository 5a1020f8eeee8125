"""The rules of Matchsticks; RULES.md beside this file tells them to people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from matchsticks.view_pb2 import EVENT_KIND_ENDED, EVENT_KIND_TOOK, Event, Taken, View
from referee.rules.chance import Chance, Label
from referee.rules.game import Game, Rejection, Result, Seat, Seats, Unreadable, ranks
from referee.rules.log import Log
from referee.rules.turns import OneAtATime
from referee.rules.views import common

HEAPS = range(10, 21)


class MatchsticksState(OneAtATime[int]):
    """One match: the heap and what was taken from it. A move is a number of sticks."""

    players = 2

    def __init__(self, heap: int) -> None:
        self.left = heap
        self.taken: list[int] = []
        self.log: Log[Event] = Log(2)

    def turn(self) -> Seat | None:
        return len(self.taken) % 2 if self.left else None

    def moves(self) -> range:
        return range(1, min(3, self.left) + 1)

    def make(self, move: int) -> None:
        seat = len(self.taken) % 2
        self.log.decided([seat])
        self.left -= move
        self.taken.append(move)
        self.log.add(Event(kind=EVENT_KIND_TOOK, seat=seat, sticks=move))
        if not self.left:
            self.log.add(Event(kind=EVENT_KIND_ENDED))

    def why_not(self, move: int) -> Rejection:
        return Rejection("too_many", f"there are only {self.left} sticks left")

    def result(self) -> Result | None:
        return None if self.left else Result(ranks(self.scores()), tuple(self.scores()))

    def scores(self) -> list[int]:
        last = (len(self.taken) - 1) % 2
        return [0 if self.left else int(seat == last) for seat in range(2)]

    def view(self, seat: Seat | None) -> View:
        taken = [Taken(seat=number % 2, sticks=sticks) for number, sticks in enumerate(self.taken)]
        return View(**common(self, seat, self.log.since(seat)), left=self.left, taken=taken)

    def parse(self, text: str) -> int:
        if found := re.fullmatch(r"\s*take\s+([1-3])\s*", text):
            return int(found[1])
        raise Unreadable("a move is 'take 1', 'take 2' or 'take 3'")

    def format(self, move: int) -> str:
        return f"take {move}"

    def copy(self) -> Self:
        twin = type(self)(self.left)
        twin.taken = self.taken.copy()
        twin.log = self.log.copy()
        return twin

    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        return self.copy()  # all is open, and nothing is drawn after the start

    def pieces(self) -> Mapping[str, int]:
        return {"stick": self.left + sum(self.taken)}


class Matchsticks(Game[int]):
    name = "matchsticks"
    title = "Matchsticks"
    version = 1
    seats = Seats(2, 2)
    labels: ClassVar[Mapping[str, Label]] = {"heap": Label("pick", "how many sticks there are", int)}
    draw_probability = 0.0  # the last stick has one owner

    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> MatchsticksState:
        return MatchsticksState(chance.pick("heap", HEAPS))

    def bound(self, players: int, options: Mapping[str, Any]) -> int:
        return max(HEAPS)
