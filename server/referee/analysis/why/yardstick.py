"""The yardstick: a house bot that plays all seats of a rollout, in this process and without a clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from arena.bots import Player
from arena.decision import Decision, Match
from referee.hosting.bot import folders
from referee.hosting.simulation import RANDOM, BotFault
from referee.rules.game import Game, Seat, State, Unreadable

USUAL = {"encore": "tidy", "flip7": "cautious", "stop": "frugal", "stop_me_go": "patient"}
"""The simple house bot of each game: quick, and better than nothing. A game without one is measured by `random`."""

ROLLOUTS = {"encore": 24, "flip7": 96, "stop": 48, "stop_me_go": 192}
"""Rollouts of a move unless said otherwise: as many as make a usual match a matter of half a minute on two cores."""
USUAL_ROLLOUTS = 64

BUDGET = 1.0
"""No clock runs here; a bot that plans by its budget is told one second."""


class Yardstick:
    """A house bot as a chooser of moves; what it answers depends on the view alone, or no two runs would agree."""

    def __init__(self, game: Game[Any], name: str) -> None:
        """WrongUse if there is no such bot, or none that plays this game in this process."""
        self.game = game
        self.name = name
        self._bot = folders.load(folders.find(name, game.name))
        self._players: list[Player] = []

    @classmethod
    def of(cls, game: Game[Any], name: str | None = None) -> Self:
        """The yardstick of that name, or the usual one of the game."""
        return cls(game, name or USUAL.get(game.name, RANDOM))

    def start(self, players: int) -> None:
        """A new match begins: a bot with a memory starts with an empty one."""
        self._players = [
            Player(self._bot, Match("rollout", self.game.name, seat, (self.name,) * players, {}, BUDGET))
            for seat in range(players)
        ]

    def choose(self, state: State[Any], seat: Seat) -> Any:
        """The move of a seat that is asked."""
        legal = state.legal(seat)
        if len(legal.moves) == 1 and legal.complete:
            return legal.moves[0]
        return self.choose_among(state, seat, [state.format(move) for move in legal.moves], legal.moves, legal.complete)

    def choose_among(
        self, state: State[Any], seat: Seat, texts: Sequence[str], moves: Sequence[Any], complete: bool = True
    ) -> Any:
        """The move of a seat that is shown only these moves."""
        player = self._players[seat]
        decision: Decision[Any] = Decision(
            player.match, 0, list(texts), lambda: state.view(seat), complete=complete, budget=BUDGET
        )
        try:
            text = player.decide(decision)
        except Exception as error:
            raise BotFault(f"the yardstick {self.name!r} raised {type(error).__name__}: {error}") from error
        if not isinstance(text, str):
            raise BotFault(f"the yardstick {self.name!r} answered {text!r}, which is no text: name another --yardstick")
        if text in texts:
            return moves[texts.index(text)]
        return self._judged(state, seat, text)

    def _judged(self, state: State[Any], seat: Seat, text: str) -> Any:
        """A move that is not on the list, where the list is not all that is legal."""
        try:
            move = state.parse(text)
        except Unreadable as error:
            raise BotFault(f"the yardstick {self.name!r} answered {text!r}, which cannot be read: {error}") from None
        if rejection := state.check(seat, move):
            raise BotFault(f"the yardstick {self.name!r} answered {text!r}, which is illegal: {rejection.message}")
        return move

    def moves(self, state: State[Any]) -> dict[Seat, Any]:
        """The moves of all seats that are asked."""
        return {seat: self.choose(state, seat) for seat in state.pending()}
