"""What travels in one frame: never more than gRPC clients read by default, and at many tables not too little."""

from __future__ import annotations

import asyncio
import time

import pytest

from arena.v1 import match_pb2 as pb
from referee.match.match import Match
from referee.match.player import Question
from referee.net.session import COMPANY, FRAME_BYTES, Session
from referee.rules import registry
from referee.workers.lodgings import Absentee

SMALLEST_CLIENT_LIMIT = 4 << 20


def frames(session: Session) -> list[pb.PlayResponse]:
    found = []
    while ready := session.take():
        found.append(ready[0])
    return found


async def test_much_to_say_is_said_in_several_frames_in_order() -> None:
    session = Session("ada", pb.Hello(protocol_version=1))
    session.connect(pb.Down(welcome=pb.Welcome(name="ada")))
    for number in range(12):
        session.notice(str(number), "x" * (FRAME_BYTES // 2))
    sent = frames(session)
    assert [body.notice.code for frame in sent for body in frame.bodies][1:] == [str(number) for number in range(12)]
    assert len(sent) > 6
    assert all(frame.ByteSize() < SMALLEST_CLIENT_LIMIT for frame in sent)


async def test_a_body_larger_than_a_frame_travels_alone() -> None:
    session = Session("ada", pb.Hello(protocol_version=1))
    session.connect(pb.Down(welcome=pb.Welcome(name="ada")))
    session.notice("long", "x" * (2 * FRAME_BYTES))
    session.notice("short", "x")
    assert [len(frame.bodies) for frame in frames(session)] == [1, 1, 1]


class Tables:
    """A bot that sits at many tables and is asked at some of them; nobody else ever answers."""

    def __init__(self, count: int) -> None:
        self.session = Session("ada", pb.Hello(protocol_version=1))
        self.session.connect(pb.Down(welcome=pb.Welcome(name="ada")))
        game = registry.find("stop_me_go")
        self.matches = [
            Match(f"table/{number}", game, [self.session, Absentee("bob", "")], game.resolve_options({}), bytes(32))
            for number in range(count)
        ]
        for match in self.matches:
            match.start()
        self.grow_window()

    def grow_window(self) -> None:
        """Answer until the bot has shown that it is quick."""
        while ready := self.session.take():
            questions = ready[1]
            self.session.frame_sent(questions)
            for question in questions:
                match, seat = question.match, question.seat
                self.session.answer(match, seat, question.number, question.legal[0], time.monotonic())

    def ask(self, count: int) -> None:
        for number, match in enumerate(self.matches[:count]):
            self.session.ask(Question(match, 0, 1000 + number, b"", ["go"], True, 1.0, 30.0))

    def tells_of(self, count: int) -> bool:
        """Whether whoever sends hears of this many new questions at once."""
        told = asyncio.Event()
        self.session.on_ready = told.set
        self.ask(count)
        return told.is_set()


@pytest.fixture
def never_withdrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions made up for a test count as open."""
    monkeypatch.setattr(Match, "is_asked", lambda match, seat, number: True)


async def test_at_many_tables_a_few_questions_wait_a_moment_for_company(never_withdrawn: None) -> None:
    tables = Tables(160)
    tables.ask(3)
    assert tables.session.take() is None
    told = asyncio.Event()
    tables.session.on_ready = told.set
    async with asyncio.timeout(5):
        await told.wait()
    ready = tables.session.take()
    assert ready is not None
    assert len(ready[1]) == 3


async def test_a_question_after_one_that_was_withdrawn_while_it_waited_does_not_wait_for_ever(
    never_withdrawn: None,
) -> None:
    tables = Tables(160)
    tables.ask(1)
    assert tables.session.take() is None
    tables.session._asking.forget(tables.matches[0].id)
    assert tables.session.take() is None
    assert tables.tells_of(2)


async def test_nor_does_one_after_the_tables_became_few_for_a_while(never_withdrawn: None) -> None:
    tables = Tables(160)
    tables.ask(1)
    assert tables.session.take() is None
    seats = dict(tables.session.seats)
    tables.session.seats.clear()
    assert tables.session.take() is not None
    tables.session.seats.update(seats)
    assert tables.tells_of(2)


async def test_enough_questions_leave_at_once(never_withdrawn: None) -> None:
    tables = Tables(160)
    tables.ask(160 // COMPANY)
    ready = tables.session.take()
    assert ready is not None
    assert len(ready[1]) == 160 // COMPANY


async def test_a_bot_at_few_tables_never_waits_for_company(never_withdrawn: None) -> None:
    tables = Tables(COMPANY)
    tables.ask(1)
    ready = tables.session.take()
    assert ready is not None
    assert len(ready[1]) == 1


async def test_large_questions_are_spread_over_frames_in_order(never_withdrawn: None) -> None:
    tables = Tables(COMPANY)
    for number in range(40):
        question = Question(tables.matches[0], 0, number, b"x" * (FRAME_BYTES // 12), ["go"], True, 1.0, 30.0)
        tables.session.ask(question)
    asked: list[int] = []
    while ready := tables.session.take():
        frame, questions = ready
        assert frame.ByteSize() <= FRAME_BYTES
        assert [body.decide.decision for body in frame.bodies] == [question.number for question in questions]
        asked += [question.number for question in questions]
    assert asked == list(range(40))
