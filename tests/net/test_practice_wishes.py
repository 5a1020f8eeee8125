"""Practice with bots by name, and wishes that outlive a broken stream, over a real socket."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import grpc
import pytest

from arena.v1 import match_pb2 as pb
from referee.match.clock import TimeControl

from ..waiting import PATIENCE, soon
from .conftest import Server
from .raw import Raw


def wish(*against: str, game: str = "stop_me_go", **fields: Any) -> pb.Practice:
    return pb.Practice(game=game, against=against, **fields)


async def back(server: Server, token: str, **hello: Any) -> tuple[Raw, pb.Welcome]:
    """A bot that has been here before comes again."""
    bot = await server.connect(token)
    return bot, await bot.hello(**hello)


async def test_two_bots_that_name_each_other_practise_together(server: Server) -> None:
    alice, bob, carol = await server.bots("alice", "bob", "carol")
    await carol.send(practice=wish("anyone"))
    await carol.hear("notice")
    await alice.send(practice=wish("bob"))
    notice = await alice.hear("notice")
    assert notice.code == pb.NOTICE_CODE_WAITING
    assert notice.text.startswith("waiting until bob asks for practice at the same table: stop_me_go")
    assert not server.competition.hall.matches
    await bob.send(practice=wish("alice"))
    assert list((await bob.hear("match_start")).names) == ["alice", "bob"]
    await asyncio.gather(alice.play(), bob.play())


async def test_a_named_bot_that_wishes_for_nothing_of_the_kind_is_never_drawn_in(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    await server.token("carol")
    for other in (wish("patient"), wish("anyone", "anyone"), wish("carol")):
        await bob.send(practice=other)
        await alice.send(practice=wish("bob"))
        assert (await alice.hear("notice")).code == pb.NOTICE_CODE_WAITING
    await alice.until_now()
    assert all("alice" not in match.names for match in server.competition.hall.matches.values())


async def test_a_name_that_nobody_has_is_refused_with_who_there_is(server: Server) -> None:
    alice, _ = await server.bots("alice", "bob")
    await alice.send(practice=wish("nobody"))
    notice = await alice.hear("notice")
    assert notice.code == pb.NOTICE_CODE_REFUSED
    assert notice.text == (
        "unknown bot 'nobody': house bots for stop_me_go are mixed, patient, random, searcher; connected are alice, "
        "bob; 'anyone' is any other bot that waits"
    )


async def test_a_bot_does_not_practise_against_itself_or_twice_against_another(server: Server) -> None:
    alice, _ = await server.bots("alice", "bob")
    await alice.send(practice=wish("alice"))
    assert (await alice.hear("notice")).text == "alice cannot practise against itself: name others, or 'anyone'"
    await alice.send(practice=wish("bob", "bob"))
    assert (await alice.hear("notice")).text == "bob is one bot and has one seat; house bots may have several"


async def test_a_wish_goes_on_after_a_broken_stream(server: Server) -> None:
    token = await server.token("alice")
    alice, welcome = await back(server, token)
    assert welcome.practice_left == 0
    await alice.send(practice=wish("patient", matches=3))
    running = await alice.hear("match_start")
    await alice.close()
    await soon(lambda: not server.session("alice").connected)
    alice, welcome = await back(server, token)
    assert (list(welcome.resumed), welcome.practice_left) == ([running.match_id], 2)
    await alice.play(3)
    await alice.until_now()
    assert not server.competition.hall.matches
    assert len(list(server.store.matches.in_schedule_order(None))) == 3
    await alice.close()
    await soon(lambda: "alice" not in server.competition.presence.bots)
    assert (await back(server, token))[1].practice_left == 0


async def test_a_wish_that_waits_is_found_again_by_others_after_a_broken_stream(server: Server) -> None:
    token = await server.token("alice")
    alice, _ = await back(server, token)
    await alice.send(practice=wish("anyone", matches=2))
    await alice.hear("notice")
    await alice.close()
    await soon(lambda: "alice" not in server.competition.presence.bots)
    bob = await server.bot("bob")
    await bob.send(practice=wish("anyone"))
    assert (await bob.hear("notice")).code == pb.NOTICE_CODE_WAITING
    alice, welcome = await back(server, token)
    assert welcome.practice_left == 2
    assert "bob" in (await alice.hear("match_start")).names


async def test_a_stream_that_is_taken_over_keeps_its_wish(server: Server) -> None:
    token = await server.token("alice")
    alice, welcome = await back(server, token)
    await alice.send(practice=wish("patient", matches=3))
    await alice.hear("match_start")
    alice, welcome = await back(server, token, resume=welcome.session)
    assert welcome.practice_left == 2
    await alice.play(3)


async def test_a_stream_that_breaks_while_a_match_is_prepared_costs_no_practice(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = server.store.matches
    right, prepared, go_on = matches.add_practice, threading.Event(), threading.Event()

    def held(*asked: Any) -> Any:
        prepared.set()
        assert go_on.wait(PATIENCE)
        return right(*asked)

    monkeypatch.setattr(matches, "add_practice", held)
    token = await server.token("alice")
    alice, _ = await back(server, token)
    await alice.send(practice=wish("patient", matches=2))
    await soon(prepared.is_set)
    await alice.close()
    await soon(lambda: "alice" not in server.competition.presence.bots)
    alice, _ = await back(server, token)
    go_on.set()
    await alice.play(2)


async def test_a_wish_is_forgotten_after_the_grace_and_after_a_leave(server: Server) -> None:
    server.competition.lobby._control = TimeControl(grace=0.3)
    token = await server.token("alice")
    for goes in (Raw.close, leaves):
        alice, _ = await back(server, token)
        await alice.send(practice=wish("anyone", matches=2))
        await alice.hear("notice")
        await goes(alice)
        await soon(lambda: "alice" not in server.competition.presence.bots)
        await soon(lambda: not server.competition.lobby.left("alice"))
        alice, welcome = await back(server, token)
        assert welcome.practice_left == 0
        await alice.close()
        await soon(lambda: "alice" not in server.competition.presence.bots)


async def leaves(bot: Raw) -> None:
    await bot.send(leave=pb.Leave())
    assert (await bot.status())[0] is grpc.StatusCode.OK
