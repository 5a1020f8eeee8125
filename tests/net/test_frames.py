"""What travels in one frame: never more than gRPC clients read by default, and at many tables not too little."""

from __future__ import annotations

import asyncio
import time

from arena.v1 import match_pb2 as pb
from referee.cli.arguments import LONGEST_HOURS
from referee.hall.notices import NoticeCode
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Question
from referee.net import messages
from referee.net.outbox import COMPANY, FRAME_BYTES, Outbox, Turn
from referee.net.session import Session
from referee.rules import registry
from referee.workers.bot_pool import UnavailableBot

from ..waiting import PATIENCE

SMALLEST_CLIENT_LIMIT = 4 << 20


class Bot:
    """A bot with a real session and a real outbox; what is written to it is kept."""

    def __init__(self) -> None:
        self.turn = Turn()
        self.frames: list[pb.PlayResponse] = []
        self.spoken_to = asyncio.Event()
        self.session = Session("ada", pb.Hello(protocol_version=1), lambda session: None)
        self.outbox = Outbox(self._write, self.session.seats, self.turn)
        self.session.connect(self.outbox, pb.RefereeBody(welcome=pb.Welcome(name="ada")))

    async def _write(self, frame: pb.PlayResponse) -> None:
        self.frames.append(frame)
        self.spoken_to.set()

    def hear(self) -> list[pb.PlayResponse]:
        """What may leave now, and what has left since the last time."""
        self.outbox.flush()
        heard, self.frames = self.frames, []
        return heard

    def asked(self) -> list[list[int]]:
        """The same, as the numbers of the questions of every frame."""
        return [[body.decide.decision for body in frame.bodies] for frame in self.hear()]


