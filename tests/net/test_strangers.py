"""Whatever strangers ask for, and however often: bots log in and play as ever."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.v1 import match_pb2 as pb
from arena.v1 import tournament_pb2 as tournaments
from arena.v1 import tournament_pb2_grpc
from referee.cli import standings_source
from referee.cli.main import main
from referee.hall import resting_threads, tokens
from referee.net import anonymous_reads, bearer, play_service
from referee.net import watch_service as watching
from referee.net.limits import Limits
from referee.net.server import REVOCATIONS_EVERY
from referee.store import NewEntrant
from referee.tournament import lifecycle
from referee.tournament.plan import Plan
from referee_leaderboard import Connection, Standings

from ..waiting import PATIENCE, soon
from .conftest import Server, serving
from .elsewhere import door_at
from .raw import PLAY


class Blocked:
    """Something that does not answer until it is let go."""

    def __init__(self, work: Any) -> None:
        self.calls = 0
        self.go_on = threading.Event()
        self._work = work

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        assert self.go_on.wait(PATIENCE)
        return self._work(*arguments)


@pytest.fixture
def blocked() -> Iterator[Any]:
    made: list[Blocked] = []

    def block(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> Blocked:
        made.append(Blocked(getattr(owner, name)))
        monkeypatch.setattr(owner, name, made[-1])
        return made[-1]

    yield block
    for each in made:
        each.go_on.set()


async def found_a_league(server: Server) -> None:
    """A tournament that is not started."""

    def found() -> None:
        entrants = [NewEntrant(server.store.bots.add(name).bot.id, name) for name in ("one", "two")]
        lifecycle.create(server.store, "league", Plan("stop_me_go", 2, rounds=2), entrants, None)

    await asyncio.to_thread(found)


def channels(address: str, count: int) -> list[Any]:
    return [grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) for _ in range(count)]


# Reads.


async def test_while_reads_of_strangers_wait_bots_log_in_and_play(
    server: Server, monkeypatch: pytest.MonkeyPatch, blocked: Any
) -> None:
    await found_a_league(server)
    alice = await server.bot("alice")
    token = await server.token("bob")
    bob = await server.connect(token)
    await bob.hello()
    slow = blocked(monkeypatch, server.store.matches, "page")
    crowd = channels(server.address, 4)
    request = tournaments.ListMatchesRequest(tournament="league")
    calls = [
        tournament_pb2_grpc.TournamentServiceStub(channel).ListMatches(request) for channel in crowd for _ in range(50)
    ]
    refused = len(calls) - anonymous_reads.MOST_PER_ADDRESS
    await soon(lambda: sum(call.done() for call in calls) == refused, PATIENCE)
    match = server.sit("alice", "bob")
    await bob.hear("match_start")
    await bob.close()  # its connection breaks …
    await soon(lambda: not server.session("bob").connected)
    back = await server.connect(token)
    await back.hello()  # … and it is back, while nothing that strangers wait for has moved
    await soon(lambda: slow.calls >= resting_threads.THREADS)
    assert slow.calls == resting_threads.THREADS
    await asyncio.gather(alice.play(), back.play())
    assert match.ending is not None
    assert [each.name for each in match.ending.terminations] == ["FINISHED"] * 2
    for call in calls:
        if call.done():
            assert await call.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert await call.details() == "64 questions from your address are waiting already: try again in 1 second"
            assert dict(await call.trailing_metadata())["retry-after-ms"] == "1000"
    async with door_at(server.address, "127.0.0.2") as door, grpc.aio.insecure_channel(door) as channel:
        other = tournament_pb2_grpc.TournamentServiceStub(channel).ListMatches(request)
        slow.go_on.set()
        assert (await other).total == 2
    codes = [await call.code() for call in calls]
    assert codes.count(grpc.StatusCode.OK) == anonymous_reads.MOST_PER_ADDRESS
    for channel in crowd:
        await channel.close()


async def test_pages_of_matches_and_records_are_what_they_were(server: Server) -> None:
    await found_a_league(server)
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = tournament_pb2_grpc.TournamentServiceStub(channel)
        every = await stub.ListMatches(tournaments.ListMatchesRequest(tournament="league"))
        assert [match.match_id for match in every.matches] == ["league/0", "league/1"]
        second = await stub.ListMatches(tournaments.ListMatchesRequest(tournament="league", offset=1, limit=1))
        assert [match.match_id for match in second.matches] == ["league/1"]
        assert second.total == 2
        nothing = await stub.ListMatches(tournaments.ListMatchesRequest(tournament="league", offset=2))
        assert not nothing.matches
        for name in ("league/0", "league/7", "nobody/0", "league/x"):  # not finished, or not there
            record = stub.GetRecord(tournaments.GetRecordRequest(match_id=name))
            assert await record.code() is grpc.StatusCode.NOT_FOUND
        unknown = stub.ListMatches(tournaments.ListMatchesRequest(tournament="nobody"))
        assert await unknown.code() is grpc.StatusCode.NOT_FOUND


# Tokens.


async def test_a_known_bot_logs_in_while_unknown_tokens_wait_for_the_store(
    server: Server, monkeypatch: pytest.MonkeyPatch, blocked: Any
) -> None:
    token = await server.token("alice")
    alice = await server.connect(token)
    await alice.hello()
    await alice.close()
    await soon(lambda: "alice" not in server.competition.presence.bots)
    slow = blocked(monkeypatch, server.store.bots, "passes")
    crowd = channels(server.address, 3)
    wrong = [
        each.stream_stream(PLAY)(metadata=(("authorization", f"Bearer {number:064x}"),))
        for each in crowd
        for number in range(40)
    ]
    busy = len(wrong) - tokens.MOST_UNKNOWN_PER_ADDRESS
    await soon(lambda: sum(call.done() for call in wrong) == busy, PATIENCE)
    for call in wrong:
        if call.done():  # it is worth trying again: it might be a bot that was registered a moment ago
            assert await call.code() is grpc.StatusCode.UNAVAILABLE
            assert await call.details() == bearer.BUSY.text
    assert (await (await server.connect(token)).hello()).name == "alice"
    await soon(lambda: slow.calls == 1, PATIENCE)
    began = asyncio.get_running_loop().time()
    slow.go_on.set()
    codes = [await asyncio.wait_for(call.code(), PATIENCE) for call in wrong]
    by_itself = 1 + int((asyncio.get_running_loop().time() - began) / REVOCATIONS_EVERY)
    assert codes.count(grpc.StatusCode.UNAUTHENTICATED) == tokens.MOST_UNKNOWN_PER_ADDRESS
    assert slow.calls <= 2 + by_itself  # one look for those of before it began and one for the others
    for each in crowd:
        await each.close()


async def test_a_bot_registered_on_the_file_may_connect_at_once(server: Server) -> None:
    for number in range(5):
        old = await server.token(f"bot{number}")
        bot = await server.connect(old)
        assert (await bot.hello()).name == f"bot{number}"
    await bot.close()
    made = await asyncio.to_thread(server.store.bots.rotate, "bot4")
    await soon(lambda: "bot4" not in server.competition.presence.bots)
    assert (await (await server.connect(made.token)).hello()).name == "bot4"
    void = await server.connect(old)
    void.listen()
    assert (await void.status())[0] is grpc.StatusCode.UNAUTHENTICATED


# What people are told.


async def test_a_command_that_is_turned_away_says_when_to_try_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(anonymous_reads, "MOST_PER_ADDRESS", 0)
    async with serving(tmp_path) as server:
        for words in (["leaderboard", "--once"], ["tournament", "list"]):
            assert await asyncio.to_thread(main, [*words, "--server", server.address]) == 3
            said = capsys.readouterr().err
            assert "is busy" in said
            assert "try again in 1 second" in said


async def test_the_live_leaderboard_waits_until_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "WATCHERS_RETRY_MS", 50)
    monkeypatch.setattr(standings_source, "FIRST_PAUSE", 0.01)
    async with serving(tmp_path, Limits(watchers_per_address=1)) as server:
        await found_a_league(server)
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub: Any = tournament_pb2_grpc.TournamentServiceStub(channel)
            first = stub.WatchStandings(tournaments.WatchStandingsRequest(tournament="league"))
            await first.read()
            events = standings_source.from_server(server.address, None, "league")
            event = await anext(events)
            assert isinstance(event, Connection)
            assert "server busy (1 from your address watch already" in event.sentence
            first.cancel()
            while isinstance(event, Connection):
                event = await asyncio.wait_for(anext(events), PATIENCE)
            assert isinstance(event, Standings)
            await events.aclose()  # type: ignore[attr-defined]


async def test_a_token_that_becomes_void_before_the_hello_lets_no_bot_in(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, first_frame = asyncio.Event(), play_service._first_frame

    async def waits(context: Any) -> pb.PlayRequest:
        known.set()
        return await first_frame(context)

    monkeypatch.setattr(play_service, "_first_frame", waits)
    early = await server.connect(await server.token("bot"))
    early.listen()
    await asyncio.wait_for(known.wait(), PATIENCE)  # who calls is known, and the Hello is waited for
    noticed: list[str] = []
    monkeypatch.setattr(server.referee.play, "close", lambda name, refusal: noticed.append(name))
    await asyncio.to_thread(server.store.bots.rotate, "bot")
    await soon(lambda: noticed)
    await early.send(hello=pb.Hello(protocol_version=1, concurrency=1))
    assert await early.status() == (grpc.StatusCode.UNAUTHENTICATED, "the token is missing, unknown or revoked")
