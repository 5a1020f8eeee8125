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
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
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
    parser.add_argument("--rounds", type=int, default=3000)
    parser.add_argument("--bot", default="cautious", help="a folder below bots/")
    parser.add_argument("--no-sandbox", action="store_true")
    parser.add_argument("--hundred", action="store_true", help="also the memory of a hundred bots")
    given = parser.parse_args()
    bare_grpc, *_ = bench_network.bare(64, 2, 3.0)
    pipes_one, pipes_many = asyncio.run(pipes(1, 2.0)), asyncio.run(pipes(16, 2.0))
    print(f"bare grpc.aio, 64 streams, one decision per message   {bare_grpc:>9,.0f} decisions/s")
    print(f"bare JSON lines over pipes, 1 bot / 16 bots           {pipes_one:>9,.0f} / {pipes_many:,.0f}")
    one = hosted(given.bot, given.rounds, sandbox=not given.no_sandbox)
    rate, total = one.decisions / one.seconds, one.bots + one.referee
    print(f"referee run flip7, 4 × {given.bot}, {'no ' if given.no_sandbox else ''}sandbox")
    print(f"  matches/s              {one.matches / one.seconds:>9,.0f}")
    print(f"  decisions/s            {rate:>9,.0f}   {rate / bare_grpc:.2f} × bare grpc.aio")
    print(f"  decisions per match    {one.decisions / one.matches:>9,.0f}")
    print(f"  CPU outside the bots   {one.referee / total:>9.0%}   ({total / one.decisions * 1e6:.0f} µs per decision)")
    if given.hundred:
        print(
            f"  memory of a bot        {asyncio.run(memory(given.bot, 100, not given.no_sandbox)):>9,.1f} MB (of 100)"
        )
    first = asyncio.run(first_move(given.bot, not given.no_sandbox))
    print(f"  start to first move    {first * 1000:>9,.0f} ms")
    read, cost = asyncio.run(endless_stderr(3.0))
    print(f"  stderr without end     {read / 1e6:>9,.1f} MB/s read, {cost:.1%} of a core")


@dataclass(frozen=True)
class Hosted:
    """What a tournament of hosted bots gave."""

    matches: int
    decisions: int
    seconds: float
    """Of play."""
    bots: float
    """Processor seconds of the bots' programs …"""
    referee: float
    """… and of everything else: workers, and the process that stores and rates."""


def hosted(bot: str, rounds: int, *, sandbox: bool) -> Hosted:
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "bench.db"
        words = [sys.executable, "-m", "referee", "run", "flip7", *[str(ROOT / "bots" / bot)] * 4]
        words += ["--rounds", str(rounds), "--seed", "bench", "--db", str(db), "--json"]
        with subprocess.Popen(
            [*words, *([] if sandbox else ["--no-sandbox"])], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as run:
            spent: dict[int, tuple[bool, float]] = {}
            reader = threading.Thread(target=look, args=(run, str(ROOT / "bots" / bot), spent))
            reader.start()
            said, _ = run.communicate()
            reader.join()
        value = json.loads(said)
        with sqlite3.connect(db) as connection:
            [decisions] = connection.execute("select sum(decisions) from seats").fetchone()
    shares = {kind: sum(seconds for is_bot, seconds in spent.values() if is_bot is kind) for kind in (True, False)}
    return Hosted(value["matches"], decisions, value["seconds"], shares[True], shares[False])


def look(run: subprocess.Popen[bytes], bot: str, spent: dict[int, tuple[bool, float]]) -> None:
    """Note the processor time of everything that a run has started, as long as it runs.

    What is shut in is cleared away by the kernel without being counted for whoever started it.
    """
    tick = os.sysconf("SC_CLK_TCK")
    while run.poll() is None:
        parents: dict[int, int] = {}
        used: dict[int, float] = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, IndexError, ValueError):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                pid = int(folder.name)
                parents[pid], used[pid] = int(fields[1]), (int(fields[11]) + int(fields[12])) / tick
        for pid, seconds in used.items():
            above = pid
            while above not in (0, run.pid):
                above = parents.get(above, 0)
            if above:
                if pid not in spent:
                    with suppress(OSError):
                        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                        spent[pid] = (words[1:2] == [f"{bot}/bot.py".encode()], 0.0)
                if pid in spent:
                    spent[pid] = (spent[pid][0], seconds)
        time.sleep(0.2)


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
    """From the start of a bot's program to its first move; the other seats are empty."""
    from referee.hosting.bot.spec import parse
    from referee.hosting.sandbox.bubblewrap import Sandbox
    from referee.hosting.sandbox.launch import NoSandbox
    from referee.match.clock import TimeControl
    from referee.match.result import Termination
    from referee.rules import registry
    from referee.rules.game import seed_bytes
    from referee.workers.bot_host import BotHost
    from referee.workers.bot_pool import UnavailableBot

    async with BotHost(Sandbox() if sandbox else NoSandbox()) as host:
        began = time.monotonic()
        hosted_bot = await host.host(parse(str(ROOT / "bots" / bot)), name="one")
        await host.wait_ready(hosted_bot)
        game = registry.find("flip7")
        assert hosted_bot.player is not None
        seated = [hosted_bot.player, UnavailableBot("first"), UnavailableBot("second")]
        options = game.resolve_options({})
        match = host.hall.play("first", game, seated, options, seed_bytes("bench"), TimeControl())
        for seat in (1, 2):
            match.forfeit(seat, Termination.CRASH, "is not there")
        while not match.transcript.seats[0].decisions:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.001)
        return time.monotonic() - began


async def endless_stderr(seconds: float) -> tuple[float, float]:
    """A bot that writes to stderr without end: bytes read per second, and the share of a core that this takes."""
    from referee.hosting.bot.spec import BotSpec, Kind
    from referee.hosting.process.bot_process import BotProcess
    from referee.hosting.sandbox.launch import NoSandbox

    spec = BotSpec("endless", ("/bin/sh", "-c", "yes this goes on and on >&2"), Kind.STDIO, Path("/"))
    bot = BotProcess(spec, NoSandbox())
    await bot.start()
    await asyncio.sleep(1.0)  # what it may write at once is read by then
    before, spent, began = bot.stderr.bytes, time.process_time(), time.monotonic()
    await asyncio.sleep(seconds)
    passed = time.monotonic() - began
    read, cost = bot.stderr.bytes - before, time.process_time() - spent
    await bot.stop()
    return read / passed, cost / passed


async def memory(bot: str, count: int, sandbox: bool) -> float:
    """Megabytes of a bot's program when so many of them are connected."""
    from referee.hosting.bot.spec import parse
    from referee.hosting.sandbox.bubblewrap import Sandbox
    from referee.hosting.sandbox.launch import NoSandbox
    from referee.workers.bot_host import BotHost

    async with BotHost(Sandbox() if sandbox else NoSandbox()) as host:
        started = [await host.host(parse(str(ROOT / "bots" / bot)), name=f"bot-{number}") for number in range(count)]
        for hosted_bot in started:
            await host.wait_ready(hosted_bot, 120)
        return sum(hosted_bot.process.usage().memory for hosted_bot in started) / count / 1e6


if __name__ == "__main__":
    main()
