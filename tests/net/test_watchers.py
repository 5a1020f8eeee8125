"""Many who watch: all see the latest state and the last, computed once, and no answer of a bot waits for them."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.v1 import tournament_pb2 as pb
from arena.v1 import tournament_pb2_grpc
from referee.hall import wake_slices
from referee.hall.wake_slices import Usher
from referee.net import broadcast
from referee.net.limits import Limits

from ..waiting import soon
from .conftest import Server, serving
from .elsewhere import door_at


def stub(channel: Any) -> Any:
    return tournament_pb2_grpc.TournamentServiceStub(channel)


async def test_watchers_of_one_address_keep_no_other_out(tmp_path: Path) -> None:
    async with serving(tmp_path, Limits(watchers=4, watchers_per_address=3)) as server:
        await server.bots("alice", "bob")
        request = pb.WatchMatchRequest(match=server.sit("alice", "bob").id)
        async with grpc.aio.insecure_channel(server.address) as channel:
            calls = [stub(channel).WatchMatch(request) for _ in range(3)]
            for call in calls:
                assert not (await call.read()).over
            assert await stub(channel).WatchMatch(request).code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            async with door_at(server.address, "127.0.0.2") as door, grpc.aio.insecure_channel(door) as elsewhere:
                spectator = stub(elsewhere).WatchMatch(request)
                assert not (await spectator.read()).over
                fifth = stub(elsewhere).WatchMatch(request)
                assert await fifth.details() == "4 watch already; try again when some have left"
                spectator.cancel()
            for call in calls:
                call.cancel()


async def test_a_view_is_made_once_for_all_who_watch_and_the_last_one_is_seen_by_all(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "LEAST_PAUSE", 0.02)
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    made = 0
    show = broadcast.Broadcast._show

    def counted(self: broadcast.Broadcast) -> None:
        nonlocal made
        made += 1
        show(self)

    monkeypatch.setattr(broadcast.Broadcast, "_show", counted)
    async with grpc.aio.insecure_channel(server.address) as channel:
        calls = [aiter(stub(channel).WatchMatch(pb.WatchMatchRequest(match=match.id))) for _ in range(50)]
        firsts = [await anext(call) for call in calls]
        assert made == 1
        assert {first.decisions for first in firsts} == {0}

        async def rest(call: Any) -> list[Any]:
            return [state async for state in call]

        seen, *_ = await asyncio.gather(asyncio.gather(*(rest(call) for call in calls)), alice.play(), bob.play())
        decisions = match.table.decisions
        for states in seen:
            numbers = [state.decisions for state in states]
            assert numbers == sorted(numbers)
            assert [state.over for state in states] == [False] * (len(states) - 1) + [True]
            assert (states[-1].decisions, list(states[-1].scores)) == (decisions, match.table.state.scores())
        assert made <= decisions + 2
    await soon(lambda: not server.referee._watch._broadcasts._shown and not server.competition.hall._watchers)
    await soon(lambda: server.referee._watch._watchers.taken == 0)


async def test_a_match_is_shown_at_most_so_often_and_to_its_end(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "LEAST_PAUSE", 60.0)
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    async with grpc.aio.insecure_channel(server.address) as channel:
        call = aiter(stub(channel).WatchMatch(pb.WatchMatchRequest(match=match.id)))
        assert (await anext(call)).decisions == 0
        await asyncio.gather(alice.play(), bob.play())
        assert match.ending is not None
        async with asyncio.timeout(20):
            states = [state async for state in call]
        # After the first decision, and not again for a minute; but the end is shown at once.
        assert len(states) <= 2
        assert states[-1].over


async def test_watchers_are_woken_a_few_at_a_time() -> None:
    loop = asyncio.get_running_loop()
    turns: list[int] = []
    woken = 0
    done = asyncio.Event()
    watchers = [asyncio.Event() for _ in range(10 * wake_slices.AT_ONCE)]

    async def watch(event: asyncio.Event) -> None:
        nonlocal woken
        await event.wait()
        woken += 1
        if woken == len(watchers):
            done.set()

    def turn() -> None:
        turns.append(woken)
        if not done.is_set():
            loop.call_soon(turn)

    tasks = [asyncio.create_task(watch(event)) for event in watchers]
    await asyncio.sleep(0)
    door = Usher()
    door.wake(watchers)
    door.wake(watchers[:50])  # nobody is woken twice
    loop.call_soon(turn)
    await asyncio.wait_for(done.wait(), 10)
    await asyncio.gather(*tasks)
    assert max(after - before for before, after in pairwise(turns)) <= wake_slices.AT_ONCE


async def test_who_has_gone_is_not_woken() -> None:
    door = Usher()
    stays, goes = asyncio.Event(), asyncio.Event()
    door.wake([goes, stays])
    door.forget(goes)
    await asyncio.wait_for(stays.wait(), 10)
    assert not goes.is_set()


async def test_the_description_of_a_view_comes_once_with_the_first_state(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    match.view_descriptor = b"how to read the view"
    async with grpc.aio.insecure_channel(server.address) as channel:
        for _ in range(2):  # to each who watches
            call = aiter(stub(channel).WatchMatch(pb.WatchMatchRequest(match=match.id)))
            first = await anext(call)
            assert (first.view_descriptor, first.view_type) == (b"how to read the view", match.view_type)
        await asyncio.gather(alice.play(), bob.play())
        async with asyncio.timeout(20):
            assert [state.view_descriptor async for state in call if state.over] == [b""]
