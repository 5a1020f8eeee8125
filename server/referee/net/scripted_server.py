"""The scripted server of the conformance kit: a gRPC server that accepts streams and otherwise waits to be told.

It knows no game and judges nothing. A case says what is sent on a stream and what must arrive
(`conformance/performance.py`).
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import grpc.aio

from arena.v1 import match_pb2 as pb
from arena.v1.match_pb2_grpc import MatchServiceServicer, add_MatchServiceServicer_to_server

LONGEST_MESSAGE = 64 << 20


@dataclass(slots=True, eq=False)
class Stream:
    """One call of `Play`, seen from the script."""

    metadata: dict[str, str]
    server: int
    """Which of the case's addresses it came to, from 1."""
    opened: float
    heard: asyncio.Queue[pb.PlayRequest | None] = field(default_factory=asyncio.Queue)
    """Messages of the bot, in order; None once there will be no more."""
    to_send: asyncio.Queue[pb.PlayResponse | grpc.StatusCode] = field(default_factory=asyncio.Queue)
    read: bool = False
    """Whether the script has looked at anything that came."""
    details: str = ""
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def say(self, message: pb.PlayResponse) -> None:
        self.to_send.put_nowait(message)

    def end(self, code: str, details: str = "") -> None:
        """`code` is the name of a gRPC status."""
        self.details = details
        self.to_send.put_nowait(grpc.StatusCode[code])


class ScriptedServer(MatchServiceServicer):
    """Listens on a unix socket; a relay stands before it. Streams wait in `streams` for the script."""

    def __init__(
        self,
        path: Path,
        certificate: tuple[bytes, bytes] | None = None,
        *,
        foreign: bool = False,
        number: int = 1,
        streams: asyncio.Queue[Stream] | None = None,
    ) -> None:
        """`certificate`: key and certificates in PEM, to speak TLS; `foreign`: a gRPC server of another kind."""
        self.number = number
        self.streams: asyncio.Queue[Stream] = asyncio.Queue() if streams is None else streams
        options = [
            ("grpc.max_receive_message_length", LONGEST_MESSAGE),
            ("grpc.max_send_message_length", LONGEST_MESSAGE),
            ("grpc.http2.min_ping_interval_without_data_ms", 1_000),
        ]
        self._server = grpc.aio.server(options=options)
        if not foreign:
            add_MatchServiceServicer_to_server(self, self._server)
        address = f"unix:{path}"
        if certificate is None:
            self._server.add_insecure_port(address)
        else:
            self._server.add_secure_port(address, grpc.ssl_server_credentials([certificate]))

    async def start(self) -> None:
        await self._server.start()

    async def stop(self) -> None:
        await self._server.stop(0)

    async def Play(self, request_iterator: Any, context: Any) -> None:  # type: ignore[override]  # noqa: N802
        metadata = {key: value for key, value in context.invocation_metadata() if isinstance(value, str)}
        stream = Stream(metadata, self.number, time.monotonic())
        self.streams.put_nowait(stream)
        reader = asyncio.ensure_future(self._read(stream, request_iterator))
        try:
            while not isinstance(message := await stream.to_send.get(), grpc.StatusCode):
                await context.write(message)
            if message is not grpc.StatusCode.OK:
                await context.abort(message, stream.details)
        finally:
            reader.cancel()
            stream.heard.put_nowait(None)
            stream.over.set()

    @staticmethod
    async def _read(stream: Stream, requests: Any) -> None:
        with suppress(grpc.aio.AioRpcError, grpc.aio.UsageError):
            async for message in requests:
                stream.heard.put_nowait(message)
        stream.heard.put_nowait(None)
