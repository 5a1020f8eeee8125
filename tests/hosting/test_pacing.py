"""How much a bot is asked at once, and how much it may say unasked."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.hosting.pacing import FLOOD_ALLOWANCE, FLOOD_PER_SECOND, MOST_OUT, Allowance, Window


@given(latencies=st.lists(st.floats(0, 3), max_size=60))
@settings(max_examples=50)
def test_a_bot_is_always_asked_something_and_never_too_much(latencies: list[float]) -> None:
    window = Window()
    for seconds in latencies:
        window.answered(seconds, limit=1.0)
        assert 1 <= window.size <= MOST_OUT


def test_quick_answers_widen_the_window_and_slow_ones_narrow_it() -> None:
    window = Window()
    for _ in range(5):
        window.answered(0.001, limit=1.0)
    assert window.size == 32
    window.answered(0.3, limit=1.0)
    assert window.size == 32
    window.answered(0.9, limit=1.0)
    assert window.size == 16


@given(gaps=st.lists(st.floats(0, 0.1), min_size=1, max_size=3000))
@settings(max_examples=30)
def test_whoever_is_given_up_has_said_more_than_was_allowed(gaps: list[float]) -> None:
    allowance, now = Allowance(0.0), 0.0
    for spent, gap in enumerate(gaps, start=1):
        now += gap
        if not allowance.spend(now):
            assert spent > FLOOD_ALLOWANCE
            return
    assert len(gaps) <= FLOOD_ALLOWANCE + now * FLOOD_PER_SECOND + 1


def test_lines_in_the_long_run_are_free_up_to_a_rate() -> None:
    allowance = Allowance(0.0)
    assert all(allowance.spend(number / FLOOD_PER_SECOND) for number in range(5000))
    assert not all(allowance.spend(50.0) for _ in range(int(FLOOD_ALLOWANCE) + 2))
