"""What storing and rating cost a tournament: the same matches of house bots, bare and with everything around them.

Run as `python tests/bench/bench_tournament.py [--matches N] [--game NAME] [--concurrency N] [--sdk N] [--memory N]`.
House bots think in a thread beside the loop, so that what is measured is the referee and not the network; with
`--sdk N` the tournament is also played by N bots of a process of their own over a socket. Processor time tells more
than the clock on a machine that has other things to do.

The last lines are the memory of this process during a watched tournament of N quick matches (STOP me GO): it must not
grow with the matches played. `--memory 0` leaves them out.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import structlog

from referee.match.ending import Ending
from referee.match.match import Match
from referee.net.app import App, ServerSettings
from referee.rules import registry
from referee.store import Store
from referee.tournament.plan import Plan, pairings
from referee.tournament.seeds import match_seed

CROWD = Path(__file__).parents[1] / "e2e" / "tournament_crowd.py"
BOTS = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--game", default="flip7")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--sdk", type=int, default=0, help="also with so many bots over a socket")
    parser.add_argument("--memory", type=int, default=4000, help="matches of the tournament whose memory is shown")
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    print(f"{'':22}{'matches/s':>10}{'decisions/s':>13}{'CPU ms/match':>14}{'worst lag':>11}")
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(Path(folder) / "bench.db") as store:
            plan = Plan(options.game, options.players, rounds=-(-options.matches // (BOTS // options.players)))
            bare = asyncio.run(play_bare(store, plan, options.concurrency))
            whole = asyncio.run(play_tournament(store, plan, options.concurrency, "quiet", watch=False))
            watched = asyncio.run(play_tournament(store, plan, options.concurrency, "watched", watch=True))
        for name, (rate, cpu) in (("storing and rating", whole), ("and a watcher", watched)):
            print(f"{name}: {1 - rate / bare[0]:.0%} fewer decisions/s, {cpu / bare[1] - 1:.0%} more processor time")
        if options.sdk:
            asyncio.run(play_remote(Path(folder), plan, options.sdk))
        if options.memory:
            with Store.open(Path(folder) / "long.db") as store:
                asyncio.run(play_long(store, options.memory, options.concurrency))


class Watch:
    """A stopwatch for the clock on the wall and for the processor."""

    def __init__(self, app: App) -> None:
        self._app = app
        app.hall.lag.worst = 0.0
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def stop(self, name: str, matches: int) -> tuple[float, float]:
        """Prints a line; returns decisions per second and processor time per decision."""
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        decisions, lag = self._app.hall.decisions, self._app.hall.lag.worst
        rate = decisions / wall
        print(f"{name:22}{matches / wall:10.0f}{rate:13.0f}{1000 * cpu / matches:14.2f}{1000 * lag:8.0f} ms")
        return rate, cpu / decisions


async def until_over(app: App, name: str) -> None:
    while name in app.director.runners:  # noqa: ASYNC110 - nobody tells when a runner is gone
        await asyncio.sleep(0.01)


async def play_bare(store: Store, plan: Plan, concurrency: int) -> tuple[float, float]:
    """The matches alone: nothing is stored, nothing rated."""
    app = App(store, ServerSettings())
    beat = asyncio.create_task(app.hall.beat())
    game = registry.find(plan.game)
    options = game.resolve_options({})
    players = [app.people.house_player("random", f"random-{number}") for number in range(BOTS)]
    tables = iter(list(enumerate(pairings(plan, BOTS))))
    over = asyncio.Event()
    running = matches = 0

    def start() -> None:
        nonlocal running
        following = next(tables, None)
        if following is None:
            if running == 0:
                over.set()
            return
        running += 1
        ordinal, pairing = following
        seed = match_seed(bytes(32), "quiet", ordinal, 1)
        seated = [players[entrant] for entrant in pairing.seats]
        app.hall.play(f"bare/{ordinal}", game, seated, options, seed, plan.control, finished=ended)

    def ended(match: Match, ending: Ending) -> None:
        nonlocal running, matches
        running -= 1
        matches += 1
        match.announce()
        asyncio.get_running_loop().call_soon(start)

    watch = Watch(app)
    for _ in range(concurrency):
        start()
    await over.wait()
    measured = watch.stop("bare matches", matches)
    beat.cancel()
    app.room.close()
    return measured


async def play_tournament(store: Store, plan: Plan, concurrency: int, name: str, *, watch: bool) -> tuple[float, float]:
    """The same as a tournament: claimed, stored with records, rated, and perhaps watched."""
    app = App(store, ServerSettings(concurrency=concurrency))
    beat = asyncio.create_task(app.hall.beat())
    await app.director.create(name, plan, ["random"] * BOTS, "bench", start=False)

    async def look() -> None:
        async for _ in app.director.watch(name):
            pass

    watching = asyncio.create_task(look()) if watch else None
    stopwatch = Watch(app)
    await app.director.control(name, "start")
    await until_over(app, name)
    matches = store.tournaments.counts(store.tournaments.get(name).id).finished
    measured = stopwatch.stop("tournament, watched" if watch else "tournament", matches)
    if watching is not None:
        watching.cancel()
    beat.cancel()
    app.room.close()
    return measured


async def play_remote(folder: Path, plan: Plan, bots: int) -> None:
    """A tournament of bots that connect over a socket, from a process of their own."""
    with Store.open(folder / "remote.db", owner="bench") as store:
        app = App(store, ServerSettings("127.0.0.1:0"))
        await app.start()
        names = [f"bot-{number}" for number in range(bots)]
        words = [f"{name}=random={store.bots.add(name).token}" for name in names]
        crowd = await asyncio.create_subprocess_exec(sys.executable, str(CROWD), app.address, *words)
        while len(app.play.sessions) < bots:  # noqa: ASYNC110 - nobody tells when all are there
            await asyncio.sleep(0.05)
        stopwatch = Watch(app)
        await app.director.create("remote", plan, names, "bench", start=True)
        await until_over(app, "remote")
        stopwatch.stop("over a socket", store.tournaments.counts(1).finished)
        crowd.kill()
        await crowd.wait()
        await app.stop()


async def play_long(store: Store, matches: int, concurrency: int) -> None:
    """A watched tournament of quick matches; prints what this process holds after every eighth of it."""
    app = App(store, ServerSettings(concurrency=concurrency))
    beat = asyncio.create_task(app.hall.beat())
    plan = Plan("stop_me_go", 4, rounds=max(1, matches // (BOTS // 4)))
    tournament = await app.director.create("long", plan, ["random"] * BOTS, "bench", start=False)

    async def look() -> None:
        async for _ in app.director.watch("long"):
            pass

    watching = asyncio.create_task(look())
    await app.director.control("long", "start")
    total = store.tournaments.counts(tournament.id).total
    print(f"\nmemory of this process while it plays {total:,} matches of {plan.game}, watched:")
    mark = 1
    while "long" in app.director.runners:
        await asyncio.sleep(0.1)
        finished = store.tournaments.counts(tournament.id).finished
        if finished >= total * mark // 8:
            print(f"{finished:>9,} matches {resident():8.1f} MB", flush=True)
            mark = 1 + 8 * finished // total
    watching.cancel()
    beat.cancel()
    app.room.close()


def resident() -> float:
    """Megabytes of memory that this process holds."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # no Linux: the most it has held so far
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20
    return pages * resource.getpagesize() / 2**20


if __name__ == "__main__":
    main()
