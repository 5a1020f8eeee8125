"""What watchers of the page cost the referee: processor time of a running tournament, with and without them.

    python tests/bench/bench_watchers.py                       500 watchers, ten turns of three seconds each
    python tests/bench/bench_watchers.py --watchers 2000
    python tests/bench/bench_watchers.py --reconnect 20        memory, as watchers come and go
    python tests/bench/bench_watchers.py --between 0.5         states twice as often as on a page

A tournament of house bots (random, Flip 7) is played in this process, which serves the page too. The watchers are
connections of another process, each reading the live standings. They stay; turns in which states are shown to them,
and turns in which none is, alternate.

Watchers are sent a new state once a second at most, however busy the machine is. Where this process gets only a part of
a core, a second holds fewer decisions and as many messages as ever. So what is counted is processor time: how much more
of it the same decisions took, for every time that all watchers were sent a state. That is what they cost per second on
any machine. Beside it stands what can be told directly: the processor time of the calls that write and draw for them.

Then the tournament is paused, and the processor time of the event loop for one message of 12 kB to one watcher is
measured. Prints, asserts nothing.
"""

from __future__ import annotations

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import argparse
import asyncio
import itertools
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from referee.descriptors import raise_limit
from referee.gc_pauses import short_pauses
from referee.hall import standings_feed
from referee.hall.competition import Competition
from referee.store import Store
from referee.tournament.plan import Plan
from referee.tournament.running.runner import Runner
from referee.web import live_tournament
from referee.web.lines import Line, Lines
from referee.web.live import Channel, Parts
from referee.web.server import WebServer, WebSettings
from referee.web.source import of_competition

BOTS = 8
WARM_UP = 1.0
WRITE = "to write to one watcher"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watchers", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=3.0, help="how long every turn is measured")
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--reconnect", type=int, default=0, help="only memory, as all watchers leave and come so often")
    parser.add_argument("--between", type=float, default=live_tournament.PAUSE, help="seconds between two states")
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--view", default="standings", help=argparse.SUPPRESS)
    words = parser.parse_args()
    raise_limit()
    if words.port:
        asyncio.run(watch(words.port, words.watchers, words.view))
    else:
        asyncio.run(measure(words))


async def measure(words: argparse.Namespace) -> None:
    watchers, seconds = words.watchers, words.seconds
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "bench.db", owner="server") as store:
        competition = Competition(store)
        await competition.prepare()
        competition.start()
        page = WebServer(of_competition(competition), WebSettings("127.0.0.1:0", None, 10_000, 10_000))
        await page.start()
        port = int(page.address.rpartition(":")[2])
        plan = Plan(game="flip7", players=4, rounds=20_000, limit=60.0)
        await competition.director.create("bench", plan, ["random"] * BOTS, "bench", True, repeatable=True)
        if words.reconnect:
            async with short_pauses(quiet=lambda: competition.idle):
                await _reconnecting(page, port, watchers, words.reconnect)
            await page.stop()
            await competition.stop()
            return
        direct, shown = _Direct(), _Shown(words.between)
        async with short_pauses(quiet=lambda: competition.idle), _watching(page, port, watchers, "standings"):
            pairs: list[tuple[Turn, Turn]] = []
            for _ in range(words.turns):
                with shown.held():
                    alone = await _turn(competition, direct, seconds)
                pairs.append((alone, await _turn(competition, direct, seconds)))
                print(f"  nothing shown {alone}   shown {pairs[-1][1]}", flush=True)
        print(_less(pairs))
        print(_cost(pairs, watchers))
        print(f"of it directly: {direct}", flush=True)
        await competition.director.control("bench", "pause")
        await competition.hall.wait_empty()
        print(await _message(page, port, watchers, 2 * seconds))
        await page.stop()
        await competition.stop()


@asynccontextmanager
async def _watching(page: WebServer, port: int, watchers: int, view: str) -> AsyncIterator[None]:
    words = [sys.executable, __file__, "--port", str(port), "--watchers", str(watchers), "--view", view]
    child = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    assert child.stdout is not None
    await child.stdout.readline()  # all have had their first state
    try:
        yield
    finally:
        child.terminate()
        await child.wait()
        while page.site.channels.places.taken:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)


async def _reconnecting(page: WebServer, port: int, watchers: int, times: int) -> None:
    """The memory of the process each time that all watchers have come, watched for a while and left."""
    print(f"without a watcher {_memory():.0f} MB", flush=True)
    for _ in range(times):
        async with _watching(page, port, watchers, "standings"):
            await asyncio.sleep(WARM_UP)
            with_them = _memory()
        print(f"  with {watchers} watchers {with_them:.0f} MB, when they had left {_memory():.0f} MB", flush=True)


async def _message(page: WebServer, port: int, watchers: int, seconds: float) -> str:
    """What one message to one watcher costs the event loop, beyond what it costs to be there."""
    numbers = itertools.count()
    shown = 0

    async def show() -> Parts:
        nonlocal shown
        shown = next(numbers)
        return {"seats": f"{shown:6}" * 2000}

    async def pause() -> bool:
        await asyncio.sleep(1.0)
        return True

    async def used() -> float:
        before = time.thread_time()
        await asyncio.sleep(seconds)
        return time.thread_time() - before

    alone = await used()
    page.site.channels.channel(
        ("tournament", "bench", "seats"), lambda: Channel(show, pause, page.site.channels.wakeups)
    )
    async with _watching(page, port, watchers, "seats"):
        await asyncio.sleep(WARM_UP)
        first = shown
        cost = await used() - alone
        messages = (shown - first) * watchers
    each = cost / messages * 1e6
    return (
        f"one message to one watcher: {each:.0f} µs of processor time; {watchers} a second: {each * watchers / 1e6:.1%}"
    )


