"""What watchers of the page cost the referee: decisions per second of a running tournament, with and without them.

    python tests/bench/bench_watchers.py                       500 watchers, five turns of four seconds each
    python tests/bench/bench_watchers.py --watchers 2000

A tournament of house bots (random, Flip 7) is played in this process, which serves the page too. The watchers are
connections of another process (niced, so that it takes no core away from the referee), each reading the live standings.
Turns with and without them alternate, for the machine may be busy; for the same reason decisions are also counted per
second of this process's own processor time. Then the tournament is paused, and what is left is measured: the processor
time of the event loop for one message of 12 kB to one watcher. Prints, asserts nothing.
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
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from referee.descriptors import raise_limit
from referee.gc_pauses import short_pauses
from referee.hall.competition import Competition
from referee.store import Store
from referee.tournament.plan import Plan
from referee.web.live import Channel, Parts
from referee.web.server import WebServer, WebSettings
from referee.web.source import of_competition

BOTS = 8
WARM_UP = 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--watchers", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=4.0, help="how long every turn is measured")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--view", default="standings", help=argparse.SUPPRESS)
    words = parser.parse_args()
    raise_limit()
    if words.port:
        asyncio.run(watch(words.port, words.watchers, words.view))
    else:
        asyncio.run(measure(words.watchers, words.seconds, words.turns))


async def measure(watchers: int, seconds: float, turns: int) -> None:
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder) / "bench.db", owner="server") as store:
        competition = Competition(store)
        await competition.prepare()
        competition.start()
        page = WebServer(of_competition(competition), WebSettings("127.0.0.1:0", None, 10_000, 10_000))
        await page.start()
        port = int(page.address.rpartition(":")[2])
        plan = Plan(game="flip7", players=4, rounds=20_000, limit=60.0)
        await competition.director.create("bench", plan, ["random"] * BOTS, "bench", True, repeatable=True)
        async with short_pauses(quiet=lambda: competition.idle):
            alone: list[Turn] = []
            crowd: list[Turn] = []
            for _ in range(turns):
                alone.append(await _turn(competition, seconds))
                async with _watching(page, port, watchers, "standings"):
                    crowd.append(await _turn(competition, seconds))
                    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                print(f"  alone {alone[-1]}   {watchers} watchers {crowd[-1]}   {memory:,.0f} MB", flush=True)
        for place, what in enumerate(("decisions per second", "decisions per second of processor time")):
            without, with_them = (statistics.median(turn[place] for turn in turns_) for turns_ in (alone, crowd))
            change = with_them / without - 1
            print(f"{what}, median: alone {without:,.0f}, {watchers} watchers {with_them:,.0f}: {change:+.1%}")
        await competition.director.control("bench", "pause")
        await competition.hall.wait_empty()
        print(await _message(page, port, watchers, 2 * seconds))
        await page.stop()
        await competition.stop()


@asynccontextmanager
async def _watching(page: WebServer, port: int, watchers: int, view: str) -> AsyncIterator[None]:
    words = [sys.executable, __file__, "--port", str(port), "--watchers", str(watchers), "--view", view]
    child = await asyncio.create_subprocess_exec("nice", "-n", "10", *words)
    while page.site.channels.places.taken < watchers:  # noqa: ASYNC110 - another process
        await asyncio.sleep(0.05)
    try:
        yield
    finally:
        child.terminate()
        await child.wait()
        while page.site.channels.places.taken:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)


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
    """Decisions per second, and per second of processor time."""

    wall: float
    processor: float

    def __str__(self) -> str:
        return f"{self.wall:7,.0f}/s {self.processor:7,.0f}/s of processor"


async def _turn(competition: Competition, seconds: float) -> Turn:
    await asyncio.sleep(WARM_UP)
    began, used, before = time.perf_counter(), time.process_time(), competition.hall.decisions
    await asyncio.sleep(seconds)
    made = competition.hall.decisions - before
    return Turn(made / (time.perf_counter() - began), made / (time.process_time() - used))


async def watch(port: int, watchers: int, view: str) -> None:
    """Connections that read the standings and throw them away."""

    async def one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /live/tournaments/bench?view={view} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
        while await reader.read(1 << 16):
            pass

    await asyncio.gather(*(one() for _ in range(watchers)))


if __name__ == "__main__":
    main()
