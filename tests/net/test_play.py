"""The life of a stream, from hello to farewell."""

from __future__ import annotations

import asyncio
import hashlib
import json

import grpc
import pytest

from arena.games.stop_me_go.v1 import stop_me_go_pb2
from arena.v1 import match_pb2 as pb
from arena.v1 import result_pb2
from referee.hall.notices import NoticeCode
from referee.match.clock import TimeControl
from referee.net import play_stream

from ..waiting import soon
from .conftest import Server

PATIENT = TimeControl(limit=600.0, bank=0.0, grace=600.0)
"""No clock runs out while a test waits."""


async def test_a_bot_that_says_hello_is_welcomed_by_name(server: Server) -> None:
    bot = await server.connect(await server.token("alice"))
    welcome = await bot.hello(client="raw 1")
    assert welcome.name == "alice"
    assert welcome.protocol_version == 1
    assert welcome.server.startswith("referee ")
    assert welcome.grace_ms == 30_000
    assert welcome.max_message_bytes == 1 << 20
    assert server.session("alice").client == "raw 1"


async def test_a_match_from_start_to_end(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    start: pb.MatchStart = await alice.hear("match_start")
    assert (start.match_id, start.game, start.seat, list(start.names)) == (match.id, "stop_me_go", 0, ["alice", "bob"])
    assert (await bob.hear("match_start")).seat == 1
    assert (start.time_control.limit_ms, start.time_control.bank_ms, start.time_control.strikes) == (20_000, 25_000, 3)
    assert start.view_type == "arena.games.stop_me_go.v1.View"
    assert json.loads(start.options_json) == match.options
    question: pb.Decide = await alice.hear("decide")
    assert (list(question.legal), question.complete, question.budget_ms, question.bank_ms) == (
        ["go", "stop"],
        True,
        20_000,
        25_000,
    )
    assert stop_me_go_pb2.View.FromString(question.view) == match.table.state.view(0)
    await alice.act(question)
    other = await bob.hear("decide")
    await bob.act(other)
    while match.ending is None:
        for bot in (alice, bob):
            if not bot.silent():
                await bot.act(await bot.hear("decide"))
        await soon(lambda: match.ending is not None or not (alice.silent() and bob.silent()))
    end: pb.MatchEnd = await bob.hear("match_end")
    assert list(end.result.ranks) == list(match.ending.ranks)
    assert list(end.result.terminations) == [result_pb2.TERMINATION_FINISHED] * 2
    assert hashlib.sha256(bytes.fromhex(end.seed)).hexdigest() == start.seed_commitment


async def test_many_matches_travel_over_one_stream_in_common_frames(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    matches = [server.sit("alice", "bob") for _ in range(40)]
    while any(match.ending is None for match in matches):
        for bot in (alice, bob):
            acts = []
            while not bot.silent():
                body = await bot._bodies.get()
                assert body is not None
                if body.HasField("decide"):
                    acts.append(
                        pb.BotBody(
                            act=pb.Act(
                                match_id=body.decide.match_id,
                                decision=body.decide.decision,
                                move_text=body.decide.legal[0],
                            )
                        )
                    )
            if acts:
                await bot.send_all(*acts)
        await soon(lambda: not (alice.silent() and bob.silent()) or all(match.ending for match in matches))
    asked = [sum(body.HasField("decide") for body in frame.bodies) for frame in alice.frames]
    assert max(asked) == 40
    assert sum(asked) > 5 * len(asked)


async def test_at_first_one_question_is_asked_at_a_time(server: Server) -> None:
    alice, _ = await server.bots("alice", "bob")
    for _ in range(10):
        server.sit("alice", "bob")
    first = await alice.hear("decide")
    await soon(lambda: len(alice.frames) >= 2)
    assert sum(body.HasField("decide") for frame in alice.frames for body in frame.bodies) == 1
    await alice.act(first)
    await alice.hear("decide")


@pytest.mark.alone
async def test_the_clock_of_a_question_that_waits_with_the_referee_does_not_run(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    control = TimeControl(limit=1.0, bank=0.5, grace=2.0)
    slow, waiting = server.sit("alice", "bob", control=control), server.sit("alice", "bob", control=control)
    held = await alice.hear("decide")
    assert held.match_id == slow.id
    await bob.act(await bob.hear("decide"))
    await bob.act(await bob.hear("decide"))
    second = await alice.hear("decide")  # only after the first one's time is up
    assert second.match_id == waiting.id
    assert waiting.table.decisions == 0
    await alice.act(second)
    await soon(lambda: waiting.table.decisions == 1)
    assert waiting.transcript.seats[0].strikes == 0
    assert waiting.transcript.seats[0].seconds < control.limit


async def test_resigning_one_match_frees_the_way_for_the_others(server: Server) -> None:
    alice, _ = await server.bots("alice", "bob")
    given_up, kept = (server.sit("alice", "bob", control=PATIENT) for _ in range(2))
    held = await alice.hear("decide")
    await alice.send(resign=pb.Resign(match_id=held.match_id, reason="hopeless"))
    assert (await alice.hear("decide")).match_id == kept.id
    assert given_up.transcript.events[-1][3:] == ["resigned", "resigned: hopeless"]


async def test_a_bot_without_lists_gets_none(server: Server) -> None:
    bot = await server.bot("alice", without_legal=True)
    await server.bot("bob")
    server.sit("alice", "bob")
    question = await bot.hear("decide")
    assert (list(question.legal), question.complete) == ([], False)


async def test_a_bot_that_leaves_gets_no_new_match_and_a_clean_end(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    await alice.send(leave=pb.Leave())
    await soon(lambda: server.session("alice").leaving)
    assert server.session("alice").free == 0
    while match.ending is None:
        for bot in (alice, bob):
            while not bot.silent():
                body = await bot._bodies.get()
                if body is not None and body.HasField("decide"):
                    await bot.act(body.decide)
        await soon(lambda: match.ending is not None or not (alice.silent() and bob.silent()))
    assert await alice.status() == (grpc.StatusCode.OK, "")
    kinds = [body.WhichOneof("body") for frame in alice.frames for body in frame.bodies]
    assert kinds[-1] == "match_end"
    await soon(lambda: "alice" not in server.competition.presence.bots)


async def test_leaving_without_a_match_ends_the_stream_at_once(server: Server) -> None:
    bot = await server.bot("alice")
    await bot.send(leave=pb.Leave())
    assert await bot.status() == (grpc.StatusCode.OK, "")


async def test_a_second_stream_of_the_same_bot_is_refused_and_the_first_goes_on(server: Server) -> None:
    token = await server.token("alice")
    first = await server.connect(token)
    await first.hello()
    second = await server.connect(token)
    await second.send(hello=pb.Hello(protocol_version=1))
    code, text = await second.status()
    assert code is grpc.StatusCode.ALREADY_EXISTS
    assert text == "alice is connected already: one stream per bot"
    await server.bot("bob")
    server.sit("alice", "bob")
    await first.hear("decide")


async def test_with_its_session_a_bot_takes_over_its_own_stream(server: Server) -> None:
    token = await server.token("alice")
    first = await server.connect(token)
    welcome = await first.hello()
    await server.bot("bob")
    match = server.sit("alice", "bob")
    question = await first.hear("decide")
    second = await server.connect(token)
    again = await second.hello(resume=welcome.session)
    assert list(again.resumed) == [match.id]
    assert (await second.hear("match_start")).match_id == match.id
    repeated = await second.hear("decide")
    assert repeated.again
    assert (repeated.decision, repeated.view, list(repeated.legal)) == (
        question.decision,
        question.view,
        list(question.legal),
    )
    assert (await first.status())[0] is grpc.StatusCode.ABORTED
    await second.act(repeated)
    await soon(lambda: not match.is_asked(0, question.decision))


async def test_the_session_of_another_bot_opens_nothing(server: Server) -> None:
    alice = await server.connect(await server.token("alice"))
    welcome = await alice.hello()
    await server.bot("bob")
    match = server.sit("alice", "bob")
    question = await alice.hear("decide")
    eve = await server.connect(await server.token("eve"))
    own = await eve.hello(resume=welcome.session)
    assert list(own.resumed) == []
    assert own.session != welcome.session
    assert server.session("alice").connected
    await alice.act(question)
    await soon(lambda: not match.is_asked(0, question.decision))


async def test_a_bot_that_does_not_read_is_sent_away_and_its_match_waits(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play_stream, "WRITE_SECONDS", 0.5)
    bot = await server.connect(await server.token("alice"))
    await bot.send(hello=pb.Hello(protocol_version=1))
    await server.bot("bob")
    await soon(lambda: "alice" in server.competition.presence.bots)
    match = server.sit("alice", "bob", control=PATIENT)
    for _ in range(30):
        server.session("alice").notice(NoticeCode.IGNORED, "x" * (1 << 20))
        await asyncio.sleep(0)
    await soon(lambda: not server.session("alice").connected)
    assert match.ending is None
    bot.listen()
    assert await bot.status() == (grpc.StatusCode.RESOURCE_EXHAUSTED, "the bot does not read what it is sent")


async def test_the_games_a_bot_does_not_name_are_not_its_games(server: Server) -> None:
    await server.bot("alice", games=["encore"])
    assert server.session("alice").plays("encore")
    assert not server.session("alice").plays("flip7")


async def test_a_bot_says_how_many_matches_it_takes(server: Server) -> None:
    await server.bot("alice", concurrency=2)
    await server.bot("bob", concurrency=0)
    assert (server.session("alice").free, server.session("bob").free) == (2, 1)
    server.sit("alice", "bob")
    assert (server.session("alice").free, server.session("bob").free) == (1, 0)


async def test_a_second_hello_is_remarked_upon_and_ignored(server: Server) -> None:
    bot = await server.bot("alice")
    await bot.send(hello=pb.Hello(protocol_version=1))
    assert (await bot.hear("notice")).code == pb.NOTICE_CODE_IGNORED


async def test_bodies_of_a_later_protocol_are_passed_over(server: Server) -> None:
    bot = await server.bot("alice")
    await bot.send_bytes(bytes.fromhex("0a04fa010161"))  # a body with a field this server does not know
    await bot.send(hello=pb.Hello(protocol_version=1))
    assert (await bot.hear("notice")).code == pb.NOTICE_CODE_IGNORED


async def test_the_seat_is_told_with_every_question_and_the_final_view_with_the_end(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("bob", "alice")
    question = await alice.hear("decide")
    assert question.seat == 1
    await alice.act(question)
    end, other = await asyncio.gather(alice.play(), bob.play())
    assert (end.seat, other.seat) == (1, 0)
    assert match.ending is not None
    for told in (end, other):
        assert list(told.result.ranks) == list(match.ending.ranks)
        assert told.view == match.table.state.view_bytes(told.seat)
    view = stop_me_go_pb2.View.FromString(end.view)
    assert list(view.ranks) == list(match.ending.ranks)
    assert view.events


async def test_a_seat_that_gave_up_sees_the_end_too(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    await alice.send(resign=pb.Resign(match_id=match.id))
    end, _ = await asyncio.gather(alice.play(), bob.play())
    assert end.result.terminations[0] == result_pb2.TERMINATION_RESIGNED
    assert end.view == match.table.state.view_bytes(0)


async def test_a_match_that_was_broken_off_has_no_final_view(server: Server) -> None:
    alice, _ = await server.bots("alice", "bob")
    server.sit("alice", "bob").break_off("enough")
    end = await alice.hear("match_end")
    assert (end.view, end.result.reason) == (b"", "void")


async def test_games_that_are_not_refereed_are_told_and_the_others_played(server: Server) -> None:
    alice = await server.bot("alice", games=["tiddlywinks", "flip7"])
    notice = await alice.hear("notice")
    assert notice.code == pb.NOTICE_CODE_UNKNOWN_GAME
    assert notice.text.startswith("this server does not referee 'tiddlywinks'; it referees encore, flip7, ")


async def test_a_bot_that_plays_nothing_of_what_there_is_is_refused(server: Server) -> None:
    bot = await server.connect(await server.token("alice"))
    await bot.send(hello=pb.Hello(protocol_version=1, games=["tiddlywinks", "mikado"]))
    code, text = await bot.status()
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "none of the bot's games ('tiddlywinks', 'mikado'); it referees encore, flip7, stop, stop_me_go" in text
