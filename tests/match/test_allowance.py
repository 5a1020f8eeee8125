"""How much a bot may say unasked."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.match.allowance import UNASKED_AT_ONCE, UNASKED_PER_SECOND, Allowance


@given(gaps=st.lists(st.floats(0, 0.1), min_size=1, max_size=3000))
@settings(max_examples=30)
def test_whoever_is_given_up_has_said_more_than_was_allowed(gaps: list[float]) -> None:
    allowance, now = Allowance.of_a_bot(0.0), 0.0
    for spent, gap in enumerate(gaps, start=1):
        now += gap
        if not allowance.spend(1, now):
            assert spent > UNASKED_AT_ONCE
            return
    assert len(gaps) <= UNASKED_AT_ONCE + now * UNASKED_PER_SECOND + 1


def test_lines_in_the_long_run_are_free_up_to_a_rate() -> None:
    allowance = Allowance.of_a_bot(0.0)
    assert all(allowance.spend(1, number / UNASKED_PER_SECOND) for number in range(5000))
    assert not all(allowance.spend(1, 50.0) for _ in range(int(UNASKED_AT_ONCE) + 2))
