"""Answers that are not in order: each is refused with its own code, nothing changes, only the guilty bot suffers."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import grpc
import pytest

from arena.v1 import match_pb2 as pb
from arena.v1 import result_pb2
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.net.play_stream import TRESPASSES

from ..waiting import PATIENCE, soon
from .conftest import Server
from .raw import Raw


def board(match: Match) -> list[bytes]:
    state = match.table.state
    return [state.view_bytes(seat) for seat in (None, *range(len(match.names)))]


class Sitting:
    """Alice, Bob and a match of theirs; Alice has been asked, Bob plays as he should."""

    def __init__(self, server: Server, alice: Raw, bob: Raw, match: Match, question: pb.Decide) -> None:
        self.server, self.alice, self.bob, self.match, self.question = server, alice, bob, match, question
        self.before = board(match)

    async def refused(self, match: str = "", decision: int | None = None, move: str = "go") -> pb.Rejected:
        """Alice says something that is refused: the board is as before and her stream lives on."""
        number = self.question.decision if decision is None else decision
        await self.alice.send(act=pb.Act(match_id=match or self.match.id, decision=number, move_text=move))
        rejected: pb.Rejected = await self.alice.hear("rejected")
        assert board(self.match) == self.before
        assert not self.alice.call.done()
        assert rejected.message
        return rejected

    async def goes_on(self) -> None:
        """The question is still open, and answering it is all that is needed."""
        assert self.match.is_asked(0, self.question.decision)
        await self.alice.act(self.question)
        await self.bob.act(await self.bob.hear("decide"))
        await soon(lambda: self.match.table.decisions == 1)
        assert self.match.transcript.seats[1].strikes == 0


async def sit(server: Server, control: TimeControl | None = None) -> Sitting:
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("alice", "bob", control=control)
    return Sitting(server, alice, bob, match, await alice.hear("decide"))


async def test_an_unreadable_move(server: Server) -> None:
    sitting = await sit(server)
    rejected = await sitting.refused(move="run")
    assert (rejected.kind, rejected.code) == (pb.REJECTION_KIND_UNREADABLE, "unreadable")
    assert (rejected.decision, rejected.move_text, rejected.strikes_left) == (sitting.question.decision, "run", 2)
    await sitting.goes_on()


async def test_an_illegal_move(server: Server) -> None:
    bots = await server.bots("alice", "bob", "carol")
    match = server.sit("alice", "bob", "carol", game="flip7")
    first = next(seat for seat in range(3) if match._chairs[seat].question)
    question = await bots[first].hear("decide")
    before = board(match)
    await bots[first].act(question, "target 1")
    rejected = await bots[first].hear("rejected")
    assert rejected.kind == pb.REJECTION_KIND_ILLEGAL
    assert rejected.code not in ("", "unreadable", "illegal")
    assert rejected.strikes_left == 2
    assert board(match) == before
    await bots[first].act(question, "hit")
    await soon(lambda: match.table.decisions == 1)


async def test_an_empty_move(server: Server) -> None:
    sitting = await sit(server)
    assert (await sitting.refused(move="")).kind == pb.REJECTION_KIND_UNREADABLE
    await sitting.goes_on()


async def test_a_move_out_of_turn(server: Server) -> None:
    sitting = await sit(server)
    rejected = await sitting.refused(decision=77)
    assert (rejected.kind, rejected.code, rejected.strikes_left) == (pb.REJECTION_KIND_OUT_OF_TURN, "out_of_turn", 2)
    await sitting.goes_on()


async def test_an_answer_to_the_question_of_another_seat(server: Server) -> None:
    sitting = await sit(server)
    others = await sitting.bob.hear("decide")
    rejected = await sitting.refused(decision=others.decision)
    assert rejected.kind == pb.REJECTION_KIND_OUT_OF_TURN
    assert sitting.match.is_asked(1, others.decision)


async def test_a_second_answer(server: Server) -> None:
    sitting = await sit(server)
    await sitting.alice.act(sitting.question)
    rejected = await sitting.refused(move="stop")
    assert (rejected.kind, rejected.code, rejected.strikes_left) == (pb.REJECTION_KIND_DUPLICATE, "duplicate", 2)
    await sitting.bob.act(await sitting.bob.hear("decide"))
    await soon(lambda: sitting.match.table.decisions == 1)
    assert sitting.match.table.record().moves[0].startswith("0: go |")


@pytest.mark.alone
async def test_a_late_answer(server: Server) -> None:
    sitting = await sit(server, TimeControl(limit=2.0, bank=0.0, grace=2))
    await sitting.bob.act(await sitting.bob.hear("decide"))
    await soon(lambda: bool(sitting.match.transcript.events))
    sitting.before = board(sitting.match)
    rejected = await sitting.refused()
    assert (rejected.kind, rejected.code) == (pb.REJECTION_KIND_LATE, "late")
    assert "timeout" in rejected.message
    assert sitting.match.transcript.seats[0].strikes == 0
    end = await sitting.bob.play()
    assert list(end.result.terminations) == [result_pb2.TERMINATION_TIMEOUT, result_pb2.TERMINATION_FINISHED]
    assert list(end.result.ranks) == [2, 1]


async def test_an_answer_after_the_end_is_late_and_no_trespass(server: Server) -> None:
    sitting = await sit(server)
    sitting.match.break_off("enough")
    await sitting.alice.hear("match_end")
    rejected = await sitting.refused()
    assert (rejected.kind, rejected.message) == (pb.REJECTION_KIND_LATE, "the match is over")
    assert not rejected.HasField("strikes_left")
    assert not rejected.HasField("strays_left")
    assert not rejected.open


@pytest.mark.alone
async def test_a_stale_answer_after_the_referee_was_late(server: Server) -> None:
    """The whole process sleeps, as under a paused machine: the question is put anew and nobody is charged."""
    sitting = await sit(server, TimeControl(limit=2.0, bank=0.1, grace=2))
    time.sleep(2.6)  # noqa: ASYNC251 - exactly this is meant
    again = await sitting.alice.hear("decide")
    assert again.again
    assert again.view == sitting.question.view
    rejected = await sitting.refused()
    assert (rejected.kind, rejected.strikes_left) == (pb.REJECTION_KIND_STALE, 3)
    await sitting.alice.act(again)
    await soon(lambda: not sitting.match.is_asked(0, again.decision))
    assert sitting.match.transcript.seats[0].decisions == 1


@pytest.mark.alone  # beside other tests the time that went by may be the referee's own, of which nobody is charged
async def test_a_rejection_repeats_the_open_question_with_the_time_that_is_left(server: Server) -> None:
    sitting = await sit(server)
    await asyncio.sleep(0.2)  # what is left is told in milliseconds, and a wrong move can be there within one
    rejected = await sitting.refused(move="run")
    asked, again = sitting.question, rejected.question
    assert (rejected.open, again.again, rejected.HasField("strays_left")) == (True, True, False)
    assert (again.match_id, again.decision, again.seat) == (asked.match_id, asked.decision, asked.seat)
    assert (again.view, list(again.legal), again.complete) == (asked.view, list(asked.legal), asked.complete)
    assert 0 < again.budget_ms + again.bank_ms < asked.budget_ms + asked.bank_ms
    await sitting.alice.act(again)
    await soon(lambda: not sitting.match.is_asked(0, asked.decision))
    rejected = await sitting.refused(move="stop")
    assert (rejected.kind, rejected.open) == (pb.REJECTION_KIND_DUPLICATE, False)
    assert not rejected.HasField("question")


async def test_a_bot_without_legal_lists_gets_none_with_a_rejection(server: Server) -> None:
    alice, _ = await server.bot("alice", without_legal=True), await server.bot("bob")
    match = server.sit("alice", "bob")
    question = await alice.hear("decide")
    await alice.act(question, "run")
    rejected = await alice.hear("rejected")
    assert rejected.open
    assert (list(rejected.question.legal), rejected.question.complete) == ([], False)
    assert match.is_asked(0, rejected.question.decision)


async def test_the_last_strike_closes_the_question(server: Server) -> None:
    sitting = await sit(server)
    for _ in range(2):
        assert (await sitting.refused(move="?")).open
    await sitting.alice.act(sitting.question, "?")
    rejected = await sitting.alice.hear("rejected")
    assert (rejected.strikes_left, rejected.open, rejected.HasField("question")) == (0, False, False)


async def test_somebody_elses_match(server: Server) -> None:
    sitting = await sit(server)
    mallory = await server.bot("mallory")
    await mallory.send(act=pb.Act(match_id=sitting.match.id, decision=sitting.question.decision, move_text="stop"))
    rejected = await mallory.hear("rejected")
    assert (rejected.kind, rejected.code) == (pb.REJECTION_KIND_NOT_YOUR_MATCH, "not_your_match")
    assert rejected.message == "you do not play in this match"
    assert (rejected.HasField("strikes_left"), rejected.strays_left, rejected.open) == (False, TRESPASSES - 1, False)
    assert board(sitting.match) == sitting.before
    await sitting.goes_on()


async def test_a_match_that_does_not_exist_sounds_the_same_as_somebody_elses(server: Server) -> None:
    sitting = await sit(server)
    mallory = await server.bot("mallory")
    answers = []
    for match in (sitting.match.id, "table/999"):
        await mallory.send(act=pb.Act(match_id=match, decision=1, move_text="go"))
        rejected = await mallory.hear("rejected")
        answers.append((rejected.kind, rejected.code, rejected.message))
    assert answers[0] == answers[1]


async def test_resigning_somebody_elses_match_is_refused(server: Server) -> None:
    sitting = await sit(server)
    mallory = await server.bot("mallory")
    await mallory.send(resign=pb.Resign(match_id=sitting.match.id))
    assert (await mallory.hear("rejected")).kind == pb.REJECTION_KIND_NOT_YOUR_MATCH
    await sitting.goes_on()


async def test_many_trespasses_close_the_stream_and_forfeit_only_the_trespassers_matches(server: Server) -> None:
    sitting = await sit(server)
    await server.bot("carol")
    server.sit("alice", "carol")
    for _ in range(TRESPASSES):
        await sitting.alice.send(act=pb.Act(match_id="table/none", decision=1, move_text="go"))
    assert (await sitting.alice.status()) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "too many answers to matches of others",
    )
    end = await sitting.bob.play()
    assert list(end.result.terminations) == [result_pb2.TERMINATION_FLOOD, result_pb2.TERMINATION_FINISHED]


async def test_three_strikes_forfeit_the_match_but_not_the_stream(server: Server) -> None:
    sitting = await sit(server)
    await server.bot("carol")
    other = server.sit("alice", "carol")
    left = [(await sitting.refused(move="?")).strikes_left for _ in range(2)]
    await sitting.alice.act(sitting.question, "?")
    left.append((await sitting.alice.hear("rejected")).strikes_left)
    assert left == [2, 1, 0]
    end = await sitting.bob.play()
    assert list(end.result.terminations) == [result_pb2.TERMINATION_ILLEGAL, result_pb2.TERMINATION_FINISHED]
    assert "3 rejected moves" in end.result.texts[0]
    question = await sitting.alice.hear("decide")
    assert question.match_id == other.id
    assert not sitting.alice.call.done()


async def test_resigning_is_written_down_and_the_other_plays_on(server: Server) -> None:
    sitting = await sit(server)
    await sitting.alice.send(resign=pb.Resign(match_id=sitting.match.id, reason="dinner\x07 time"))
    end = await sitting.bob.play()
    assert list(end.result.terminations) == [result_pb2.TERMINATION_RESIGNED, result_pb2.TERMINATION_FINISHED]
    assert end.result.texts[0] == "resigned: dinner� time"


# Connections.


async def moves_of_a_match(server: Server, names: list[str], breaks: set[int]) -> tuple[Any, bytes]:
    """Play a match in which Alice's connection breaks at some of her decisions; its ending and record."""
    tokens = [await server.token(name) for name in names]
    bots = [await server.connect(token) for token in tokens]
    for bot in bots:
        await bot.hello()
    server._matches = 0
    match = server.sit(*names)
    decided = 0
    while match.ending is None:
        for seat in (0, 1):
            if match.ending is not None:
                break
            if bots[seat].silent():
                continue
            question = await bots[seat].hear("decide")
            if seat == 0:
                decided += 1
                if decided in breaks:
                    await bots[0].close()
                    await soon(lambda: not server.session(names[0]).connected)
                    bots[0] = await server.connect(tokens[0])
                    welcome = await bots[0].hello()
                    assert list(welcome.resumed) == [match.id]
                    again = await bots[0].hear("decide")
                    assert again.again
                    assert (again.decision, again.view) == (question.decision, question.view)
            await bots[seat].act(question)
        await soon(lambda: match.ending is not None or not all(bot.silent() for bot in bots))
    for bot in bots:
        await bot.hear("match_end")
    return match.ending, match.table.record().to_bytes()


