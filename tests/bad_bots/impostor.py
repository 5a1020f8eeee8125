"""Connects to the referee's socket under another bot's name, without a token, and with a made-up one."""

import asyncio
import os
import sys

import grpc
import grpc.aio

from arena.v1 import match_pb2 as pb
from arena.v1.match_pb2_grpc import MatchServiceStub


async def attempt(what: str, token: str, name: str) -> None:
    outcome = "INTERNAL"
    while outcome == "INTERNAL":  # how gRPC tells a client that it was refused while it was still writing
        outcome = await connect(token, name)
    print(f"{what}: {outcome}", file=sys.stderr, flush=True)


async def connect(token: str, name: str) -> str:
    async with grpc.aio.insecure_channel(os.environ["REFEREE_SERVER"]) as channel:
        call = MatchServiceStub(channel).Play(metadata=(("authorization", f"Bearer {token}"),))
        try:
            hello = pb.BotBody(hello=pb.Hello(protocol_version=1, name=name))
            await call.write(pb.PlayRequest(bodies=[hello]))
            frame = await call.read()
            return "WELCOME" if isinstance(frame, pb.PlayResponse) else (await call.code()).name
        except grpc.aio.AioRpcError as error:
            return error.code().name


async def main() -> None:
    victim = sys.argv[1]
    await attempt("another name", os.environ["REFEREE_TOKEN"], victim)
    await attempt("no token", "", victim)
    await attempt("made-up token", "0" * 32, victim)


asyncio.run(main())
