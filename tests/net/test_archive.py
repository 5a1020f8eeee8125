"""ArchiveService over a real socket: matches are found as on the file, and logs are for the author and the host."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.v1 import archive_pb2 as pb
from arena.v1.archive_pb2_grpc import ArchiveServiceStub
from arena.v1.result_pb2 import Termination
from arena.v1.tournament_pb2 import MatchState
from referee.cli.backend import FileBackend, ServerBackend
from referee.cli.errors import Failure
from referee.match.seat_log import Chunk, SeatLog
from referee.store import MatchResult, NewEntrant, SeatResult, Store, StoredLog

from ..cli.commands.conftest import play
from .conftest import Server, serving

OVER = ("finished", "absent", "void")


async def practised(server: Server) -> tuple[str, dict[str, str]]:
    """A finished practice match of ada and bob, with what both wrote, and the tokens of three bots."""
    tokens = {name: await server.token(name) for name in ("ada", "bob", "eve")}

    def store() -> str:
        kept: Store = server.store
        entrants = [NewEntrant(kept.bots.get(name).id, name) for name in ("ada", "bob")]
        row = kept.matches.add_practice("stop_me_go", "1", entrants, {})
        name = f"practice/{row.id}"
        match = play(name, "stop_me_go", ["ada", "bob"])
        assert match.ending is not None
        seats = tuple(
            SeatResult(seat, match.ending.ranks[seat], match.ending.scores[seat], decisions=9) for seat in range(2)
        )
        logs = tuple(
            StoredLog(seat, SeatLog.of_chunks(seat, [Chunk(4, 2, f"seat {seat}\n".encode())]).to_bytes())
            for seat in (0, 1)
        )
        assert kept.matches.report(MatchResult(row.id, 1, seats, match.seed.hex(), match.record(), "tokens", logs))
        return name

    return await asyncio.to_thread(store), tokens


async def test_a_log_is_shown_to_its_author_and_the_host_only(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        match, tokens = await practised(server)
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub: Any = ArchiveServiceStub(channel)

            async def seen(token: str) -> list[int]:
                metadata = (("authorization", f"Bearer {token}"),)
                answer = await stub.GetBotLogs(pb.GetBotLogsRequest(match_id=match), metadata=metadata, timeout=120)
                assert all(log.lines[0].text == f"seat {log.seat}" for log in answer.logs)
                return [log.seat for log in answer.logs]

            assert await seen(server.admin_token) == [0, 1]
            assert await seen(tokens["ada"]) == [0]
            assert await seen(tokens["bob"]) == [1]
            assert await seen(tokens["eve"]) == []
            for token in ("", "wrong"):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await seen(token)
                assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_file_and_server_answer_alike(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        match, tokens = await practised(server)
        file, there = FileBackend(str(tmp_path / "test.db")), ServerBackend(server.address, server.admin_token)
        for wanted in (
            {"states": OVER},
            {"states": OVER, "tournament": "practice", "bot": "ada"},
            {"states": ("playing",)},
            {"states": OVER, "faulted": True},
            {"states": OVER, "fault": "timeout"},
        ):
            here = await asyncio.to_thread(file.find_matches, wanted, 5)
            assert await asyncio.to_thread(there.find_matches, wanted, 5) == here
        assert await asyncio.to_thread(there.match, match) == await asyncio.to_thread(file.match, match)
        assert await asyncio.to_thread(there.record, match) == await asyncio.to_thread(file.record, match)
        logs = await asyncio.to_thread(file.bot_logs, match)
        assert await asyncio.to_thread(there.bot_logs, match) == logs
        assert len(logs) == 2
        own = ServerBackend(server.address, tokens["bob"])
        assert await asyncio.to_thread(own.bot_logs, match) == logs[1:]
        assert await asyncio.to_thread(ServerBackend(server.address).bot_logs, match) == []
        with pytest.raises(Failure, match="did not accept the token: it is neither the admin's nor a bot's"):
            await asyncio.to_thread(ServerBackend(server.address, "wrong").bot_logs, match)
        for backend in (file, there):
            for name in ("practice/999", "cup/1"):
                with pytest.raises(Failure, match=f"there is no match named '{name}': 'referee matches' lists them"):
                    await asyncio.to_thread(backend.match, name)
            with pytest.raises(Failure, match="no tournament named cup"):
                await asyncio.to_thread(backend.find_matches, {"states": OVER, "tournament": "cup"}, 5)


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (pb.FindMatchesRequest(won=True), "name the bot"),
        (pb.FindMatchesRequest(states=[MatchState.MATCH_STATE_UNSPECIFIED]), "there is no state 0"),
        (pb.FindMatchesRequest(fault=Termination.TERMINATION_VOID), "there is no fault 8"),
        (pb.FindMatchesRequest(match_id="x/1"), "no match of that name"),
    ],
)
async def test_what_cannot_be_found_is_said(server: Server, request_: pb.FindMatchesRequest, said: str) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = ArchiveServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError, match=said):
            await stub.FindMatches(request_, timeout=120)
