"""A cluster inside this process, for faults at will: real matches in real halls, behind a connection that can fail.

Workers here die, hang, lie and come back when a test says so. The same faults between real processes, and over TLS, are
in `test_processes.py`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee import __version__
from referee.hall.hall import Hall
from referee.match.clock import TimeControl
from referee.match.match import Match
from referee.match.player import Question, Rejected
from referee.match.result import Ending
from referee.rules import registry
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture
from referee.workers.cluster.addresses import ClusterAddress
from referee.workers.cluster.connection import Connection, SeenWorker, TaskFailed
from referee.workers.cluster.crew import ClusterRun, Patience
from referee.workers.cluster.reaching import Unreachable
from referee.workers.cluster.trust import Trust
from referee.workers.cluster.venue import ClusterVenue
from referee.workers.orders import fixture_of

from ...waiting import soon

QUICK = Patience(look=0.01, silent=1000.0, play=1000.0, retry=0.001, longest_retry=0.01)
BOTS = ("ada", "bob", "cy")
Twist = Callable[[dict[str, Any], bytes], tuple[dict[str, Any], bytes]]


class LegalMove:
    """A bot that takes the first legal move; if `last`, the last one at its first decision."""

    wants_legal = True

    def __init__(self, name: str, last: bool = False) -> None:
        self.name = name
        self._which = -1 if last else 0
        """Of the legal moves, at the next decision."""

    def started(self, match: Match, seat: int) -> None: ...

    def ask(self, question: Question) -> None:
        def answer() -> None:
            now, (which, self._which) = asyncio.get_running_loop().time(), (self._which, 0)
            question.match.sent(question.seat, question.number, now)
            question.match.answer(question.seat, question.number, question.legal[which], now)

        asyncio.get_running_loop().call_soon(answer)

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...


class ScriptedWorker:
    """One worker: what it does is what its attributes say."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.address = f"tcp://{name}"
        self.hall = Hall()
        self.last = False
        """Its bots begin with the last legal move instead of the first."""
        self.twist: Twist = lambda value, record: (value, record)
        """What it makes of a result before it is sent."""
        self.open_error = ""
        self.version = __version__
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.hangs = 0
        """Tasks that it never answers, from now on."""
        self.forgets = False
        """It never tells what became of a match."""
        self.heard = 0.0
        self.silent = False
        self.opened = 0
        self.given: list[str] = []
        self.announced: list[str] = []
        self.closed = 0

    async def play(self, orders: list[dict[str, Any]]) -> bytes:
        self.given += [order["match"] for order in orders]
        if self.hangs:
            self.hangs -= 1
            await asyncio.Event().wait()
        said = [b"" if self.forgets else await self._one(order) for order in orders]
        await self.may_answer.wait()
        return b"".join(said)

    async def _one(self, order: dict[str, Any]) -> bytes:
        fixture = fixture_of(order)
        over: asyncio.Future[Played] = asyncio.get_running_loop().create_future()

        def ended(match: Match, ending: Ending) -> None:
            if not over.done():
                over.set_result(Played.of(match, ending))

        self.hall.play(
            fixture.id,
            registry.find(fixture.game),
            [LegalMove(name, self.last) for name in fixture.bots],
            fixture.options,
            fixture.seed,
            fixture.control,
            finished=ended,
        )
        played = await over
        value, record = self.twist(played.to_value(), played.record)
        line = json.dumps({"say": "played", "match": fixture.id, "played": value}).encode() + b"\n"
        return line + record


class ScriptedCluster(Connection):
    """A scheduler with workers, in this process."""

    def __init__(self, *workers: ScriptedWorker) -> None:
        super().__init__(ClusterAddress("tcp", "127.0.0.1", 1))
        self.there = {worker.address: worker for worker in workers}
        self.down = False
        self.connected = 0

    async def open(self) -> None:
        if self.down:
            raise Unreachable("nobody listens")
        self.connected += 1

    async def close(self) -> None: ...

    async def workers(self) -> list[SeenWorker]:
        if self.down:
            raise Unreachable("the connection is lost")
        for worker in self.there.values():
            worker.heard += 0 if worker.silent else 1
        return [SeenWorker(worker.address, worker.name, worker.heard) for worker in self.there.values()]

    async def call(self, worker: str, function: Callable[..., Any], *words: Any) -> bytes:
        if worker not in self.there:
            await asyncio.Event().wait()  # dask waits for a worker of that address to come back
        one = self.there[worker]
        if function.__name__ == "meet":
            games = {name: registry.find(name).version for name in registry.names()}
            return json.dumps({"referee": one.version, "games": games, "cores": 1, "missing": []}).encode()
        if function.__name__ == "open_run":
            one.opened += 1
            return json.dumps({"error": one.open_error} if one.open_error else {"matches": 8}).encode()
        assert function.__name__ == "play"
        one.announced += json.loads(words[2])
        said = await one.play(json.loads(words[1]))
        if self.there.get(worker) is not one:
            raise TaskFailed("it was lost on the way")
        return said

    async def tell(self, worker: str, function: Callable[..., Any], *words: Any) -> None:
        one = self.there.get(worker)
        if one is not None and function.__name__ == "announce":
            one.announced += json.loads(words[1])
        if one is not None and function.__name__ == "close_run":
            one.closed += 1


def fixture(number: int) -> Fixture:
    """A match of a cup."""
    game = registry.find("flip7")
    options = game.resolve_options({})
    control = TimeControl(1000.0, 1000.0)
    return Fixture(f"cup/{number}", "flip7", BOTS, options, bytes([number % 256]) * 32, control, "cup", 0)


class Tournament:
    """Matches on a cluster, with what became of each."""

    def __init__(
        self,
        cluster: ScriptedCluster,
        patience: Patience = QUICK,
        one_in: int = 1 << 30,
        trust: Trust | None = None,
    ) -> None:
        run = ClusterRun({}, Path("/"), "flip7", len(BOTS))
        self.venue = ClusterVenue(cluster, run, patience, one_in, trust)
        self.results: dict[str, list[Played | None]] = {}

    def give(self, *numbers: int) -> None:
        for number in numbers:
            one = fixture(number)
            self.results.setdefault(one.id, [])
            self.venue.play(one, self.results[one.id].append)

    async def done(self) -> dict[str, Played | None]:
        """Wait until all matches are over; each of them has ended once."""
        await soon(lambda: all(self.results.values()))
        assert all(len(ended) == 1 for ended in self.results.values())
        return {match: ended[0] for match, ended in self.results.items()}
