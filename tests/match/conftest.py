"""A table with scripted players and a clock that is turned by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from referee.match.clock import Lag, TimeControl
from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending
from referee.rules import registry
from referee.rules.game import Game, Seat

SEED = bytes(32)


class Scripted:
    """A player that writes down what it hears and says only what the test makes it say."""

    def __init__(self, name: str, wants_legal: bool = True) -> None:
        self.name = name
        self.wants_legal = wants_legal
        self.seat: Seat | None = None
        self.questions: list[Question] = []
        self.rejections: list[Rejected] = []
        self.endings: list[Ending] = []

    def started(self, match: Match, seat: Seat) -> None:
        self.seat = seat

    def ask(self, question: Question) -> None:
        self.questions.append(question)

    def rejected(self, match: Match, rejected: Rejected) -> None:
        self.rejections.append(rejected)

    def ended(self, match: Match, ending: Ending) -> None:
        self.endings.append(ending)

    @property
    def question(self) -> Question:
        return self.questions[-1]


class Room:
    """One match, its players, the heartbeat and the time."""

    def __init__(self, game: Game[Any], players: list[Scripted], control: TimeControl, **more: Any) -> None:
        self.now = 1000.0
        self.lag = Lag()
        self.lag.beat(self.now)
        self.players = players
        options = game.resolve_options({})
        self.match = Match("m", game, players, options, SEED, control, lag=self.lag, **more)
        self.match.start()

    @property
    def asked(self) -> tuple[Seat, ...]:
        """The seats whose answer is awaited."""
        return tuple(seat for seat, player in enumerate(self.players) if self.is_asked(seat) and player.questions)

    def is_asked(self, seat: Seat) -> bool:
        player = self.players[seat]
        return bool(player.questions) and self.match.is_asked(seat, player.question.number)

    def send(self, seat: Seat) -> Question:
        """Put the present question on its way to the bot."""
        question = self.players[seat].question
        self.match.sent(seat, question.number, self.now)
        return question

    def wait(self, seconds: float, beats: bool = True) -> None:
        """Time passes, with the heartbeat in time (or, `beats=False`, with the referee asleep)."""
        until = self.now + seconds
        if beats:
            while self.now + self.lag.interval < until:
                self.now += self.lag.interval
                self._beat()
        self.now = until

    def wake(self) -> None:
        """The heartbeat, whenever it comes."""
        self._beat()

    def say(self, seat: Seat, text: str, number: int | None = None) -> None:
        """The bot answers its latest question (or another)."""
        number = self.players[seat].question.number if number is None else number
        self.match.answer(seat, number, text, self.now)

    def answer(self, seat: Seat, text: str | None = None, after: float = 0.0) -> None:
        """A whole turn: the question leaves, the bot thinks, the first legal move (or this text) arrives."""
        question = self.send(seat)
        self.wait(after)
        self.say(seat, question.legal[0] if text is None else text)

    def play_on(self, most: int = 20_000) -> Ending:
        """Everybody answers at once with the first legal move until the end."""
        for _ in range(most):
            if self.match.ending is not None:
                return self.match.ending
            for seat in self.asked:
                if self.is_asked(seat):
                    self.answer(seat)
        raise AssertionError("the match did not end")

    def views(self) -> list[bytes]:
        """Everything anybody may see."""
        state = self.match.table.state
        return [state.view_bytes(seat) for seat in (None, *range(len(self.players)))]

    def _beat(self) -> None:
        self.lag.beat(self.now)
        self.match.tick(self.now)


Sit = Callable[..., Room]


@pytest.fixture
def sit() -> Sit:
    def sit_down(game: str = "flip7", players: int = 3, control: TimeControl | None = None, **more: Any) -> Room:
        seats = [Scripted(f"bot{seat}") for seat in range(players)]
        return Room(registry.find(game), seats, control or TimeControl(1.0, 5.0, 3, 10.0), **more)

    return sit_down
