"""A real server on a real socket: in this process, where a test looks inside, or as a process of its own."""

from __future__ import annotations

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import asyncio
import itertools
import re
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any

import grpc
import grpc.aio
import pytest

from arena.v1 import admin_pb2
from referee.hall.competition import Competition
from referee.hall.roster import new_admin_token
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.net.limits import Limits
from referee.net.server import RefereeServer, ServerSettings
from referee.net.session import Session
from referee.rules import registry
from referee.store import Store

from ..waiting import PATIENCE
from .raw import Raw
from .steady import Steady, steady

CONTROL = TimeControl(limit=20.0, bank=25.0, grace=30.0)
"""More than enough: a test of what happens when it is used up has less of it."""
REFEREE = [sys.executable, "-m", "referee"]
NAMES = (f"bot{number}" for number in itertools.count())
"""Names of bots that no test has used yet."""


def seed_of(match: int) -> bytes:
    """The seed of a match by its number: the number, 32 times over."""
    return (match * int.from_bytes(b"\1" * 32) % (1 << 256)).to_bytes(32)


class Server:
    """The whole application in this process."""

    def __init__(self, store: Store, control: TimeControl, limits: Limits | None = None) -> None:
        self.control = control
        self.competition = Competition(store, control=control)
        self.referee = RefereeServer(self.competition, ServerSettings("127.0.0.1:0", limits=limits or Limits()))
        self.store = store
        self.admin_token = new_admin_token(store)
        self._bots: list[Raw] = []
        self._matches = 0

    @property
    def address(self) -> str:
        return self.referee.address

    async def token(self, name: str) -> str:
        made = await asyncio.get_running_loop().run_in_executor(None, self.store.bots.add, name)
        assert made.token is not None
        return made.token

    async def connect(self, token: str | None, **options: Any) -> Raw:
        """A stream on which nothing has been said yet."""
        bot = Raw(self.address, token, **options)
        self._bots.append(bot)
        return bot

    async def bot(self, name: str, **hello: Any) -> Raw:
        """A registered bot that has said hello."""
        bot = await self.connect(await self.token(name))
        await bot.hello(**hello)
        return bot

    async def bots(self, *names: str) -> list[Raw]:
        return [await self.bot(name) for name in names]

    def session(self, name: str) -> Session:
        session = self.competition.presence.bots[name]
        assert isinstance(session, Session)
        return session

    def sit(
        self, *names: str, game: str = "stop_me_go", control: TimeControl | None = None, tournament: str = ""
    ) -> Match:
        """Start a match between connected bots."""
        self._matches += 1
        found = registry.find(game)
        return self.competition.hall.play(
            f"table/{self._matches}",
            found,
            [self.session(name) for name in names],
            found.resolve_options({}),
            seed_of(self._matches),
            control or self.control,
            tournament=tournament,
        )

    async def close(self) -> None:
        for bot in self._bots:
            await bot.close()
        await self.referee.stop()


@asynccontextmanager
async def serving(folder: Path, limits: Limits | None = None) -> AsyncIterator[Server]:
    """The whole application, with the limits that a host may set."""
    with Store.open(str(folder / "test.db"), owner="server") as store:
        server = Server(store, CONTROL, limits)
        await server.referee.start()
        try:
            yield server
        finally:
            await server.close()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with serving(tmp_path) as server:
        yield server


class Process:
    """`referee serve` as a process of its own."""

    def __init__(self, folder: Path, *words: str, files: int | None = None) -> None:
        """`files` is how many it may have open."""
        self.folder = folder
        limited = ["prlimit", f"--nofile={files}:{files}"] if files else []
        self.child = subprocess.Popen(
            [*limited, *REFEREE, "serve", "--listen", "127.0.0.1:0", "--db", "test.db", *words],
            cwd=folder,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "200"},
        )
        self.said = ""
        self.read_until("Ctrl-C stops it.")
        found = re.search(r"listens on (\S+?),? ", self.said)
        assert found, self.said
        self.address = found[1]
        token = re.search(r"REFEREE_ADMIN_TOKEN=(\w+)", self.said)
        self.admin_token = token[1] if token else ""

    def read_until(self, text: str) -> str:
        """What it says on stderr, up to a line with this text."""
        stream: IO[str] | None = self.child.stderr
        assert stream is not None
        since = len(self.said)
        while text not in self.said[since:]:
            line = stream.readline()
            assert line, f"the server ended before it said {text!r}:\n{self.said}"
            self.said += line
        return self.said[since:]

    def token(self, name: str) -> str:
        """Register a bot."""
        with grpc.insecure_channel(self.address) as channel:
            call = channel.unary_unary(
                "/arena.v1.AdminService/AddBot",
                request_serializer=admin_pb2.AddBotRequest.SerializeToString,
                response_deserializer=admin_pb2.AddBotResponse.FromString,
            )
            metadata = (("authorization", f"Bearer {self.admin_token}"),)
            request = admin_pb2.AddBotRequest(name=name)
            made: admin_pb2.AddBotResponse = call(request, metadata=metadata, timeout=PATIENCE)
            return made.token

    @property
    def memory(self) -> int:
        """Resident megabytes."""
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found
        return int(found[1]) // 1024

    def stop(self) -> int:
        """Ctrl-C, and once more if it then waits for matches; its exit code.

        No signal is sent for want of patience: one that finds the interpreter on its way out would end it otherwise.
        """
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGINT)
        hung = threading.Timer(PATIENCE, self.child.kill)
        hung.start()
        stream: IO[str] | None = self.child.stderr
        assert stream is not None
        asked = False
        for line in stream:
            self.said += line
            if "Ctrl-C again stops at once" in line and not asked:
                asked = True
                self.child.send_signal(signal.SIGINT)
        self.child.communicate()
        hung.cancel()
        return self.child.returncode


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """Whatever the tests do to it, it lives to the end, and none of it was a surprise to the server."""
    process = Process(tmp_path_factory.mktemp("served"), "--grace", "3s")
    yield process
    alive = process.child.poll() is None
    process.stop()
    assert alive, process.said
    assert "unexpected error" not in process.said
    assert "Traceback" not in process.said


@pytest.fixture
async def good(served: Process) -> AsyncIterator[Steady]:
    """A bot that plays as it should before, during and after what the test does."""
    async with steady(served.address, served.token(next(NAMES))) as bot:
        yield bot


@pytest.fixture
async def bad(served: Process) -> AsyncIterator[Raw]:
    """A registered bot that has said hello."""
    bot = Raw(served.address, served.token(next(NAMES)))
    await bot.hello()
    yield bot
    await bot.close()


def open_channel(served: Process) -> Any:
    return grpc.aio.insecure_channel(served.address, options=[("grpc.use_local_subchannel_pool", 1)])
