"""Nonces over a real socket: bots of the SDK take part, and everything can be checked from what is published."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc.aio
import pytest

from arena import nonces as sdk_nonces
from arena.client import Client
from arena.settings import Settings
from arena.v1 import match_pb2 as pb
from arena.v1 import tournament_pb2
from arena.v1.tournament_pb2_grpc import TournamentServiceStub
from referee.hall.nonce_call import NonceCall, NonceStep
from referee.store import DrawnNonce, NonceDraw
from referee.tournament import nonces
from referee.tournament.plan import Plan
from referee.tournament.seeds import match_seed

from ..waiting import soon
from .conftest import Server
from .raw import Raw

PLAN = Plan(game="stop_me_go", players=2, rounds=6, limit=60.0)


async def played(server: Server, name: str) -> None:
    await soon(lambda: name not in server.competition.director.runners, patience=60)


async def published(server: Server) -> tournament_pb2.TournamentInfo:
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = TournamentServiceStub(channel)
        listed = await stub.ListTournaments(tournament_pb2.ListTournamentsRequest())
    (info,) = listed.tournaments
    return tournament_pb2.TournamentInfo.FromString(info.SerializeToString())


async def test_bots_of_the_sdk_take_part_and_can_check_it_afterwards(server: Server, tmp_path: Path) -> None:
    tasks = []
    for name in ("ada", "bob"):
        settings = Settings(
            server=server.address, token=await server.token(name), quiet=True, record=tmp_path / f"{name}.jsonl"
        )
        client = Client(lambda decision: decision.legal[0], settings, say=lambda text: None)
        tasks.append(asyncio.ensure_future(client.play()))
    await soon(lambda: len(server.competition.presence.bots) == 2)
    await server.competition.director.create("cup", PLAN, ["ada", "bob", "random"], None, True)
    await played(server, "cup")
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    info = await published(server)
    (drawn,) = info.nonces
    assert [entrant.name for entrant in drawn.entrants] == ["ada", "bob"]
    draw = NonceDraw(
        drawn.draw,
        drawn.first_match,
        tuple(DrawnNonce(each.name, each.commitment, each.nonce) for each in drawn.entrants),
    )
    assert nonces.digest("cup", draw).hex() == drawn.digest
    # What one bot kept is what is published, and the seeds it was told follow from it.
    kept = [json.loads(line) for line in (tmp_path / "ada.jsonl").read_text("utf-8").splitlines()]
    fixed = next(line for line in kept if line.get("step") == "NONCE_STEP_FIXED")
    assert fixed["root_commitment"] == info.commitment
    assert fixed["entrants"][0]["nonce"] == drawn.entrants[0].nonce
    starts = {line["match_id"]: line for line in kept if line["type"] == "start"}
    ends = {line["match_id"]: line for line in kept if line["type"] == "end"}
    assert ends.keys() == starts.keys() != set()
    for match, end in ends.items():
        assert starts[match]["nonces_digest"] == drawn.digest
        seed = match_seed(bytes.fromhex(info.root), "cup", int(match.split("/")[1]), 1, bytes.fromhex(drawn.digest))
        assert end["seed"] == seed.hex()


async def test_a_bot_that_does_not_offer_nonces_is_not_asked_and_the_seeds_are_those_of_before(server: Server) -> None:
    bot = await server.bot("ada")
    await server.competition.director.create(
        "cup", Plan(game="stop_me_go", players=2, rounds=1), ["ada", "random"], None, True
    )
    start: pb.MatchStart = await bot.hear("match_start")
    assert start.nonces_digest == ""
    assert not any(body.HasField("nonces") for frame in bot.frames for body in frame.bodies)
    league = server.store.tournaments.get("cup")
    assert server.store.nonces.draws(league.id) == ()
    (match,) = server.competition.hall.matches.values()
    assert match.seed == match_seed(server.store.tournaments.root(league.id), "cup", 0, 1)


async def answer(bot: Raw, sdk: sdk_nonces.Nonces) -> pb.Nonces:
    call: pb.Nonces = await bot.hear("nonces")
    if (said := sdk.answer(call)) is not None:
        await bot.send(nonce=said)
    return call


async def test_a_question_for_a_nonce_is_repeated_after_a_reconnect(server: Server) -> None:
    """Also to a bot whose session lives on, because a match waits for it."""
    token, sdk = await server.token("ada"), sdk_nonces.Nonces()
    bot = await server.connect(token)
    welcome = await bot.hello(gives_nonces=True)
    await server.bot("bob")
    server.sit("ada", "bob")
    heard: list[str] = []
    session = server.session("ada")
    session.nonces(NonceCall("cup", 0, NonceStep.COMMIT, "aa"), heard.append)
    call: pb.Nonces = await bot.hear("nonces")
    await bot.close()
    again = await server.connect(token)
    await again.hello(gives_nonces=True, resume=welcome.session)
    assert await answer(again, sdk) == call
    await soon(lambda: len(heard) == 1)
    said = sdk.answer(call)
    assert said is not None
    assert heard == [said.commitment]


@pytest.mark.parametrize("given", [pb.Nonce(tournament="cup"), pb.Nonce(tournament="x" * 1000, nonce="zz" * 9999)])
async def test_a_nonce_that_was_not_asked_for_is_remarked_upon_and_changes_nothing(
    server: Server, given: pb.Nonce
) -> None:
    bot = await server.bot("ada", gives_nonces=True)
    await bot.send(nonce=given)
    notice: pb.Notice = await bot.hear("notice")
    assert notice.code == pb.NOTICE_CODE_IGNORED
    assert "was not asked for" in notice.text