class Turn(NamedTuple):
    """What was played and sent, in how much processor time, and the memory of the process in MB at the end."""

    decisions: int
    messages: int
    used: float
    wall: float
    memory: float

    def __str__(self) -> str:
        rate = self.decisions / self.used
        return f"{self.decisions / self.wall:6,.0f}/s {rate:6,.0f}/s of processor {self.memory:.0f} MB"


async def _turn(competition: Competition, direct: _Direct, seconds: float) -> Turn:
    await asyncio.sleep(WARM_UP)
    began, used = time.perf_counter(), time.process_time()
    decisions, messages = competition.hall.decisions, direct.messages
    await asyncio.sleep(seconds)
    return Turn(
        competition.hall.decisions - decisions,
        direct.messages - messages,
        time.process_time() - used,
        time.perf_counter() - began,
        _memory(),
    )


def _memory() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / (1 << 20)


def _less(pairs: Sequence[tuple[Turn, Turn]]) -> str:
    """How many fewer decisions were made while states were shown, by the clock and by processor time."""
    alone, crowd = zip(*pairs, strict=True)

    def rates(turns: Sequence[Turn]) -> tuple[float, float]:
        decisions = sum(turn.decisions for turn in turns)
        return decisions / sum(turn.wall for turn in turns), decisions / sum(turn.used for turn in turns)

    (quiet, quiet_used), (watched, watched_used) = rates(alone), rates(crowd)
    return (
        f"decisions/s {quiet:,.0f}, watched {watched:,.0f}: {1 - watched / quiet:.1%} fewer; per second of processor "
        f"time {quiet_used:,.0f}, watched {watched_used:,.0f}: {1 - watched_used / quiet_used:.1%} fewer"
    )


def _cost(pairs: Sequence[tuple[Turn, Turn]], watchers: int) -> str:
    """How much more processor time the same decisions took, per time that all watchers were sent a state."""

    def more(alone: Sequence[Turn], crowd: Sequence[Turn]) -> float:
        each = sum(turn.used for turn in alone) / sum(turn.decisions for turn in alone)
        extra = sum(turn.used for turn in crowd) - each * sum(turn.decisions for turn in crowd)
        return extra / max(1, sum(turn.messages for turn in crowd)) * watchers

    all_turns = more([alone for alone, _ in pairs], [crowd for _, crowd in pairs])
    middle = statistics.median(more([alone], [crowd]) for alone, crowd in pairs)
    return (
        f"a state for {watchers} watchers: {all_turns * 1e3:.1f} ms of processor time over all turns, "
        f"{middle * 1e3:.1f} ms in the median turn; at one a second {all_turns:.1%} and {middle:.1%} of a core"
    )


class _Shown:
    """States are shown one after the other, or none is."""

    def __init__(self, between: float) -> None:
        self._between = between
        self._open = asyncio.Event()
        self._open.set()
        live_tournament.wait_between = lambda feed: self._pause

    async def _pause(self) -> bool:
        await asyncio.sleep(self._between)
        await self._open.wait()
        return True

    @contextmanager
    def held(self) -> Iterator[None]:
        self._open.clear()
        yield
        self._open.set()


class _Direct:
    """The processor time of calls that are made for watchers and for nothing else."""

    def __init__(self) -> None:
        self._took: dict[str, list[float]] = {}
        self._measure(Line, "set", WRITE)
        self._measure(Lines, "_look", "to look after all lines")
        self._measure(live_tournament, "parts", "to draw a state")
        self._measure(Runner, "_standings", "to rate what lies beyond the first open match and make the standings")
        self._measure(standings_feed, "_written", "to write standings as JSON and as a message")

    @property
    def messages(self) -> int:
        return len(self._took[WRITE])

    def _measure(self, owner: Any, name: str, what: str) -> None:
        call = getattr(owner, name)
        took: list[float] = []
        self._took[what] = took

        def measured(*arguments: Any) -> Any:
            before = time.thread_time()
            try:
                return call(*arguments)
            finally:
                took.append(time.thread_time() - before)

        setattr(owner, name, measured)

    def __str__(self) -> str:
        return ", ".join(
            f"{statistics.mean(took) * 1e6:,.0f} µs {what} ({len(took):,} times)"
            for what, took in self._took.items()
            if took
        )


async def watch(port: int, watchers: int, view: str) -> None:
    """Connections that read the standings and throw them away; says when all have had their first state."""
    waiting = watchers

    async def one() -> None:
        nonlocal waiting
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /live/tournaments/bench?view={view} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        await reader.readuntil(b"event: parts")
        waiting -= 1
        if not waiting:
            print("all watch", flush=True)
        while await reader.read(1 << 16):
            pass

    await asyncio.gather(*(one() for _ in range(watchers)))


if __name__ == "__main__":
    main()
