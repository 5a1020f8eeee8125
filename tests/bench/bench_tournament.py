"""What storing and rating cost a tournament: the same matches bare, and with everything around them.

    python tests/bench/bench_tournament.py [--matches N] [--turns N] [--game NAME] [--house] [--memory N]

A server plays the same matches in turns: bare (nothing stored, nothing rated), as a tournament, and as a tournament
that somebody watches. Its bots pick at random, in processes of their own over a socket; with `--house` they are house
bots that think in a thread of the server, which shares its processor time with storing and rating: the worst case.
Figures are medians of the turns. "held up" is the longest time that one step of the event loop kept it from everything
else; "by itself" is the longest for which threads of the server, whichever they were, had the processor during one
step. What storing and rating do to the loop, in it or beside it, cannot be longer than that: in the rest of the time
the machine ran other processes.

The last lines are the memory of this process during a watched tournament of N quick matches (STOP me GO): it must not
grow with the matches played. `--memory 0` leaves them out.
"""

from __future__ import annotations

import argparse
import asyncio
import asyncio.events
import hashlib
import json
import logging
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import structlog

from referee.gc_pauses import short_pauses
from referee.hall.competition import Competition
from referee.match.match import Match
from referee.match.player import Player, Question, Rejected
from referee.match.result import Ending
from referee.net.server import RefereeServer, ServerSettings
from referee.rules import registry
from referee.store import Store
from referee.tournament.plan import Plan, pairings
from referee.tournament.seeds import match_seed