async def test_a_match_goes_on_exactly_after_reconnects(server: Server) -> None:
    broken = await moves_of_a_match(server, ["alice", "bob"], {1, 3, 4})
    whole = await moves_of_a_match(server, ["carol", "dave"], set())
    assert broken == whole


async def test_a_bot_that_does_not_come_back_forfeits_by_disconnect(server: Server) -> None:
    sitting = await sit(server, TimeControl(limit=10, bank=10, grace=0.3))
    await sitting.alice.close()
    end = await sitting.bob.play()
    assert list(end.result.terminations) == [result_pb2.TERMINATION_DISCONNECT, result_pb2.TERMINATION_FINISHED]
    assert "connection was lost" in end.result.texts[0]


async def test_half_closing_the_stream_is_going_away(server: Server) -> None:
    sitting = await sit(server)
    await sitting.alice.call.done_writing()
    assert (await sitting.alice.status())[0] is grpc.StatusCode.OK
    await soon(lambda: not server.session("alice").connected)
    assert sitting.match.is_asked(0, sitting.question.decision)


async def test_a_match_that_begins_as_its_bot_goes_waits_for_it(server: Server) -> None:
    token = await server.token("alice")
    alice = await server.connect(token)
    await alice.hello()
    await server.bot("bob")
    server.sit("alice", "bob")
    session = server.session("alice")
    await alice.close()
    await soon(lambda: not session.connected)
    match = server.sit("alice", "bob")
    alice = await server.connect(token)
    assert match.id in (await alice.hello()).resumed
    asked = {(await alice.hear("decide")).match_id}
    assert asked <= {"table/1", match.id}
    assert match._chairs[0].away_since is None


async def test_a_bot_that_left_a_running_match_behind_is_let_in_during_a_drain(server: Server) -> None:
    token = await server.token("alice")
    alice = await server.connect(token)
    await alice.hello()
    bob = await server.bot("bob")
    server.sit("alice", "bob")
    await alice.hear("decide")
    await bob.act(await bob.hear("decide"))
    draining = asyncio.ensure_future(server.referee.drain(lambda text: None))
    assert "stopping" in (await bob.hear("drain")).text
    await alice.close()
    await soon(lambda: not server.session("alice").connected)
    newcomer = await server.connect(await server.token("carol"))
    await newcomer.send(hello=pb.Hello(protocol_version=1))
    assert (await newcomer.status())[0] is grpc.StatusCode.UNAVAILABLE
    alice = await server.connect(token)
    await alice.hello()
    ends = await asyncio.gather(alice.play(), bob.play())
    assert list(ends[0].result.terminations) == [result_pb2.TERMINATION_FINISHED] * 2
    await asyncio.wait_for(draining, PATIENCE)
