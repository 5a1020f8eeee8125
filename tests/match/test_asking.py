"""Which questions may leave to a bot, and what an answer or a rejection changes about that."""

from __future__ import annotations

import pytest

from referee.match.asking import STRAGGLERS_AFTER, Asking
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Question
from referee.rules import registry

from .conftest import Scripted


@pytest.fixture
def match() -> Match:
    game = registry.find("stop_me_go")
    players = [Scripted("ada"), Scripted("bob")]
    return Match("table/1", game, players, game.resolve_options({}), bytes(32), TimeControl(1.0, 1.0))


@pytest.fixture
def asking() -> Asking:
    return Asking(lambda seconds: None)


def question(match: Match, number: int) -> Question:
    return Question(match, 0, number, b"", [], True, 1.0, 1.0)


def leave(asking: Asking, now: float) -> list[int]:
    taken = asking.take(now)
    if taken:
        asking.sent(taken, now)
    return [question.number for question in taken]


def test_the_next_question_leaves_when_the_one_before_is_answered(asking: Asking, match: Match) -> None:
    for number in (1, 2):
        asking.put(question(match, number))
    assert leave(asking, 0.0) == [1]
    assert leave(asking, 0.01) == []
    assert asking.answered(match.id, 1, 0.01) is not None
    assert leave(asking, 0.01) == [2]


def test_an_answer_to_a_question_that_is_not_out_is_none(asking: Asking, match: Match) -> None:
    asking.put(question(match, 1))
    assert asking.answered(match.id, 1, 0.0) is None


def test_a_rejected_answer_leaves_everything_as_it_was(asking: Asking, match: Match) -> None:
    asked = [question(match, number) for number in range(1, 8)]
    for one in asked:
        asking.put(one)
    assert leave(asking, 0.0) == [1]
    assert asking.answered(match.id, 1, 0.01) is asked[0]
    assert leave(asking, 0.01) == [2, 3, 4, 5]
    for _ in range(3):
        assert asking.answered(match.id, 2, 0.02) is asked[1]
        asking.returned(asked[1])
        asking.returned(asked[1])  # it is there already
    assert len(asking.out) == 4
    size = asking.window.size
    assert leave(asking, 0.02 + STRAGGLERS_AFTER) == []
    assert asking.window.size == size


def test_a_question_that_needs_no_answer_any_more_does_not_leave(asking: Asking, match: Match) -> None:
    first, second = question(match, 1), question(match, 2)
    asking.put(first)
    first.open = False
    asking.put(second)
    assert leave(asking, 0.0) == []  # the window is one question wide
    assert leave(asking, 0.0) == [2]
