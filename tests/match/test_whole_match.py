"""Slow play: a bound on what one seat may take in all of a match, thinking and away together."""

from __future__ import annotations

import pytest

from referee.match.clock import TimeControl
from referee.match.result import Termination

from .conftest import Room, Sit

CONTROL = TimeControl(limit=1.0, bank=30.0, grace=30.0, total=20.0)


def next_of(room: Room, seat: int) -> None:
    """The others move until this seat is asked again."""
    while not room.is_asked(seat):
        room.answer(room.asked[0])


def test_thinking_and_being_away_are_counted_together(sit: Sit) -> None:
    room = sit(control=CONTROL)
    seat = room.asked[0]
    room.answer(seat, after=8.0)
    next_of(room, seat)
    room.send(seat)
    room.match.away(seat, room.now)
    room.wait(8.0)
    room.match.back(seat, room.now)
    question = room.players[seat].question
    assert question.budget == 1.0
    assert question.bank == pytest.approx(3.0)
    room.wait(3.9)
    assert room.is_asked(seat)
    room.wait(0.2)
    ending = room.play_on()
    assert ending.terminations[seat] is Termination.TIMEOUT
    assert ending.texts[seat] == "no answer in time: the 20 s that a seat may take in all of a match are used up"
    assert [end for other, end in enumerate(ending.terminations) if other != seat] == [Termination.FINISHED] * 2


def test_a_bot_that_stays_away_uses_up_the_whole(sit: Sit) -> None:
    room = sit(control=CONTROL)
    seat = room.asked[0]
    room.match.away(seat, room.now)
    room.wait(19.9)
    assert room.is_asked(seat)
    room.wait(0.2)
    ending = room.play_on()
    assert ending.terminations[seat] is Termination.DISCONNECT
    assert "the 20 s that a seat may take in all are used up" in ending.texts[seat]


def test_nine_slow_decisions_end_with_the_bound_and_not_with_the_sum_of_all_limits(sit: Sit) -> None:
    room = sit(control=CONTROL)
    seat = room.asked[0]
    began = room.now
    for _ in range(40):
        room.answer(seat, after=0.99)
        if room.match.ending is not None or room.match._chairs[seat].forfeit is not None:
            break
        next_of(room, seat)
    else:
        pytest.fail("it was never out of time")
    assert room.now - began < 21.0


def test_without_a_bound_nothing_changes(sit: Sit) -> None:
    room = sit(control=TimeControl(1.0, 30.0, grace=30.0))
    seat = room.asked[0]
    for _ in range(2):
        room.answer(seat, after=14.0)
        next_of(room, seat)
    assert room.players[seat].question.bank == pytest.approx(4.0)
    assert room.players[seat].question.budget == 1.0


def test_bank_and_grace_are_not_added_up(sit: Sit) -> None:
    """Nine decisions cannot be drawn out for 65 s: what goes beyond the limits is 30 s in all, thinking or away."""
    room = sit(control=TimeControl(1.0, 30.0, grace=30.0))
    seat = room.asked[0]
    began = room.now
    room.send(seat)
    room.match.away(seat, room.now)
    room.wait(25.0)
    room.match.back(seat, room.now)
    question = room.players[seat].question
    assert question.budget == 1.0
    assert question.bank == pytest.approx(5.0)
    room.wait(5.9)
    assert room.is_asked(seat)
    room.wait(0.2)
    assert room.now - began < 32.0
    ending = room.play_on()
    assert ending.terminations[seat] is Termination.TIMEOUT
    assert ending.texts[seat] == (
        "no answer in time: the 30 s that a seat may take in all beyond the 1 s of each decision, thinking and away "
        "together, are used up"
    )
    assert [end for other, end in enumerate(ending.terminations) if other != seat] == [Termination.FINISHED] * 2


def test_what_was_thought_beyond_the_limit_is_no_longer_there_to_be_away(sit: Sit) -> None:
    room = sit(control=TimeControl(1.0, 30.0, grace=30.0))
    seat = room.asked[0]
    room.answer(seat, after=21.0)
    next_of(room, seat)
    room.send(seat)
    room.wait(6.0)
    room.match.away(seat, room.now)
    room.wait(4.9)
    assert room.is_asked(seat)
    room.wait(0.2)
    ending = room.play_on()
    assert ending.terminations[seat] is Termination.DISCONNECT
    assert ending.texts[seat].startswith("the connection was lost, and the 30 s that a seat may take in all beyond")


def test_a_question_that_is_answered_in_time_gives_its_limit_back(sit: Sit) -> None:
    room = sit(control=TimeControl(1.0, 30.0, grace=30.0))
    seat = room.asked[0]
    for _ in range(8):
        room.answer(seat, after=0.9)
        next_of(room, seat)
    room.match.away(seat, room.now)
    room.wait(29.0)
    room.match.back(seat, room.now)
    assert room.players[seat].question.bank == pytest.approx(1.0)
    room.answer(seat)
    assert room.play_on().terminations[seat] is Termination.FINISHED


def test_the_usual_bound_is_many_decisions_bank_and_grace() -> None:
    assert TimeControl.usual_total(1.0, 30.0, 30.0) == 360.0
