"""Clocks and reconnects over a real socket: nobody gains time to think by breaking a stream, and nobody loses any."""

from __future__ import annotations

import asyncio

import pytest

from arena.v1 import match_pb2 as pb
from referee.hall.notices import NoticeCode
from referee.hall.practice_request import NoLobby
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.result import Termination
from referee.net.guard import Refusal
from referee.net.outbox import Turn
from referee.net.play_stream import TAKEN_OVER, PlayStream
from referee.net.session import Session
from referee.rules import registry
from referee.tournament.plan import Plan
from referee.workers.bot_pool import UnavailableBot

from ..waiting import PATIENCE, soon
from .conftest import Server
from .raw import Raw

STRICT = TimeControl(limit=1.0, bank=0.0, grace=30.0)
PATIENT = TimeControl(limit=600.0, bank=0.0, grace=30.0)


async def back(server: Server, bot: Raw, token: str, session: str) -> tuple[Raw, pb.Welcome]:
    """The same bot on a new stream, taking over from the old one."""
    again = await server.connect(token)
    welcome = await again.hello(resume=session)
    await bot.close()
    return again, welcome


@pytest.mark.alone
async def test_practice_first_in_line_does_not_stop_the_clock_of_a_tournament_question(server: Server) -> None:
    token = await server.token("alice")
    alice = await server.connect(token)
    welcome = await alice.hello()
    bob = await server.bot("bob")
    practice = server.sit("alice", "bob", control=PATIENT)
    await alice.act(await alice.hear("decide"))
    first = await bob.hear("decide")
    league = server.sit("alice", "bob", control=STRICT, tournament="league")
    seen = await alice.hear("decide")
    assert seen.match_id == league.id
    await bob.act(first)
    while (question := await bob.hear("decide")).match_id != league.id:
        pass
    await bob.act(question)  # alice is asked in practice too, and it is the older of her two matches
    await alice.hear("decide")
    timeout = ["forfeit", 0, 0, Termination.TIMEOUT.value]
    async with asyncio.timeout(PATIENCE):
        while timeout not in [event[:4] for event in league.transcript.events]:
            alice, welcome = await back(server, alice, token, welcome.session)
            await asyncio.sleep(0.2)  # she stays for a while each time
    assert practice.ending is None


async def test_all_that_was_seen_is_repeated_at_once_and_the_tournament_comes_first(server: Server) -> None:
    token = await server.token("alice")
    alice = await server.connect(token)
    welcome = await alice.hello(concurrency=12)
    await server.bot("bob", concurrency=12)
    matches = [server.sit("alice", "bob", control=PATIENT, tournament="league" * (n % 2)) for n in range(12)]
    for match in matches:
        match.forfeit(1, Termination.RESIGNED, "leaves the table to alice")
    # A window grows while a bot answers: until one frame brings several questions.
    seen: list[pb.Decide] = []
    answered = 0
    while len(seen) < 6:
        while answered == len(alice.frames):
            await alice.hear("decide")
        for frame in alice.frames[answered:]:
            answered += 1
            seen = [body.decide for body in frame.bodies if body.HasField("decide")]
            if len(seen) < 6:
                for decide in seen:
                    await alice.act(decide)
    alice, _ = await back(server, alice, token, welcome.session)
    repeated: list[pb.Decide] = []
    wanted = {(decide.match_id, decide.decision) for decide in seen}
    while not wanted <= {(decide.match_id, decide.decision) for decide in repeated}:
        repeated.append(await alice.hear("decide"))
    assert all(decide.again for decide in repeated)


async def test_a_practice_question_that_is_left_unanswered_holds_back_no_tournament(server: Server) -> None:
    alice = await server.bot("alice")
    await server.bot("bob")
    practice = server.sit("alice", "bob", control=PATIENT)
    assert (await alice.hear("decide")).match_id == practice.id
    league = server.sit("alice", "bob", control=PATIENT, tournament="league")
    assert (await alice.hear("decide")).match_id == league.id


