"""A stream that the server ends while the bot writes to it: the server's own status reaches the bot."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import grpc
import grpc.aio

from arena.v1 import match_pb2 as pb
from arena.v1 import match_pb2_grpc
from arena.writing import write


class Refuses(match_pb2_grpc.MatchServiceServicer):
    """Ends every stream before it has read anything, in a thread of its own."""

    def Play(self, request_iterator: object, context: grpc.ServicerContext) -> None:  # type: ignore[override]
        context.abort(grpc.StatusCode.UNAUTHENTICATED, "unknown token")


async def test_the_status_of_a_refusal_survives_a_write_that_fails() -> None:
    server = grpc.server(ThreadPoolExecutor(2))
    match_pb2_grpc.add_MatchServiceServicer_to_server(Refuses(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        for pause in range(20):
            async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                call = match_pb2_grpc.MatchServiceStub(channel).Play()
                with suppress(asyncio.InvalidStateError, grpc.aio.AioRpcError):
                    await call.wait_for_connection()
                    time.sleep(pause / 500)  # noqa: ASYNC251 - the loop must not hear of the end before it writes
                    while True:
                        await write(call, pb.PlayRequest())
                assert await call.code() is grpc.StatusCode.UNAUTHENTICATED
                assert await call.details() == "unknown token"
    finally:
        server.stop(0)
