"""Two servers for the SDK: the real one, and a stage on which the test itself plays the referee."""

from __future__ import annotations

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest

from arena import results
from arena.client import Client
from arena.settings import Settings
from arena.v1 import match_pb2 as pb
from arena.v1 import match_pb2_grpc
from referee.hall.competition import Competition
from referee.match.clock import TimeControl
from referee.net.server import RefereeServer, ServerSettings
from referee.store import Store

from ..waiting import PATIENCE

BARRIER = "barrier"
"""The match whose question is answered after everything that a bot had to say before."""


class Server:
    """The real server, with bots of the SDK that are started by name."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.competition = Competition(store, control=TimeControl(20.0, 60.0, grace=5.0))
        self.referee = RefereeServer(self.competition, ServerSettings("127.0.0.1:0"))
        self.said: list[str] = []

    def settings(self, name: str = "alice", **changes: Any) -> Settings:
        token = self.store.bots.add(name).token
        assert token is not None
        return replace(Settings(self.referee.address, token, first_patience=0.5), **changes)

    async def play(self, bot: Any, name: str = "alice", **changes: Any) -> Client:
        """Play until the bot has no more to do."""
        client = Client(bot, self.settings(name, **changes), say=self.said.append)
        await asyncio.wait_for(client.play(), PATIENCE)
        return client

    @property
    def heard(self) -> str:
        """All that the SDK said to the author."""
        return "\n".join(self.said)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    with Store.open(str(tmp_path / "test.db"), owner="server") as store:
        server = Server(store)
        await server.referee.start()
        yield server
        await server.referee.stop()


class Line:
    """One stream as the referee on stage sees it."""

    def __init__(self, hello: pb.Hello, context: Any) -> None:
        self.hello = hello
        self.frames: asyncio.Queue[pb.PlayRequest] = asyncio.Queue()
        self.over = asyncio.get_running_loop().create_future()
        self._context = context

    async def say(self, *bodies: Any) -> None:
        """One frame: messages are put into their place of RefereeBody by their type."""
        kinds = {
            field.message_type.name: field.name for field in pb.RefereeBody.DESCRIPTOR.fields if field.message_type
        }
        downs = [pb.RefereeBody(**{kinds[type(body).__name__]: body}) for body in bodies]
        await self._context.write(pb.PlayResponse(bodies=downs))

    async def welcome(self, session: str = "s1", resumed: tuple[str, ...] = (), **fields: Any) -> None:
        fields = {"name": "alice", "protocol_version": 1, "server": "stage 1", **fields}
        await self.say(pb.Welcome(session=session, resumed=resumed, **fields))

    async def hear(self) -> list[Any]:
        """The bodies of the bot's next frame."""
        frame = await asyncio.wait_for(self.frames.get(), PATIENCE)
        return [getattr(body, body.WhichOneof("body") or "") for body in frame.bodies]

    async def silent(self) -> bool:
        """Whether the bot has nothing to say but the answer to a question of a match that is there only for this."""
        await self.say(start(BARRIER), decide(1, BARRIER))
        said = await self.hear()
        await self.say(end(BARRIER))
        return [body.match_id for body in said] == [BARRIER] and self.frames.empty()

    def drop(self) -> None:
        """Break the stream as a lost connection does."""
        self.end(grpc.StatusCode.UNAVAILABLE, "connection lost")

    def end(self, code: grpc.StatusCode = grpc.StatusCode.OK, text: str = "") -> None:
        if not self.over.done():
            self.over.set_result((code, text))


class Stage(match_pb2_grpc.MatchServiceServicer):
    """A server that does only what the test says."""

    def __init__(self) -> None:
        self.address = ""
        self._lines: asyncio.Queue[Line] = asyncio.Queue()
        self._server = grpc.aio.server()
        self._work: list[asyncio.Future[None]] = []
        self.said: list[str] = []

    async def Play(self, requests: Any, context: Any) -> None:  # type: ignore[override]
        first = await context.read()
        line = Line(first.bodies[0].hello, context)
        self._lines.put_nowait(line)

        async def read() -> None:
            while (frame := await context.read()) is not grpc.aio.EOF:
                line.frames.put_nowait(frame)

        reading = asyncio.ensure_future(read())
        try:
            code, text = await line.over
            if code is not grpc.StatusCode.OK:
                await context.abort(code, text)
        finally:
            reading.cancel()

    async def start(self) -> None:
        match_pb2_grpc.add_MatchServiceServicer_to_server(self, self._server)
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        await self._server.start()

    async def stop(self) -> None:
        for work in self._work:
            work.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await work
        await self._server.stop(0)

    def enter(self, bot: Any, **changes: Any) -> tuple[Client, asyncio.Future[None]]:
        """A bot of the SDK comes on stage."""
        settings = replace(Settings(self.address, "token", first_patience=PATIENCE, patience=PATIENCE), **changes)
        client = Client(bot, settings, say=self.said.append)
        work = asyncio.ensure_future(client.play())
        self._work.append(work)
        return client, work

    async def line(self) -> Line:
        """The next stream that a bot opens."""
        return await asyncio.wait_for(self._lines.get(), PATIENCE)


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    await stage.start()
    yield stage
    await stage.stop()


def start(match: str = "m", seat: int = 0) -> pb.MatchStart:
    return pb.MatchStart(match_id=match, game="flip7", seat=seat, names=["alice", "bob", "carol"])


def decide(number: int, match: str = "m", **fields: Any) -> pb.Decide:
    return pb.Decide(**{"match_id": match, "decision": number, "legal": ["hit", "stay"], "complete": True, **fields})


def first_move(decision: Any) -> str:
    return str(decision.legal[0])


def end(match: str) -> pb.MatchEnd:
    return pb.MatchEnd(
        match_id=match,
        result=results.message([1, 2, 3], [9, 5, 3], ["finished"] * 3, ["", "", ""], "finished"),
    )
