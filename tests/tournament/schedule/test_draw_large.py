"""The draw of many entrants: computed with numpy, and the same tables to the last seat."""

from __future__ import annotations

import random

import pytest

from referee.tournament.schedule import Pairing, balanced, draw
from referee.tournament.schedule.draw import MeetingHistory


def history(n: int, k: int, seed: str) -> MeetingHistory:
    """Some rounds in which not everybody plays, so that matches and meetings differ."""
    past, drawn = MeetingHistory(n, k), random.Random(seed)
    for _ in range(drawn.randrange(1, 6)):
        order = drawn.sample(range(n), drawn.randrange(k, n))
        past.play([order[at : at + k] for at in range(0, len(order) - k + 1, k)])
    return past


@pytest.mark.parametrize("seed", range(12))
def test_many_entrants_are_drawn_as_few_are(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    drawn = random.Random(seed)
    n, k = drawn.randrange(7, 60), drawn.randrange(2, 6)
    tables = drawn.randrange(1, n // k + 1)
    past = history(n, k, str(seed))
    slowly = past.draw(seed, tables)
    assert isinstance(past._weights(), list)
    monkeypatch.setattr(draw, "LARGE", 2)
    assert not isinstance(past._weights(), list)
    assert past._weights().tolist() == history(n, k, str(seed))._weights().tolist()
    assert past.draw(seed, tables) == slowly


def test_a_schedule_is_the_same_on_both_sides_of_the_border(monkeypatch: pytest.MonkeyPatch) -> None:
    def schedule() -> list[Pairing]:
        return balanced(draw.LARGE + 5, 4, 3)

    large = draw.LARGE
    with_numpy = schedule()
    monkeypatch.setattr(draw, "LARGE", 10_000)
    assert balanced(large + 5, 4, 3) == with_numpy


def test_weights_too_large_for_an_array_are_drawn_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    past = MeetingHistory(8, 4)
    past.play([[0, 1, 2, 3], [4, 5, 6, 7]])
    past.meetings[0][1] = past.meetings[1][0] = 10**8
    slowly = past.draw(2, 2)
    monkeypatch.setattr(draw, "LARGE", 2)
    assert isinstance(past._weights(), list)
    assert past.draw(2, 2) == slowly
