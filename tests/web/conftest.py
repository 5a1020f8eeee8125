"""The page on a real socket, beside a competition in this process; and a small client that reads streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from referee.hall.competition import Competition, SubmissionPlan
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending
from referee.rules import registry
from referee.rules.game import Seat, seed_bytes
from referee.store import Store
from referee.tournament.plan import Plan
from referee.web.server import WebServer, WebSettings
from referee.web.source import of_competition

from ..waiting import PATIENCE

HOSTILE = "<img src=x onerror=alert(1)>"
"""A name that somebody will choose."""
NAMES = tuple(f"{HOSTILE[:20]}{seat}" for seat in range(3))


@dataclass(frozen=True)
class Answer:
    """What the server answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Page:
    """The page, and what a browser would ask it."""

    def __init__(self, competition: Competition, settings: WebSettings) -> None:
        self.competition = competition
        self.server = WebServer(of_competition(competition), settings)

    @property
    def port(self) -> int:
        return int(self.server.address.rpartition(":")[2])

    async def ask(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        async with asyncio.timeout(PATIENCE):
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            try:
                writer.write(_request(method, path, {"connection": "close"} | (headers or {}), body))
                head = await reader.readuntil(b"\r\n\r\n")
                status, fields = _head(head)
                rest = await reader.read()
            finally:
                writer.close()
        if fields.get("transfer-encoding") == "chunked":
            rest = _unchunked(rest)
        return Answer(status, fields, rest)

    async def get(self, path: str, **headers: str) -> Answer:
        return await self.ask("GET", path, {key.replace("_", "-"): value for key, value in headers.items()})

    async def post(self, path: str, value: Any, **headers: str) -> Answer:
        fields = {"content-type": "application/json"} | {key.replace("_", "-"): word for key, word in headers.items()}
        return await self.ask("POST", path, fields, json.dumps(value).encode())

    @asynccontextmanager
    async def stream(self, path: str) -> AsyncIterator[Stream]:
        """A stream of server-sent events."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(_request("GET", path, {}))
            async with asyncio.timeout(PATIENCE):
                status, _ = _head(await reader.readuntil(b"\r\n\r\n"))
            yield Stream(status, reader)
        finally:
            writer.close()


class Stream:
    """Events as they come."""

    def __init__(self, status: int, reader: asyncio.StreamReader) -> None:
        self.status = status
        self._reader = reader
        self._text = b""

    async def next(self) -> tuple[str, bytes]:
        """The next event with its bytes; signs of life and pauses are passed over. EOFError at the end."""
        while True:
            event, end, rest = self._text.partition(b"\n\n")
            if end:
                self._text = rest
                lines = event.split(b"\n")
                names = [line.partition(b": ")[2].decode() for line in lines if line.startswith(b"event: ")]
                if names:
                    return names[0], event
                continue
            async with asyncio.timeout(PATIENCE):
                size = int((await self._reader.readline()).strip() or b"0", 16)
                if size == 0:
                    raise EOFError
                self._text += await self._reader.readexactly(size)
                await self._reader.readline()

    async def parts(self) -> Any:
        """What the next event `parts` says."""
        while True:
            name, event = await self.next()
            if name == "parts":
                return json.loads(event.partition(b"data: ")[2])


def _request(method: str, path: str, headers: dict[str, str], body: bytes = b"") -> bytes:
    fields = {"host": "127.0.0.1"} | headers | ({"content-length": str(len(body))} if body or method == "POST" else {})
    lines = [f"{method} {path} HTTP/1.1", *(f"{key}: {value}" for key, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode() + body


def _head(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    return int(first.split()[1]), dict(_field(line) for line in lines)


def _field(line: str) -> tuple[str, str]:
    key, _, value = line.partition(": ")
    return key.lower(), value


def _unchunked(data: bytes) -> bytes:
    whole = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        length = int(size, 16)
        whole += data[:length]
        data = data[length + 2 :]
        if not length:
            break
    return whole


class Waiting:
    """A player that answers when the test says so, with the first legal move."""

    wants_legal = True
    connected = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.questions: list[Question] = []

    def started(self, match: Match, seat: Seat) -> None: ...

    def ask(self, question: Question) -> None:
        self.questions.append(question)

    def rejected(self, match: Match, rejected: Rejected) -> None:
        raise AssertionError(rejected.message)

    def ended(self, match: Match, ending: Ending) -> None: ...


class SlowMatch:
    """A match that goes on decision by decision, as the test says."""

    def __init__(
        self, competition: Competition, name: str, game: str, *, names: tuple[str, ...] = NAMES, seed: str = "slow"
    ) -> None:
        found = registry.find(game)
        self.players = [Waiting(player) for player in names]
        self.match = competition.hall.play(
            name, found, self.players, found.resolve_options(), seed_bytes(seed), TimeControl(3600, 3600)
        )

    def move(self, decisions: int = 1) -> None:
        """So many more decisions."""
        until = self.match.table.decisions + decisions
        clock = asyncio.get_running_loop().time
        while self.match.table.decisions < until and self.match.ending is None:
            questions = [player.questions[-1] for player in self.players if player.questions]
            question = next(one for one in questions if self.match.is_asked(one.seat, one.number))
            question.left(clock())
            move = question.legal[(until + question.seat) % len(question.legal)]
            self.match.answer(question.seat, question.number, move, clock())

    def finish(self) -> None:
        while self.match.ending is None:
            self.move()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "page.db", owner="server") as opened:
        yield opened


@asynccontextmanager
async def competing(store: Store, submissions: SubmissionPlan | None = None) -> AsyncIterator[Competition]:
    """A competition in this loop."""
    opened = Competition(store, control=TimeControl(60.0, 60.0), concurrency=4, submissions=submissions)
    await opened.prepare()
    opened.start()
    try:
        yield opened
    finally:
        await opened.stop()


@pytest.fixture
async def competition(store: Store) -> AsyncIterator[Competition]:
    async with competing(store) as opened:
        yield opened


@asynccontextmanager
async def serving(competition: Competition, **settings: Any) -> AsyncIterator[Page]:
    """The page, on a port of its own."""
    page = Page(competition, WebSettings("127.0.0.1:0", **settings))
    await page.server.start()
    try:
        yield page
    finally:
        await page.server.stop()


@pytest.fixture
async def page(competition: Competition) -> AsyncIterator[Page]:
    async with serving(competition) as opened:
        yield opened


async def play(competition: Competition, name: str, game: str = "flip7", bots: str = "cautious,random,random") -> None:
    """A short tournament of house bots, to its end."""
    plan = Plan(game=game, players=3, rounds=2, limit=60.0, bank=60.0)
    await competition.director.create(name, plan, bots.split(","), None, True)
    await competition.director.wait_until_stopped(name)
