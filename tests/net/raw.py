"""A bot without any SDK: generated messages, a bare channel, and nothing done by itself."""

from __future__ import annotations

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import asyncio
from typing import Any

import grpc
import grpc.aio

from arena.v1 import match_pb2 as pb

from ..waiting import PATIENCE

PLAY = "/arena.v1.MatchService/Play"


class Raw:
    """One stream, driven by hand."""

    def __init__(self, address: str, token: str | None, **options: Any) -> None:
        self.channel = grpc.aio.insecure_channel(
            address, options=[("grpc.use_local_subchannel_pool", 1), *options.pop("channel", [])]
        )
        metadata = [("authorization", f"Bearer {token}")] if token is not None else []
        self.call: Any = self.channel.stream_stream(PLAY)(metadata=[*metadata, *options.pop("metadata", [])], **options)
        self.frames: list[pb.PlayResponse] = []
        self._bodies: asyncio.Queue[pb.RefereeBody | None] = asyncio.Queue()
        self._reader: asyncio.Task[None] | None = None

    def listen(self) -> None:
        """Start reading; a bot that never does is one that never reads."""

        async def read() -> None:
            try:
                while (data := await self.call.read()) is not grpc.aio.EOF:
                    frame = pb.PlayResponse.FromString(data)
                    self.frames.append(frame)
                    for body in frame.bodies:
                        self._bodies.put_nowait(body)
            except (grpc.aio.AioRpcError, asyncio.CancelledError):
                pass
            finally:
                self._bodies.put_nowait(None)

        self._reader = asyncio.ensure_future(read())

    async def hello(self, **fields: Any) -> pb.Welcome:
        """Say hello and be welcomed."""
        self.listen()
        fields = {"protocol_version": 1, "concurrency": 8, **fields}
        await self.send(hello=pb.Hello(**fields))
        welcome: pb.Welcome = await self.hear("welcome")
        return welcome

    async def send(self, **bodies: Any) -> None:
        """One frame with these bodies."""
        await self.send_all(*[pb.BotBody(**{kind: body}) for kind, body in bodies.items()])

    async def send_all(self, *bodies: pb.BotBody) -> None:
        await self.send_bytes(pb.PlayRequest(bodies=bodies).SerializeToString())

    async def send_bytes(self, data: bytes) -> None:
        await self.call.write(data)

    async def act(self, decide: pb.Decide, move: str | None = None, **changes: Any) -> None:
        """Answer a question, with its first legal move unless told otherwise."""
        fields: dict[str, Any] = {"match_id": decide.match_id, "decision": decide.decision, **changes}
        await self.send(act=pb.Act(move_text=decide.legal[0] if move is None else move, **fields))

    async def hear(self, kind: str, patience: float = PATIENCE) -> Any:
        """The next body of this kind; others before it are passed over."""
        while True:
            body = await asyncio.wait_for(self._bodies.get(), patience)
            assert body is not None, f"the stream ended ({await self.status()}) before any {kind}"
            if body.WhichOneof("body") == kind:
                return getattr(body, kind)

    async def until_now(self) -> list[str]:
        """The kinds of all that the server has said by the time it has read everything sent to it."""
        await self.send(hello=pb.Hello(protocol_version=1))  # a second one, to which it answers with a notice
        kinds: list[str] = []
        while True:
            body = await asyncio.wait_for(self._bodies.get(), PATIENCE)
            assert body is not None, f"the stream ended: {await self.status()}"
            if body.HasField("notice") and body.notice.code == pb.NOTICE_CODE_IGNORED:
                return kinds
            kinds.append(body.WhichOneof("body") or "")

    def silent(self) -> bool:
        """Whether nothing has been heard that was not asked for."""
        return self._bodies.empty()

    async def status(self, patience: float = PATIENCE) -> tuple[grpc.StatusCode, str]:
        """How the stream ended."""
        code = await asyncio.wait_for(self.call.code(), patience)
        return code, await self.call.details() or ""

    async def play(self, matches: int = 1) -> pb.MatchEnd:
        """Answer everything with the first legal move until so many matches have ended."""
        while True:
            body = await asyncio.wait_for(self._bodies.get(), PATIENCE)
            assert body is not None, f"the stream ended: {await self.status()}"
            if body.HasField("decide"):
                await self.act(body.decide)
            elif body.HasField("match_end"):
                matches -= 1
                if not matches:
                    return body.match_end

    async def close(self) -> None:
        """Go away without a word."""
        self.call.cancel()
        if self._reader is not None:
            await asyncio.wait({self._reader})
        await self.channel.close()
