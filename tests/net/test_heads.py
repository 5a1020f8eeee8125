"""The head of a tournament's hash chain is told live: to its bots, to all who watch, and by commands."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import grpc.aio

from arena.v1 import tournament_pb2 as pb
from arena.v1 import tournament_pb2_grpc
from referee.store.journal_entry import INSTALLATION
from referee.tournament.plan import Plan

from ..waiting import PATIENCE
from .conftest import Server

PLAN = Plan("stop_me_go", 2, rounds=3, limit=60.0, bank=60.0)


async def test_every_end_comes_with_a_head_that_holds_it_and_a_welcome_with_the_latest(server: Server) -> None:
    ada, bob = await server.bots("ada", "bob")
    await server.competition.director.create("league", PLAN, ["ada", "bob"], None, True)
    await asyncio.gather(ada.play(3), bob.play(3))
    async with asyncio.timeout(PATIENCE):
        await server.competition.director.wait_until_stopped("league")
    number = server.store.tournaments.get("league").id
    chain = list(server.store.journal.read(number))
    results = {
        json.loads(line.entry)["match"]: line.number for line in chain if json.loads(line.entry)["kind"] == "result"
    }
    for bot in (ada, bob):
        ends = [body.match_end for frame in bot.frames for body in frame.bodies if body.HasField("match_end")]
        starts = [body.match_start for frame in bot.frames for body in frame.bodies if body.HasField("match_start")]
        assert len(ends) == 3
        assert {start.attempt for start in starts} == {1}
        for end in ends:
            assert end.head.tournament == "league"
            assert chain[end.head.entries - 1].hash == end.head.hash
            assert results[int(end.match_id.rpartition("/")[2])] < end.head.entries
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = tournament_pb2_grpc.TournamentServiceStub(channel)
        watching = stub.WatchStandings(pb.WatchStandingsRequest(tournament="league"))
        shown: Any = await watching.read()
        watching.cancel()
        [info] = (await stub.ListTournaments(pb.ListTournamentsRequest())).tournaments
    for head in (shown.standings.head, info.head):
        assert (head.tournament, head.entries, head.hash) == ("league", len(chain), chain[-1].hash)
    assert json.loads(shown.standings_json)["head"] == {"entries": len(chain), "hash": chain[-1].hash}


async def test_a_bot_that_connects_is_told_the_heads_of_its_own_tournaments_only(server: Server) -> None:
    ada, _ = await server.bots("ada", "bob")
    tokens = {name: await server.token(name) for name in ("cy", "dan")}
    plan = Plan("stop_me_go", 2, rounds=1, absence=60.0)
    await server.competition.director.create("league", plan, ["ada", "cy"], None, True)
    cy, dan = [await server.connect(tokens[name]) for name in ("cy", "dan")]
    assert [head.tournament for head in (await cy.hello()).heads] == ["league"]
    assert list((await dan.hello()).heads) == []
    await asyncio.gather(ada.play(), cy.play())


async def test_practice_has_no_head(server: Server) -> None:
    ada, bob = await server.bots("ada", "bob")
    server.sit("ada", "bob")
    end, _ = await asyncio.gather(ada.play(), bob.play())
    assert not end.HasField("head")
    assert server.store.journal.head(INSTALLATION).entries > 0
