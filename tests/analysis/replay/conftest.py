"""Recorded matches to look at: played by players that do as a script says, with a clock turned by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from referee.analysis.replay import RecordedMatch, read_match
from referee.match.match import Match
from referee.match.player import Question
from referee.rules import registry
from referee.rules.game import Seat, seed_bytes
from referee.rules.playout import playout, random_chooser

GAMES = ("encore", "flip7", "stop", "stop_me_go")


class Table:
    """A match whose players answer at once, each answer taking as many milliseconds as there were before it."""

    def __init__(self, game: str, names: list[str]) -> None:
        self.now = 100.0
        self.asked: list[Question] = []
        self.numbers: dict[tuple[Seat, int], int] = {}
        """By seat and decision, the number of the question."""
        found = registry.find(game)
        players: Any = [Quiet(name, self) for name in names]
        self.match = Match("league/3", found, players, found.resolve_options({}), bytes(32))
        self.match.start()

    def next(self) -> Question:
        """The oldest question that is open, on its way to the bot."""
        while not self.asked[0].open:
            self.asked.pop(0)
        question = self.asked.pop(0)
        self.numbers[question.seat, self.match.table.decisions] = question.number
        question.left(self.now)
        return question

    def answer(self, question: Question, text: str, ms: int) -> bool:
        self.now += ms / 1000
        return self.match.answer(question.seat, question.number, text, self.now)

    def play_on(self) -> bytes:
        """The rest of the match: some legal move, after 5 ms; returns the record."""
        while self.match.ending is None:
            question = self.next()
            self.answer(question, question.legal[0 if question.number % 5 < 3 else -1], 5)
        return self.match.record()


class Quiet:
    """A player that leaves everything to the table."""

    wants_legal = True

    def __init__(self, name: str, table: Table) -> None:
        self.name = name
        self._table = table

    def started(self, match: Match, seat: Seat) -> None: ...

    def ask(self, question: Question) -> None:
        self._table.asked.append(question)

    def rejected(self, match: Match, rejected: object) -> None: ...

    def ended(self, match: Match, ending: object) -> None: ...


@pytest.fixture
def troubled() -> tuple[bytes, Table]:
    """A match of Flip 7 in which cy tries two moves that are none, and bob resigns at his second decision."""
    table = Table("flip7", ["ada", "bob", "cy"])
    for ms in (7, 11):
        table.answer(table.next(), "hit", ms)
    question = table.next()
    table.answer(question, "dance", 1)
    table.answer(question, "target 1", 2)
    table.answer(question, "hit", 30)
    while (question := table.next()).seat != 1:
        table.answer(question, "stay", 5)
    table.match.resign(1, "had enough")
    return table.play_on(), table


Played = Callable[..., RecordedMatch]


@pytest.fixture
def played() -> Played:
    """A match between players that choose at random, read from its bare record."""

    return _played


@cache
def _played(name: str, players: int = 3) -> RecordedMatch:
    game, seed = registry.find(name), seed_bytes(1)
    choosers = [random_chooser(seed, seat) for seat in range(players)]
    return read_match(playout(game, players, game.resolve_options(), seed, choosers).record.to_bytes())
