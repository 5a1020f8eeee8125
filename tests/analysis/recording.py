"""Recorded matches for tests: played by scripted seats through a real `Match`, with everything that may go wrong."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from referee.analysis.replay import RecordedMatch, read_match
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending
from referee.rules import registry
from referee.rules.game import Seat

Decide = Callable[[Question], str]


def last(question: Question) -> str:
    return question.legal[-1]


def varied(question: Question) -> str:
    """Another move from question to question, so that a match is not the dullest there is."""
    return question.legal[(7 * question.number + question.seat) % len(question.legal)]


class Seated:
    """A player that keeps every question it was asked, and answers when the test says so."""

    wants_legal = True

    def __init__(self, name: str, decide: Decide) -> None:
        self.name = name
        self.decide = decide
        self.asked: list[Question] = []
        self.waiting: deque[Question] = deque()
        self.endings: list[Ending] = []

    def started(self, match: Match, seat: Seat) -> None: ...

    def ask(self, question: Question) -> None:
        self.asked.append(question)
        self.waiting.append(question)

    def rejected(self, match: Match, rejected: Rejected) -> None:
        if rejected.question is not None:
            self.waiting.append(rejected.question)

    def ended(self, match: Match, ending: Ending) -> None:
        self.endings.append(ending)


def answer_all(players: Sequence[Seated], seconds: float = 0.01) -> None:
    """Let all players answer until none is asked any more."""
    now = 100.0
    while any(player.waiting for player in players):
        for player in players:
            while player.waiting:
                question = player.waiting.popleft()
                question.match.sent(question.seat, question.number, now)
                now += seconds
                question.match.answer(question.seat, question.number, player.decide(question), now)


def played(
    game: str, players: Sequence[Seated], control: TimeControl | None = None, seconds: float = 0.01
) -> tuple[Match, RecordedMatch]:
    """A whole match, and what is written down of it."""
    chosen = registry.find(game)
    match = Match("league/3", chosen, players, chosen.resolve_options(), bytes(range(32)), control, tournament="league")
    match.start()
    answer_all(players, seconds)
    return match, read_match(match.record())


def seated(count: int, decide: Decide = varied) -> list[Seated]:
    return [Seated(f"bot-{seat}", decide) for seat in range(count)]
