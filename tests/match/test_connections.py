"""Clocks and grace of a bot whose connection breaks: being away costs grace, thinking costs time."""

from __future__ import annotations

import pytest

from referee.match.clock import TimeControl
from referee.match.match import MOST_EVENTS
from referee.match.result import Termination

from .conftest import Sit


def test_a_bot_that_comes_back_in_time_is_asked_the_same_again(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    question = room.send(seat)
    room.wait(0.4)
    room.match.away(seat, room.now)
    room.wait(8)
    room.match.back(seat, room.now)
    again = room.players[seat].question
    assert (again.number, again.view, again.legal, again.again) == (
        question.number,
        question.view,
        question.legal,
        True,
    )
    assert again.budget == pytest.approx(0.6)
    room.answer(seat, after=0.3)
    assert room.match.transcript.seats[seat].times_ms == [700]
    assert ["asked_again", 0, seat, "reconnected"] in room.match.transcript.events


def test_what_the_bank_holds_is_told_after_a_reconnect(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.send(seat)
    room.wait(3)
    room.match.away(seat, room.now)
    room.match.back(seat, room.now)
    assert room.players[seat].question.budget == 0.0
    assert room.players[seat].question.bank == pytest.approx(3.0)


def test_an_answer_may_come_on_the_new_stream_before_the_question_is_repeated(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.send(seat)
    room.match.away(seat, room.now)
    room.match.back(seat, room.now)
    room.say(seat, "hit")
    assert room.players[seat].rejections == []
    assert not room.is_asked(seat)


def test_the_clock_of_a_seen_question_runs_as_soon_as_the_bot_is_back_even_if_it_is_not_repeated_yet(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.send(seat)
    room.wait(0.4)
    room.match.away(seat, room.now)
    room.match.back(seat, room.now)
    room.wait(2.0)  # the repeated question waits in some queue; the bot knows it already
    room.say(seat, "hit")
    assert room.match.transcript.seats[seat].times_ms == [2400]


def test_coming_back_again_and_again_gains_no_time_for_a_question_that_was_seen(sit: Sit) -> None:
    room = sit(control=TimeControl(limit=1.0, bank=0.0, grace=30.0))
    [seat] = room.asked
    room.send(seat)
    for _ in range(6):
        room.match.away(seat, room.now)
        room.match.back(seat, room.now)
        room.wait(0.25)
    assert room.play_on().terminations[seat] is Termination.TIMEOUT


def test_a_question_that_was_not_seen_has_no_clock_before_it_leaves(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.match.away(seat, room.now)
    room.match.back(seat, room.now)
    assert not room.players[seat].question.running
    room.wait(3.0)
    room.answer(seat, after=0.1)
    assert room.match.transcript.seats[seat].times_ms == [100]


def test_the_time_the_referee_takes_to_let_a_bot_in_is_not_its_absence(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    for _ in range(3):
        room.match.away(seat, room.now)
        room.wait(4)
        room.match.back(seat, room.now, waited=3.5)
    assert room.play_on().terminations[seat] is Termination.FINISHED


def test_a_bot_that_may_be_standing_in_our_queue_is_not_given_up(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.match.away(seat, room.now)
    room.wait(8)
    room.lag.admission = 4.0
    room.wait(4)
    room.match.back(seat, room.now)
    assert room.play_on().terminations[seat] is Termination.FINISHED


def test_a_queue_before_our_door_is_credited_only_so_much_in_a_match(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.lag.admission = 1000.0
    room.match.away(seat, room.now)
    room.wait(9.9)
    room.match.back(seat, room.now)
    room.match.away(seat, room.now)
    room.wait(9.9)
    assert room.match.ending is None
    assert room.is_asked(seat)
    room.wait(0.4)
    assert room.play_on().terminations[seat] is Termination.DISCONNECT


def test_however_often_a_bot_comes_back_the_transcript_stays_short(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    for _ in range(5000):
        room.match.away(seat, room.now)
        room.match.back(seat, room.now)
    assert len(room.match.transcript.events) == MOST_EVENTS


def test_a_bot_that_stays_away_beyond_the_grace_forfeits(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.match.away(seat, room.now)
    room.wait(9.9)
    assert room.match.ending is None
    assert room.is_asked(seat)
    room.wait(0.2)
    ending = room.play_on()
    assert ending.terminations[seat] is Termination.DISCONNECT
    assert "10 s" in ending.texts[seat]


def test_the_grace_is_for_the_whole_match(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    for _ in range(3):
        room.match.away(seat, room.now)
        room.wait(4)
        room.match.back(seat, room.now)
    assert room.play_on().terminations[seat] is Termination.DISCONNECT


def test_a_bot_that_is_away_is_not_asked_until_it_is_back(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    other = (seat + 1) % 3
    room.match.away(other, room.now)
    room.answer(seat)
    assert room.players[other].questions == []
    room.match.back(other, room.now)
    assert room.asked == (other,)
    assert not room.players[other].question.again


def test_grace_and_lag_of_the_referee_go_together(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.match.away(seat, room.now)
    room.wait(9)
    room.wait(5, beats=False)  # asleep: the bot may have tried to come back
    room.wake()
    room.wait(0.5)
    room.match.back(seat, room.now)
    assert room.play_on().terminations[seat] is Termination.FINISHED


def test_a_question_that_leaves_as_the_bot_goes_starts_no_clock(sit: Sit) -> None:
    room = sit()
    [seat] = room.asked
    room.match.away(seat, room.now)
    room.send(seat)
    room.wait(8)
    room.match.back(seat, room.now)
    room.answer(seat, after=0.1)
    assert room.match.transcript.seats[seat].times_ms == [100]
