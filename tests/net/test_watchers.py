"""Many who watch: all see the latest state and the last, computed once, and no answer of a bot waits for them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.v1 import tournament_pb2 as pb
from arena.v1 import tournament_pb2_grpc
from referee.net import broadcast
from referee.net.limits import Limits
from referee.rules import registry

from ..waiting import PATIENCE, soon
from .conftest import Server, serving
from .elsewhere import door_at


def stub(channel: Any) -> Any:
    return tournament_pb2_grpc.TournamentServiceStub(channel)


async def test_watchers_of_one_address_keep_no_other_out(tmp_path: Path) -> None:
    async with serving(tmp_path, Limits(watchers=4, watchers_per_address=3)) as server:
        await server.bots("alice", "bob")
        request = pb.WatchMatchRequest(match_id=server.sit("alice", "bob").id)
        async with grpc.aio.insecure_channel(server.address) as channel:
            calls = [stub(channel).WatchMatch(request) for _ in range(3)]
            for call in calls:
                assert not (await call.read()).over
            assert await stub(channel).WatchMatch(request).code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            async with door_at(server.address, "127.0.0.2") as door, grpc.aio.insecure_channel(door) as elsewhere:
                spectator = stub(elsewhere).WatchMatch(request)
                assert not (await spectator.read()).over
                fifth = stub(elsewhere).WatchMatch(request)
                assert await fifth.details() == "4 watch already: try again when some have left"
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

    async def counted(self: broadcast.Broadcast) -> None:
        nonlocal made
        made += 1
        await show(self)

    monkeypatch.setattr(broadcast.Broadcast, "_show", counted)
    async with grpc.aio.insecure_channel(server.address) as channel:
        calls = [aiter(stub(channel).WatchMatch(pb.WatchMatchRequest(match_id=match.id))) for _ in range(50)]
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
        call = aiter(stub(channel).WatchMatch(pb.WatchMatchRequest(match_id=match.id)))
        assert (await anext(call)).decisions == 0
        await asyncio.gather(alice.play(), bob.play())
        assert match.ending is not None
        async with asyncio.timeout(PATIENCE):
            states = [state async for state in call]
        # After the first decision, and not again for a minute; but the end is shown at once.
        assert len(states) <= 2
        assert states[-1].over


async def test_the_description_of_a_view_comes_once_with_the_first_state(server: Server) -> None:
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    match.view_descriptor = b"how to read the view"
    async with grpc.aio.insecure_channel(server.address) as channel:
        for _ in range(2):  # to each who watches
            call = aiter(stub(channel).WatchMatch(pb.WatchMatchRequest(match_id=match.id)))
            first = await anext(call)
            assert (first.view_descriptor, first.view_type) == (b"how to read the view", match.view_type)
        await asyncio.gather(alice.play(), bob.play())
        async with asyncio.timeout(PATIENCE):
            assert [state.view_descriptor async for state in call if state.over] == [b""]


async def test_a_match_is_shown_so_many_decisions_late_and_whole_at_its_end(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast, "LEAST_PAUSE", 0.0)
    server.competition.hall.delay = 3
    alice, bob = await server.bots("alice", "bob")
    match = server.sit("alice", "bob")
    seen: list[tuple[int, int]] = []
    show = broadcast.Broadcast._show

    async def compared(self: broadcast.Broadcast) -> None:
        await show(self)
        shown = pb.WatchMatchResponse.FromString(self._message)
        if match.ending is None:
            seen.append((match.table.decisions, shown.decisions))
            assert not shown.over
            assert not shown.HasField("result")

    monkeypatch.setattr(broadcast.Broadcast, "_show", compared)
    async with grpc.aio.insecure_channel(server.address) as channel:
        call = aiter(stub(channel).WatchMatch(pb.WatchMatchRequest(match_id=match.id)))
        assert (await anext(call)).decisions == 0
        await asyncio.gather(alice.play(), bob.play())
        async with asyncio.timeout(PATIENCE):
            states = [state async for state in call]
    assert match.ending is not None
    assert all(shown == max(0, played - 3) for played, shown in seen)
    assert any(shown for _, shown in seen)
    last = states[-1]
    assert (last.over, last.decisions) == (True, match.table.decisions)
    assert last.view == match.table.state.view_bytes(None)
    assert list(last.result.ranks) == list(match.ending.ranks)


@pytest.mark.parametrize("delay", [0, 2])
async def test_what_ends_a_match_is_shown_once_its_result_is_stored(tmp_path: Path, delay: int) -> None:
    """A server that dies before that deals the match anew: nobody may have seen another end."""
    async with serving(tmp_path) as server:
        server.competition.hall.delay = delay
        alice, bob = await server.bots("alice", "bob")
        game = registry.find("stop_me_go")
        players = [server.session(name) for name in ("alice", "bob")]
        ended = asyncio.Event()
        match = server.competition.hall.play(
            "cup/0", game, players, game.resolve_options({}), bytes(32), server.control, finished=lambda *_: ended.set()
        )
        async with grpc.aio.insecure_channel(server.address) as channel:
            seen: list[Any] = []

            async def watch() -> None:
                states = stub(channel).WatchMatch(pb.WatchMatchRequest(match_id="cup/0"))
                while (state := await states.read()) is not grpc.aio.EOF:
                    seen.append(state)

            watching = asyncio.create_task(watch())
            await soon(lambda: seen)
            playing = [asyncio.create_task(bot.play()) for bot in (alice, bob)]
            await asyncio.wait_for(ended.wait(), PATIENCE)
            whole = match.table.decisions
            await asyncio.sleep(3 * broadcast.LEAST_PAUSE)  # the end would be shown at once
            assert not any(state.over or state.HasField("result") or state.decisions >= whole for state in seen)
            match.announce()
            await asyncio.wait_for(watching, PATIENCE)
            assert (seen[-1].over, seen[-1].decisions, seen[-1].HasField("result")) == (True, whole, True)
            await asyncio.gather(*playing)
