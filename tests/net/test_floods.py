"""Too many messages, streams or tokens through the real socket of a real server: refused, and nobody else disturbed."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Iterable
from typing import Any

import grpc
import grpc.aio
import pytest

from arena.v1 import match_pb2 as pb

from ..waiting import PATIENCE
from .conftest import NAMES, Process, open_channel
from .raw import PLAY, Raw
from .steady import Steady

pytestmark = pytest.mark.xdist_group("floods")  # one worker: what its tests share takes long to make


async def flood(served: Process, frames: Iterable[bytes], first: bytes | None = None) -> tuple[grpc.StatusCode, str]:
    """Send all this without a pause, after a hello; how the stream ended."""
    hello = pb.PlayRequest(bodies=[pb.BotBody(hello=pb.Hello(protocol_version=1))]).SerializeToString()
    token = served.token(next(NAMES))

    def send() -> tuple[grpc.StatusCode, str]:
        with grpc.insecure_channel(served.address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            method: Any = channel.stream_stream(PLAY)
            call = method(
                itertools.chain([hello], frames), metadata=(("authorization", f"Bearer {token}"),), timeout=PATIENCE
            )
            try:
                for _ in call:
                    pass
            except grpc.RpcError:
                pass
            return call.code(), call.details()

    return await asyncio.to_thread(send)


FLOODED = (grpc.StatusCode.RESOURCE_EXHAUSTED, "too many messages: answer each question once")


def frames_of(body: pb.BotBody, count: int) -> Iterable[bytes]:
    return itertools.repeat(pb.PlayRequest(bodies=[body]).SerializeToString(), count)


async def test_a_long_list_of_bodies_is_flooding(served: Process, bad: Raw, good: Steady) -> None:
    before = served.memory
    await bad.send_bytes(b"\x0a\x00" * 500_000)
    assert await bad.status() == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "too many messages: answer each question once",
    )
    assert served.memory < before + 80


async def test_a_flood_of_moves_ends_the_stream(served: Process, good: Steady) -> None:
    before = served.memory
    moves = frames_of(pb.BotBody(act=pb.Act(match_id="m", decision=1, move_text="hit")), 50_000)
    assert await flood(served, moves) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        "too many answers to matches of others",
    )
    assert served.memory < before + 20


async def test_a_flood_of_empty_messages_ends_the_stream(served: Process, good: Steady) -> None:
    assert await flood(served, itertools.repeat(b"", 50_000)) == FLOODED


async def test_a_flood_of_wishes_ends_the_stream(served: Process, good: Steady) -> None:
    wish = pb.BotBody(practice=pb.Practice(game="flip7", against=["anyone", "anyone"]))
    assert await flood(served, frames_of(wish, 20_000)) == FLOODED


async def test_a_flood_of_wishes_with_large_options_ends_the_stream(served: Process, good: Steady) -> None:
    options = json.dumps({"target_score": [1] * 5_000})
    wish = pb.BotBody(practice=pb.Practice(game="flip7", against=["random", "random"], options_json=options))
    frame = pb.PlayRequest(bodies=[wish] * 60).SerializeToString()
    assert await flood(served, [frame]) == FLOODED


async def test_a_flood_of_wishes_for_what_there_is_not_ends_the_stream(served: Process, good: Steady) -> None:
    wish = pb.BotBody(practice=pb.Practice(game="flip7", against=["nobody", "random"]))
    frame = pb.PlayRequest(bodies=[wish] * 100).SerializeToString()
    assert await flood(served, [frame]) == FLOODED


async def test_thousands_of_streams_disturb_nobody(served: Process, good: Steady) -> None:
    before = served.memory
    token = served.token(next(NAMES))
    async with open_channel(served) as channel:
        metadata = (("authorization", f"Bearer {token}"),)
        calls = [channel.stream_stream(PLAY)(metadata=metadata) for _ in range(2000)]
        await good.plays_on(20)
        assert served.memory < before + 60
        for call in calls:
            call.cancel()
    await good.plays_on(20)


async def test_thousands_of_garbage_tokens_disturb_nobody(served: Process, good: Steady) -> None:
    before = served.memory
    async with open_channel(served) as channel:
        calls = [
            channel.stream_stream(PLAY)(metadata=(("authorization", f"Bearer {number:064x}"),))
            for number in range(1000)
        ]
        codes = await asyncio.gather(*[call.code() for call in calls])
    # More than 64 at once are not even heard (REFUSED_STREAM, which gRPC shows as UNAVAILABLE).
    assert set(codes) <= {grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.UNAVAILABLE}
    assert codes.count(grpc.StatusCode.UNAUTHENTICATED) >= 64
    assert served.memory < before + 40


async def test_a_bot_that_never_reads_holds_up_nobody(served: Process, good: Steady) -> None:
    """It asks for answers without end and reads none: what the server keeps for it is bounded."""
    bot = Raw(served.address, served.token(next(NAMES)))
    before = served.memory
    await bot.send(hello=pb.Hello(protocol_version=1))
    for _ in range(450):
        await bot.send(hello=pb.Hello(protocol_version=1, client="x" * 1000))
    await good.plays_on(50)
    assert served.memory < before + 20
    await bot.close()
