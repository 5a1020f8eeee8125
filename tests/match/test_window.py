"""How much a bot is asked at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.match.window import MOST, Window


def serve(window: Window, waiting: int, seconds: float, limit: float, frames: int) -> float:
    """Ask a bot that answers one question after the other, and all of a frame together; the longest wait seen."""
    now, worst = 0.0, 0.0
    for _ in range(frames):
        count = min(waiting, window.room(0))
        window.sent(now, limit)
        now += count * seconds
        worst = max(worst, count * seconds)
        for _ in range(count):
            window.answered(now)
    return worst


def test_the_first_question_goes_alone() -> None:
    assert Window().room(0) == 1


def test_a_quick_bot_is_soon_asked_everything_at_once() -> None:
    window = Window()
    serve(window, 128, 0.00005, 1.0, 6)
    assert window.room(0) >= 128


@given(st.integers(2, 500), st.floats(0.0001, 0.4))
def test_no_question_waits_longer_than_the_limit_in_the_queue_of_a_steady_bot(waiting: int, seconds: float) -> None:
    assert serve(Window(), waiting, seconds, 1.0, 30) <= 1.0


def test_a_bot_that_becomes_slow_is_asked_less() -> None:
    window = Window()
    serve(window, 1000, 0.0001, 1.0, 10)
    serve(window, 1000, 0.1, 1.0, 1)
    assert 1 <= window.room(0) <= 5


def test_a_bot_that_thinks_about_many_at_once_is_asked_more_and_more() -> None:
    window = Window()
    now = 0.0
    for _ in range(8):
        count = window.room(0)
        window.sent(now, 1.0)
        now += 0.1  # however many
        for _ in range(count):
            window.answered(now)
    assert window.room(0) >= 64


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 10)), max_size=60))
def test_a_window_is_never_shut_and_never_beyond_bounds(events: list[tuple[bool, float]]) -> None:
    window = Window()
    now = 0.0
    for sent, later in events:
        now += later
        if sent:
            window.sent(now, 0.0 if later < 1 else 1.0)
        else:
            window.answered(now)
        assert 1 <= window.room(0) <= MOST
