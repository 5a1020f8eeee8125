"""The rules of Four in a Row; RULES.md beside this file tells them to people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Self

from referee.rules.chance import Chance
from referee.rules.game import Game, Result, Seat, Seats, Unreadable, ranks
from referee.rules.turns import OneAtATime
from referee.rules.views import common

COLUMNS, HEIGHT, WINS = 7, 6, 4
LINES = ((1, 0), (0, 1), (1, 1), (1, -1))


class FourInARowState(OneAtATime[int]):
    """One match: the discs of each column, lowest first. A move is a column."""

    players = 2

    def __init__(self) -> None:
        self.columns: list[list[Seat]] = [[] for _ in range(COLUMNS)]
        self.discs = 0
        self.winner: Seat | None = None
        self.news: list[dict[str, Any]] = []

    def turn(self) -> Seat | None:
        over = self.winner is not None or self.discs == COLUMNS * HEIGHT
        return None if over else self.discs % 2

    def moves(self) -> list[int]:
        return [column for column, discs in enumerate(self.columns) if len(discs) < HEIGHT]

    def make(self, move: int) -> None:
        seat = self.discs % 2
        self.columns[move].append(seat)
        self.discs += 1
        self.news = [{"kind": "dropped", "seat": seat, "column": move + 1}]
        if any(self._length(move, step) >= WINS for step in LINES):
            self.winner = seat
        if self.turn() is None:
            self.news.append({"kind": "ended"})

    def result(self) -> Result | None:
        return Result(ranks(self.scores()), tuple(self.scores())) if self.turn() is None else None

    def scores(self) -> list[int]:
        return [int(self.winner == seat) for seat in range(2)]

    def view(self, seat: Seat | None) -> dict[str, Any]:
        return common(self, seat, self.news) | {"columns": [list(column) for column in self.columns]}

    def parse(self, text: str) -> int:
        if found := re.fullmatch(r"\s*drop\s+([1-7])\s*", text):
            return int(found[1]) - 1
        raise Unreadable("a move is 'drop' with a column from 1 to 7")

    def format(self, move: int) -> str:
        return f"drop {move + 1}"

    def copy(self) -> Self:
        twin = type(self)()
        twin.columns = [column.copy() for column in self.columns]
        twin.discs, twin.winner, twin.news = self.discs, self.winner, self.news.copy()
        return twin

    def redealt(self, seat: Seat | None, chance: Chance) -> Self:
        return self.copy()  # all is open, and nothing is drawn

    def pieces(self) -> Mapping[str, int]:
        return {"disc": COLUMNS * HEIGHT}

    def _length(self, column: int, step: tuple[int, int]) -> int:
        """How many discs of one seat lie in a line through the top of a column."""
        own, row = self.columns[column][-1], len(self.columns[column]) - 1
        length = 1
        for sign in (1, -1):
            at, height = column + sign * step[0], row + sign * step[1]
            while 0 <= at < COLUMNS and 0 <= height < len(self.columns[at]) and self.columns[at][height] == own:
                length, at, height = length + 1, at + sign * step[0], height + sign * step[1]
        return length


class FourInARow(Game[int]):
    name = "four_in_a_row"
    title = "Four in a Row"
    version = 1
    seats = Seats(2, 2)
    draw_probability = 0.003

    def new(self, players: int, options: Mapping[str, Any], chance: Chance) -> FourInARowState:
        return FourInARowState()

    def bound(self, players: int, options: Mapping[str, Any]) -> int:
        return COLUMNS * HEIGHT