async def test_much_to_say_is_said_in_several_frames_in_order() -> None:
    bot = Bot()
    for number in range(12):
        bot.session.notice(NoticeCode.IGNORED, str(number) + "x" * (FRAME_BYTES // 2))
    sent = bot.hear()
    told = [body.notice.text.rstrip("x") for frame in sent for body in frame.bodies]
    assert told[1:] == [str(number) for number in range(12)]
    assert len(sent) > 6
    assert all(frame.ByteSize() < SMALLEST_CLIENT_LIMIT for frame in sent)


async def test_a_body_larger_than_a_frame_travels_alone() -> None:
    bot = Bot()
    bot.session.notice(NoticeCode.IGNORED, "x" * (2 * FRAME_BYTES))
    bot.session.notice(NoticeCode.IGNORED, "x")
    assert [len(frame.bodies) for frame in bot.hear()] == [1, 1, 1]


class Tables(Bot):
    """A bot that sits at many tables and is asked at some of them; the other seats never answer."""

    def __init__(self, count: int) -> None:
        super().__init__()
        game = registry.find("stop_me_go")
        self.matches = [
            Match(f"table/{number}", game, [self.session, UnavailableBot("bob")], game.resolve_options({}), bytes(32))
            for number in range(count)
        ]
        for match in self.matches:
            match.start()
        self.grow_window()

    def grow_window(self) -> None:
        """Answer until the bot has shown that it is quick."""
        while frames := self.hear():
            for body in (body for frame in frames for body in frame.bodies if body.HasField("decide")):
                match, seat = self.session.seats[body.decide.match_id]
                self.session.answer(match, seat, body.decide.decision, body.decide.legal[0], time.monotonic())

    def ask(self, count: int) -> list[int]:
        numbers = [1000 + number for number in range(count)]
        for number, match in zip(numbers, self.matches, strict=False):
            self.session.ask(Question(match, 0, number, b"", ["go"], True, 1.0, 30.0))
        return numbers

    def is_ready_after(self, count: int) -> bool:
        """Whether this many new questions are looked at in this turn of the loop."""
        before = len(self.turn.ready)
        self.ask(count)
        return len(self.turn.ready) > before


async def test_at_many_tables_a_few_questions_wait_a_moment_for_company() -> None:
    tables = Tables(160)
    numbers = tables.ask(3)
    assert tables.asked() == []
    tables.spoken_to.clear()
    async with asyncio.timeout(PATIENCE):
        await tables.spoken_to.wait()
    assert tables.asked() == [numbers]


async def test_a_question_after_one_that_was_withdrawn_while_it_waited_does_not_wait_for_ever() -> None:
    tables = Tables(160)
    tables.ask(1)
    assert tables.asked() == []
    tables.outbox.asking.forget(tables.matches[0].id)
    assert tables.asked() == []
    assert tables.is_ready_after(2)


async def test_nor_does_one_after_the_tables_became_few_for_a_while() -> None:
    tables = Tables(160)
    tables.ask(1)
    assert tables.asked() == []
    seats = dict(tables.session.seats)
    tables.session.seats.clear()
    assert len(tables.asked()) == 1
    tables.session.seats.update(seats)
    assert tables.is_ready_after(2)


async def test_enough_questions_leave_at_once() -> None:
    tables = Tables(160)
    numbers = tables.ask(160 // COMPANY)
    assert tables.asked() == [numbers]


async def test_a_bot_at_few_tables_never_waits_for_company() -> None:
    tables = Tables(COMPANY)
    numbers = tables.ask(1)
    assert tables.asked() == [numbers]


async def test_large_questions_are_spread_over_frames_in_order() -> None:
    tables = Tables(COMPANY)
    match = tables.matches[0]
    for number in range(40):
        tables.session.ask(Question(match, 0, number, b"x" * (FRAME_BYTES // 12), ["go"], True, 1.0, 30.0))
    asked: list[int] = []
    while frames := tables.hear():
        assert all(frame.ByteSize() <= FRAME_BYTES for frame in frames)
        for number in [body.decide.decision for frame in frames for body in frame.bodies]:
            assert tables.outbox.asking.answered(match.id, number, time.monotonic())
            asked.append(number)
    assert asked == list(range(40))


async def test_what_becomes_ready_in_one_turn_of_the_loop_leaves_as_one_frame_at_its_end() -> None:
    tables = Tables(1)
    tables.session.notice(NoticeCode.IGNORED, "x")
    numbers = tables.ask(1)
    tables.session.notice(NoticeCode.IGNORED, "x")
    assert tables.frames == []
    await asyncio.sleep(0)
    [frame] = tables.frames
    assert [body.WhichOneof("body") for body in frame.bodies] == ["notice", "notice", "decide"]
    assert frame.bodies[-1].decide.decision == numbers[0]


async def test_a_question_leaves_from_inside_a_single_answer_with_what_was_to_be_said_before_it() -> None:
    tables = Tables(1)
    await asyncio.sleep(0)
    tables.turn.at_once = True
    tables.session.notice(NoticeCode.IGNORED, "x")
    assert tables.frames == []
    tables.ask(1)
    [frame] = tables.frames
    assert [body.WhichOneof("body") for body in frame.bodies] == ["notice", "decide"]


async def test_the_clock_of_a_question_starts_when_its_frame_is_written() -> None:
    bot = Bot()
    game = registry.find("stop_me_go")
    match = Match("table/0", game, [bot.session, UnavailableBot("bob")], game.resolve_options({}), bytes(32))
    match.start()
    assert match.deadline is None
    before = time.monotonic()
    bot.hear()
    assert match.deadline is not None
    assert before <= match.deadline - match.control.limit - match.control.bank <= time.monotonic()


async def test_a_message_that_cannot_be_put_together_ends_its_own_stream_only() -> None:
    tables = Tables(1)
    broken: bytes = "a text is no view"  # type: ignore[assignment]
    tables.turn.at_once = True
    tables.session.ask(Question(tables.matches[0], 0, 1, broken, [], True, 1.0, 30.0))  # raises nothing
    assert isinstance(tables.outbox.writer.over.result(), TypeError)
    assert tables.frames == []


async def test_a_disconnected_bot_is_told_nothing_more_and_its_answers_count_as_unasked() -> None:
    tables = Tables(1)
    numbers = tables.ask(1)
    assert tables.asked() == [numbers]
    tables.session.disconnect()
    tables.session.notice(NoticeCode.IGNORED, "x")
    assert tables.hear() == []
    assert not tables.session.answer(tables.matches[0], 0, numbers[0], "go", time.monotonic())


def test_the_longest_times_that_a_host_can_set_are_told_to_a_bot() -> None:
    longest = LONGEST_HOURS * 3600.0
    total = TimeControl.usual_total(longest, longest, longest)
    control = TimeControl(longest, longest, grace=longest, total=total)
    game = registry.find("stop_me_go")
    match = Match("m", game, [UnavailableBot("a"), UnavailableBot("b")], {}, bytes(32), control)
    told = messages.match_start(match, 0).match_start.time_control
    assert (told.limit_ms, told.bank_ms) == (longest * 1000, longest * 1000)
    assert told.total_ms == total * 1000 >= told.limit_ms
