"""Time at the table: limits, banks, and the referee's own lag."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.match.clock import Lag, TimeControl
from referee.match.result import Termination

from .conftest import Sit


def test_thinking_within_the_limit_costs_nothing(sit: Sit) -> None:
    room = sit()
    seat = room.asked[0]
    room.answer(seat, after=0.99)
    room.play_on()
    assert all(question.bank == 5.0 for question in room.players[seat].questions)


def test_time_beyond_the_limit_drains_the_bank(sit: Sit) -> None:
    room = sit()
    seat = room.asked[0]
    room.answer(seat, after=3.5)
    while not room.is_asked(seat):
        room.answer(room.asked[0])
    assert room.players[seat].question.bank == pytest.approx(2.5)
    assert room.players[seat].question.budget == 1.0


def test_the_clock_starts_when_the_question_leaves(sit: Sit) -> None:
    room = sit()
    seat = room.asked[0]
    room.wait(60)  # the question waits with the referee
    room.answer(seat, after=0.5)
    assert room.match.transcript.seats[seat].times_ms == [500]
    assert room.match.ending is None


def test_an_empty_bank_forfeits_at_the_next_heartbeat(sit: Sit) -> None:
    room = sit()
    seat = room.asked[0]
    room.send(seat)
    room.wait(5.95)
    assert room.is_asked(seat)
    room.wait(0.2)
    assert not room.is_asked(seat)
    ending = room.play_on()
    assert ending.terminations[seat] is Termination.TIMEOUT
    assert "1 s allowed" in ending.texts[seat]


def test_an_answer_after_the_bank_is_empty_is_late_even_before_the_heartbeat_sees_it(sit: Sit) -> None:
    room = sit()
    seat = room.asked[0]
    room.send(seat)
    room.wait(5.99)
    room.now += 0.02
    room.say(seat, "hit")
    assert room.players[seat].rejections[-1].kind.value == "late"
    assert room.play_on().terminations[seat] is Termination.TIMEOUT


def test_a_rejected_move_leaves_the_clock_running(sit: Sit) -> None:
    room = sit()
    seat = room.asked[0]
    room.send(seat)
    room.wait(0.6)
    room.say(seat, "fold")
    room.wait(0.6)
    room.say(seat, "hit")
    assert room.match.transcript.seats[seat].times_ms == [1200]


def test_the_bank_is_one_per_seat_and_match(sit: Sit) -> None:
    room = sit(control=TimeControl(1.0, 5.0))
    first = room.asked[0]
    room.answer(first, after=4.0)
    second = room.asked[0]
    assert second != first
    assert room.players[second].question.bank == 5.0


def test_lag_of_the_referee_is_not_charged(sit: Sit) -> None:
    room = sit(control=TimeControl(1.0, 0.0))
    seat = room.asked[0]
    room.send(seat)
    room.wait(0.5)
    room.wait(0.9, beats=False)  # the referee sleeps
    room.wake()
    room.wait(0.3)
    room.say(seat, "hit")
    assert room.match.transcript.seats[seat].seconds == pytest.approx(0.8, abs=0.1)
    assert room.play_on().terminations[seat] is Termination.FINISHED


def test_small_delays_in_the_middle_of_a_thought_are_no_gift(sit: Sit) -> None:
    room = sit(control=TimeControl(1.0, 0.0))
    seat = room.asked[0]
    room.send(seat)
    for _ in range(10):  # a busy machine: the heartbeat comes a tenth of a second late again and again
        room.wait(0.1, beats=False)
        room.wake()
    room.wait(0.2)
    room.say(seat, "hit")
    assert room.play_on().terminations[seat] is Termination.TIMEOUT


def test_a_small_delay_just_before_the_answer_is_read_is_not_charged(sit: Sit) -> None:
    room = sit(control=TimeControl(1.0, 0.0))
    seat = room.asked[0]
    room.send(seat)
    room.wait(0.95)
    room.wait(0.15, beats=False)  # the answer came in this time, and was read only after the heartbeat
    room.wake()
    room.say(seat, "hit")
    assert room.play_on().terminations[seat] is Termination.FINISHED


def test_lag_that_still_goes_on_counts_too(sit: Sit) -> None:
    room = sit(control=TimeControl(1.0, 0.0))
    seat = room.asked[0]
    room.send(seat)
    room.wait(1.9, beats=False)
    room.say(seat, "hit")  # read at once after waking up, before the heartbeat
    assert room.play_on().terminations[seat] is Termination.FINISHED


def test_with_much_lag_a_decision_is_void_and_asked_again_under_a_new_number(sit: Sit) -> None:
    room = sit()
    seat = room.asked[0]
    old = room.send(seat)
    room.wait(20, beats=False)
    room.wake()
    new = room.players[seat].question
    assert (new.number != old.number, new.again, new.view, new.bank) == (True, True, old.view, 5.0)
    room.send(seat)
    room.say(seat, "hit", old.number)
    assert room.players[seat].rejections[-1].kind.value == "stale"
    assert room.match.transcript.seats[seat].strikes == 0
    room.say(seat, "hit", new.number)
    assert room.play_on().terminations[seat] is Termination.FINISHED
    assert ["asked_again", 0, seat, "the referee was late"] in room.match.transcript.events


def test_a_silent_bot_forfeits_in_the_end_however_late_the_referee_is(sit: Sit) -> None:
    room = sit()
    seat = room.asked[0]
    for _ in range(10):
        if not room.is_asked(seat):
            break
        room.send(seat)
        room.wait(2, beats=False)
        room.wait(10)
    assert room.play_on().terminations[seat] is Termination.TIMEOUT


def test_a_decision_within_its_bank_is_not_void_because_somebody_elses_time_is_up(sit: Sit) -> None:
    room = sit("stop_me_go", 2, TimeControl(1.0, 5.0))
    room.send(0)
    room.wait(4)
    room.send(1)
    room.wait(1.5, beats=False)
    room.wait(3)  # seat 0 is asked again, seat 1 is within its bank
    assert len(room.players[0].questions) == 2
    assert len(room.players[1].questions) == 1


SPAN = st.integers(1, 400).map(lambda hundredths: hundredths / 100)


@given(st.lists(SPAN, min_size=1, max_size=30), st.data())
def test_lag_is_what_of_a_span_the_heartbeat_was_late(gaps: list[float], data: st.DataObject) -> None:
    """Against a plain model: every late heartbeat makes its span of lag, and lag is the overlap with those spans."""
    lag = Lag(0.25)
    now, spans = 0.0, []
    lag.beat(now)
    for gap in gaps:
        if gap > 0.5:
            spans.append((now + 0.25, now + gap))
        now += gap
        lag.beat(now)
    moments = st.integers(0, int(now * 100) + 20).map(lambda hundredths: hundredths / 100)
    since, until = sorted((data.draw(moments), data.draw(moments)))
    expected = sum(max(0.0, min(until, end) - max(since, begin)) for begin, end in spans)
    assert lag.between(since, until) == pytest.approx(expected)
    assert 0 <= lag.between(since, until) <= until - since + 1e-9


def test_lag_keeps_a_bounded_memory_of_the_past() -> None:
    lag = Lag(0.25)
    for number in range(10_000):
        lag.beat(float(number))
    assert len(lag._ends) <= 4097
    assert lag.between(9990.0, 9999.0) == pytest.approx(9 * 0.75)