async def test_questions_of_a_tournament_leave_before_those_of_practice(server: Server) -> None:
    alice = await server.bot("alice")
    bob = await server.bot("bob")
    first = server.sit("alice", "bob", control=PATIENT, tournament="league")
    question = await alice.hear("decide")
    assert question.match_id == first.id
    practice = server.sit("alice", "bob", control=PATIENT)
    second = server.sit("alice", "bob", control=PATIENT, tournament="league")
    await alice.act(question)
    order = [(await alice.hear("decide")).match_id, (await alice.hear("decide")).match_id]
    assert order == [second.id, practice.id]
    assert bob.frames


@pytest.mark.parametrize("concurrency", [1, 2])
async def test_a_bot_that_practises_without_end_plays_its_tournament_first(server: Server, concurrency: int) -> None:
    alice = await server.bot("alice", concurrency=concurrency)
    bob = await server.bot("bob", concurrency=concurrency)
    playing = [asyncio.ensure_future(alice.play(10_000)), asyncio.ensure_future(bob.play(10_000))]
    try:
        practice = pb.Practice(game="stop_me_go", against=["random"], matches=1000)
        await alice.send(practice=practice)
        await soon(lambda: server.competition.hall.matches)
        plan = Plan(game="stop_me_go", players=2, rounds=6, limit=2.0, bank=2.0)
        await server.competition.director.create("league", plan, ["alice", "bob"], None, True)
        await soon(lambda: not server.competition.director.runners)
        finished = server.store.tournaments.get("league")
        assert str(finished.state) == "finished"
        heard = [body.notice.text for frame in alice.frames for body in frame.bodies if body.HasField("notice")]
        assert heard == ["practice waits while a tournament has matches for this bot"]
        before = server.competition.hall.decisions
        await soon(lambda: server.competition.hall.decisions > before)  # and practises on afterwards
    finally:
        for bot in (alice, bob):
            await bot.close()
        await asyncio.gather(*playing, return_exceptions=True)


class Wire:
    """A stream without a network: what is said on it, and a bot that reads it until it stops."""

    def __init__(self) -> None:
        self.said: asyncio.Queue[pb.PlayRequest] = asyncio.Queue()
        self.told: list[pb.Decide] = []
        self.stuck = False

    async def read(self) -> pb.PlayRequest:
        return await self.said.get()

    async def write(self, frame: pb.PlayResponse) -> None:
        if self.stuck:
            await asyncio.get_running_loop().create_future()
        self.told += [body.decide for body in frame.bodies if body.HasField("decide")]

    def answer(self) -> pb.PlayRequest:
        act = pb.Act(match_id=self.told[-1].match_id, decision=self.told[-1].decision, move_text=self.told[-1].legal[0])
        return pb.PlayRequest(bodies=[pb.BotBody(act=act)])


async def test_what_still_comes_on_a_stream_that_was_taken_over_is_not_answered_for_the_new_one() -> None:
    session = Session("alice", pb.Hello(protocol_version=1, concurrency=1), lambda session: None)
    game = registry.find("stop_me_go")
    old, new, turn = Wire(), Wire(), Turn()
    first = PlayStream(session, old, NoLobby(), turn, lambda bot: None)
    session.connect(first.outbox, pb.RefereeBody(welcome=pb.Welcome(name="alice")))
    running = asyncio.create_task(first.run([]))
    match = Match("m", game, [session, UnavailableBot("bob")], game.resolve_options({}), bytes(32), PATIENT)
    match.start()
    await soon(lambda: old.told)
    old.stuck = True
    session.notice(NoticeCode.IGNORED, "the bot does not read this any more")
    await soon(lambda: not first.outbox.writer.idle)
    first.close(TAKEN_OVER)
    session.disconnect()
    second = PlayStream(session, new, NoLobby(), turn, lambda bot: None)
    session.connect(second.outbox, pb.RefereeBody(welcome=pb.Welcome(name="alice")))
    again = asyncio.create_task(second.run([]))
    await soon(lambda: new.told)
    old.said.put_nowait(old.answer())
    with pytest.raises(Refusal, match="another stream"):
        await running
    new.said.put_nowait(new.answer())
    await soon(lambda: new.said.empty() and match.transcript.seats[0].decisions)
    again.cancel()
    await asyncio.wait({again})
    assert (match.transcript.seats[0].decisions, match.transcript.seats[0].strikes) == (1, 0)