BOTS = 8
PROCESSES = 4
CONCURRENCY = 128
WAYS = ("bare", "tournament", "watched")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=800)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--game", default="flip7")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--house", action="store_true", help="with house bots in the server instead")
    parser.add_argument("--memory", type=int, default=4000, help="matches of the tournament whose memory is shown")
    parser.add_argument("--crowd", metavar="JSON", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.crowd:
        asyncio.run(crowd(**json.loads(options.crowd)))
        return
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    plan = Plan(options.game, options.players, rounds=-(-options.matches // (BOTS // options.players)))
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(compare(Path(folder), plan, options.turns, options.house))
        if options.memory:
            with Store.open(Path(folder) / "long.db") as store:
                asyncio.run(play_long(store, options.memory))


@dataclass(frozen=True)
class Measured:
    """What one way to play the matches gave."""

    rate: float
    """Decisions per second."""
    cpu: float
    """Processor seconds of the server per match."""
    held_up: float
    by_itself: float
    by_what: str
    matches: float
    """Per second."""


class Watch:
    """A stopwatch for the clock on the wall, for the processor, and for what holds up the loop."""

    longest = 0.0
    longest_by_itself = 0.0
    by_what = ""

    def __init__(self, competition: Competition) -> None:
        self._competition = competition
        self._decisions = competition.hall.decisions
        self._wall, self._cpu = time.perf_counter(), time.process_time()
        Watch.longest = Watch.longest_by_itself = 0.0

    def stop(self, matches: int) -> Measured:
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        decisions = self._competition.hall.decisions - self._decisions
        return Measured(
            decisions / wall, cpu / matches, Watch.longest, Watch.longest_by_itself, Watch.by_what, matches / wall
        )

    @staticmethod
    def look_over_the_loop() -> None:
        """Time whatever the loop runs."""
        plain = asyncio.events.Handle._run

        def run(self: Any) -> None:
            worked, began = time.process_time(), time.perf_counter()
            plain(self)
            wall = time.perf_counter() - began
            if wall > Watch.longest_by_itself:
                Watch.longest = max(Watch.longest, wall)
                if (by_itself := min(wall, time.process_time() - worked)) > Watch.longest_by_itself:
                    Watch.longest_by_itself, Watch.by_what = by_itself, name(self)

        asyncio.events.Handle._run = run  # type: ignore[method-assign]


def name(handle: Any) -> str:
    """What a step of the loop was: the coroutine of its task, or the function it called."""
    task = getattr(handle._callback, "__self__", None)
    what = task.get_coro() if isinstance(task, asyncio.Task) else handle._callback
    return str(getattr(what, "__qualname__", type(what).__name__))


async def compare(folder: Path, plan: Plan, turns: int, house: bool) -> None:
    found: dict[str, list[Measured]] = {way: [] for way in WAYS}
    with Store.open(folder / "bench.db", owner="bench") as store:
        async with a_server(store, house) as (competition, entrants, players), short_pauses(quiet=lambda: False):
            Watch.look_over_the_loop()
            await play_bare(competition, plan, players)  # a warm-up
            for turn in range(turns):
                found["bare"].append(await play_bare(competition, plan, players))
                for way in WAYS[1:]:
                    found[way].append(
                        await play_tournament(competition, plan, entrants, f"{way}-{turn}", watch=way == "watched")
                    )
    where = "house bots in the server" if house else f"{BOTS} bots in {PROCESSES} processes over a socket"
    print(f"{plan.game}, {plan.players} players, {CONCURRENCY} matches at once, {where}")
    print(f"{'':12}{'matches/s':>11}{'decisions/s':>13}{'server CPU ms/match':>21}{'held up':>11}{'by itself':>12}")
    for way, measured in found.items():
        longest = max(measured, key=lambda one: one.by_itself)
        print(
            f"{way:12}{median(measured, 'matches'):11.0f}{median(measured, 'rate'):13,.0f}"
            f"{1000 * median(measured, 'cpu'):21.2f}{1000 * max(one.held_up for one in measured):8.1f} ms"
            f"{1000 * longest.by_itself:9.1f} ms  {longest.by_what}"
        )
    judging = judge(plan, 200)
    around = statistics.median(one.cpu - bare.cpu for bare, one in zip(found["bare"], found["tournament"], strict=True))
    share = (judging + max(0.0, around)) * median(found["tournament"], "matches")
    print(
        f"of a tournament's time {share:.0%} is not spent in bots or transport: "
        f"{1000 * judging:.2f} ms/match for rules, views and judging, {1000 * around:.2f} for storing and rating"
    )
    for way, what in (("tournament", "storing and rating"), ("watched", "and a watcher")):
        # Turn by turn: the machine is not equally fast all the time, but nearly so within a turn.
        turns_of = list(zip(found["bare"], found[way], strict=True))
        fewer = statistics.median(1 - one.rate / bare.rate for bare, one in turns_of)
        more = statistics.median(one.cpu / bare.cpu - 1 for bare, one in turns_of)
        print(f"{what}: {fewer:.0%} fewer decisions/s, {more:.0%} more processor time of the server")


class Instant:
    """A player that is no process and no thread: its questions are answered by whoever empties the list."""

    wants_legal = True

    def __init__(self, name: str, asked: list[Question]) -> None:
        self.name = name
        self._asked = asked

    def started(self, match: Match, seat: int) -> None: ...

    def ask(self, question: Question) -> None:
        self._asked.append(question)

    def rejected(self, match: Match, rejected: Rejected) -> None: ...

    def ended(self, match: Match, ending: Ending) -> None: ...


def judge(plan: Plan, matches: int) -> float:
    """Seconds per match when nobody thinks and nothing travels."""
    game = registry.find(plan.game)
    options = game.resolve_options({})
    asked: list[Question] = []
    players = [Instant(f"bot-{seat}", asked) for seat in range(plan.players)]
    began = time.process_time()
    for number in range(matches):
        match = Match(f"alone/{number}", game, players, options, match_seed(bytes(32), "quiet", number, 1))
        match.start()
        while asked:
            question = asked.pop()
            match.sent(question.seat, question.number, 0.0)
            match.answer(question.seat, question.number, pick(question.view, question.legal), 0.0)
        match.record()
    return (time.process_time() - began) / matches


def pick(view: bytes, legal: Sequence[str]) -> str:
    return legal[hashlib.sha256(view).digest()[0] % len(legal)]


def median(measured: list[Measured], what: str) -> float:
    return float(statistics.median(getattr(one, what) for one in measured))


@asynccontextmanager
async def a_server(store: Store, house: bool) -> AsyncIterator[tuple[Competition, list[str], Sequence[Player]]]:
    """A server with its bots: the names to enter into a tournament, and who sits down in a bare match."""
    competition = Competition(store, concurrency=CONCURRENCY)
    server = RefereeServer(competition, ServerSettings("127.0.0.1:0"))
    await server.start()
    children: list[asyncio.subprocess.Process] = []
    try:
        if house:
            players = [competition.roster.house_player("random", f"random-{n}") for n in range(BOTS)]
            yield competition, ["random"] * BOTS, players
            return
        names = [f"bot-{number}" for number in range(BOTS)]
        tokens = [store.bots.add(name).token for name in names]
        for number in range(PROCESSES):
            given = json.dumps({"address": server.address, "tokens": tokens[number::PROCESSES]})
            children.append(await asyncio.create_subprocess_exec(sys.executable, __file__, "--crowd", given))
        while len(competition.presence.bots) < BOTS:  # noqa: ASYNC110 - nobody tells when all are there
            await asyncio.sleep(0.05)
        yield competition, names, [competition.presence.bots[name] for name in names]
    finally:
        for child in children:
            child.kill()
            await child.wait()
        await server.stop()


async def crowd(address: str, tokens: list[str]) -> None:
    from arena.client import Client
    from arena.settings import Settings

    def decide(decision: Any) -> str:
        return pick(decision.view_bytes, decision.legal)

    await asyncio.gather(
        *(Client(decide, Settings(address, token, concurrency=CONCURRENCY, quiet=True)).play() for token in tokens)
    )


async def play_bare(competition: Competition, plan: Plan, players: Sequence[Player]) -> Measured:
    """The matches alone: nothing is stored, nothing rated."""
    game = registry.find(plan.game)
    options = game.resolve_options({})
    tables = iter(list(enumerate(pairings(plan, BOTS))))
    await asyncio.sleep(0)  # the drawing of lots is no part of it
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
        competition.hall.play(f"bare/{ordinal}", game, seated, options, seed, plan.control, finished=ended)

    def ended(match: Match, ending: Ending) -> None:
        nonlocal running, matches
        running -= 1
        matches += 1
        match.announce()
        asyncio.get_running_loop().call_soon(start)

    watch = Watch(competition)
    for _ in range(CONCURRENCY):
        start()
        await asyncio.sleep(0)
    await over.wait()
    return watch.stop(matches)


async def play_tournament(
    competition: Competition, plan: Plan, entrants: list[str], name: str, *, watch: bool
) -> Measured:
    """The same as a tournament: claimed, stored with records, rated, and perhaps watched."""
    tournament = await competition.director.create(name, plan, entrants, "bench", start=False)
    watching = asyncio.create_task(look(competition, name)) if watch else None
    stopwatch = Watch(competition)
    await competition.director.control(name, "start")
    while name in competition.director.runners:  # noqa: ASYNC110 - nobody tells when a runner is gone
        await asyncio.sleep(0.01)
    measured = stopwatch.stop(competition.store.tournaments.counts(tournament.id).finished)
    if watching is not None:
        watching.cancel()
    return measured


async def look(competition: Competition, name: str) -> None:
    async for _ in competition.director.watch(name):
        pass


async def play_long(store: Store, matches: int) -> None:
    """A watched tournament of quick matches; prints what this process holds after every eighth of it."""
    competition = Competition(store, concurrency=CONCURRENCY)
    competition.start()
    plan = Plan("stop_me_go", 4, rounds=max(1, matches // (BOTS // 4)))
    tournament = await competition.director.create("long", plan, ["random"] * BOTS, "bench", start=False)
    watching = asyncio.create_task(look(competition, "long"))
    await competition.director.control("long", "start")
    total = store.tournaments.counts(tournament.id).total
    print(f"\nmemory of this process while it plays {total:,} matches of {plan.game}, watched:")
    mark = 1
    while "long" in competition.director.runners:
        await asyncio.sleep(0.1)
        finished = store.tournaments.counts(tournament.id).finished
        if finished >= total * mark // 8:
            print(f"{finished:>9,} matches {resident():8.1f} MB", flush=True)
            mark = 1 + 8 * finished // total
    watching.cancel()
    await competition.stop()


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
