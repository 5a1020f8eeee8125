"""What hosted bots cost: `referee run` with sandboxed Python bots, beside bare pipes and bare gRPC in the same run.

    python tests/bench/bench_hosting.py [--rounds N] [--bot BOT] [--no-sandbox]

Prints matches/s and decisions/s of Flip 7 with four players (ratings and storage included), the share of CPU spent
outside the bots, the time from a bot's start to its first move, and the memory of many bots.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bench_network

from referee.logs import log_to_stderr

ROOT = Path(__file__).resolve().parents[2]
ECHO = "import sys\nfor line in sys.stdin.buffer:\n sys.stdout.buffer.write(line)\n sys.stdout.buffer.flush()"
QUESTION = json.dumps({"type": "decide", "decision": 1, "legal": ["hit", "stay"], "view": "x" * 300}).encode() + b"\n"


def main() -> None:
    log_to_stderr(logging.ERROR)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1500)
    parser.add_argument("--bot", default="cautious", help="a folder below bots/")
    parser.add_argument("--no-sandbox", action="store_true")
    parser.add_argument("--hundred", action="store_true", help="also the memory of a hundred bots")
    given = parser.parse_args()
    bare_grpc, *_ = bench_network.bare(64, 2, 3.0)
    pipes_one, pipes_many = asyncio.run(pipes(1, 2.0)), asyncio.run(pipes(16, 2.0))
    print(f"bare grpc.aio, 64 streams, one decision per message   {bare_grpc:>9,.0f} decisions/s")
    print(f"bare JSON lines over pipes, 1 bot / 16 bots           {pipes_one:>9,.0f} / {pipes_many:,.0f}")
    played, decisions, seconds, total, bots = hosted(given.bot, given.rounds, sandbox=not given.no_sandbox)
    print(f"referee run flip7, 4 × {given.bot}, {'no ' if given.no_sandbox else ''}sandbox")
    print(f"  matches/s              {played / seconds:>9,.0f}")
    print(
        f"  decisions/s            {decisions / seconds:>9,.0f}   {decisions / seconds / bare_grpc:.2f} × bare grpc.aio"
    )
    print(f"  decisions per match    {decisions / played:>9,.0f}")
    print(f"  CPU outside the bots   {1 - bots / total:>9.0%}   ({total / decisions * 1e6:.0f} µs per decision in all)")
    if given.hundred:
        print(
            f"  memory of a bot        {asyncio.run(memory(given.bot, 100, not given.no_sandbox)):>9,.1f} MB (of 100)"
        )
    first = asyncio.run(first_move(given.bot, not given.no_sandbox))
    print(f"  start to first move    {first * 1000:>9,.0f} ms")


def hosted(bot: str, rounds: int, *, sandbox: bool) -> tuple[int, int, float, float, float]:
    """Matches, decisions, seconds of play, CPU seconds in all, and those of the bots."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "bench.db"
        words = [sys.executable, "-m", "referee", "run", "flip7", *[str(ROOT / "bots" / bot)] * 4]
        words += ["--rounds", str(rounds), "--seed", "bench", "--db", str(db), "--json"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([*words, *([] if sandbox else ["--no-sandbox"])], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        value = json.loads(done.stdout)
        with sqlite3.connect(db) as connection:
            [decisions] = connection.execute("select sum(decisions) from seats").fetchone()
    total = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # A bot's own share: the same questions answered by the same code in a process that does nothing else.
    return value["matches"], decisions, value["seconds"], total, decisions * alone(bot)


def alone(bot: str) -> float:
    """CPU seconds of one decision in a bot's program: reading the question, deciding, writing the answer."""
    from arena import Decision, Match
    from arena.v1 import match_pb2 as pb
    from referee.hosting import folders
    from referee.rules import registry
    from referee.rules.game import seed_bytes

    decide = folders.load(folders.find(bot))
    game = registry.find("flip7")
    state = game.start(4, seed=seed_bytes("bench"))
    frames: list[bytes] = []
    while state.result() is None and len(frames) < 300:
        [seat] = state.pending()
        legal = [state.format(move) for move in state.legal(seat).moves]
        view = state.view(seat).SerializeToString()
        frames.append(pb.Decide(match="bench/1", decision=1, view=view, legal=legal).SerializeToString())
        state.play({seat: state.fallback(seat) if len(frames) % 3 == 0 else state.legal(seat).moves[0]})
    info = Match("bench/1", "flip7", 0, ("a", "b", "c", "d"), view_type="arena.games.flip7.v1.View")
    began = time.process_time()
    for frame in frames * 10:
        question = pb.Decide.FromString(frame)
        move = decide(Decision(info, question.decision, list(question.legal), question.view))
        pb.Act(match="bench/1", decision=1, move=move).SerializeToString()
    return (time.process_time() - began) / (10 * len(frames))


async def pipes(bots: int, seconds: float) -> float:
    """Questions per second to programs that only echo lines."""

    async def one() -> int:
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-c", ECHO, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write(QUESTION)
        await program.stdout.readline()
        count, until = 0, time.monotonic() + seconds
        while time.monotonic() < until:
            program.stdin.write(QUESTION)
            await program.stdout.readline()
            count += 1
        program.kill()
        await program.wait()
        return count

    return sum(await asyncio.gather(*(one() for _ in range(bots)))) / seconds


async def first_move(bot: str, sandbox: bool) -> float:
    """From the start of a bot's program to its hello: from then on it answers within milliseconds."""
    from referee.hosting.quarters import OpenAir
    from referee.hosting.sandbox import Sandbox
    from referee.hosting.spec import parse
    from referee.net.hosted import Guesthouse

    async with Guesthouse(Sandbox() if sandbox else OpenAir()) as house:
        began = time.monotonic()
        guest = await house.host(parse(str(ROOT / "bots" / bot)), name="one")
        await house.arrive(guest)
        return time.monotonic() - began


async def memory(bot: str, count: int, sandbox: bool) -> float:
    """Megabytes of a bot's program when so many of them are connected."""
    from referee.hosting.quarters import OpenAir
    from referee.hosting.sandbox import Sandbox
    from referee.hosting.spec import parse
    from referee.net.hosted import Guesthouse

    async with Guesthouse(Sandbox() if sandbox else OpenAir()) as house:
        guests = [await house.host(parse(str(ROOT / "bots" / bot)), name=f"bot-{number}") for number in range(count)]
        for guest in guests:
            await house.arrive(guest, 120)
        return sum(guest.process.weigh().memory for guest in guests) / count / 1e6


if __name__ == "__main__":
    main()
