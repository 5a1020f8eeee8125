"""How fast questions and answers travel: the server and its bots in processes of their own, beside bare gRPC.

    python tests/bench/bench_network.py                 every table, a few seconds each
    python tests/bench/bench_network.py --seconds 60    longer runs
    python tests/bench/bench_network.py --only play     play | bare | idle | crowd

Flip 7 with four players that pick by a hash of what they are shown. "bare" is a ping-pong of messages of the same size
over grpc.aio, as it comes, without any rules, clocks or records: what one decision per message costs at least.
"likewise" is the same ping-pong with gRPC waiting for the network in the way that Referee chooses (`arena/polling.py`).
"framed" is likewise too, with as many questions in a message as Referee's frames had on average in the run before,
over as many streams as there are bots: what is left of it is the price of rules, clocks, records and typed messages.
Prints, asserts nothing; compare numbers within one run only, the machine may be busy.
"""

from __future__ import annotations

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import argparse
import asyncio
import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.polling import POLL_IN_CALLER

QUESTION_BYTES, ANSWER_BYTES = 260, 20
"""About what a Decide of Flip 7 with its list and an Act take."""
TABLE = 4
BARE = ((1, 1), (64, 4))
"""Streams, and the processes they come from."""
WARM_UP = 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0, help="how long every run is measured")
    parser.add_argument("--only", choices=["play", "bare", "idle", "crowd"])
    parser.add_argument("--profile", metavar="FILE", help="keep a cProfile of the server in the run with 128 matches")
    parser.add_argument("--role", help=argparse.SUPPRESS)
    parser.add_argument("--with", dest="given", default="{}", help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.role:
        asyncio.run(ROLES[words.role](**json.loads(words.given)))
        return
    if words.only in (None, "bare"):
        show_bare(words.seconds)
    if words.only in (None, "play"):
        show_play(words.seconds, words.profile)
    if words.only in (None, "idle"):
        show_idle()
    if words.only in (None, "crowd"):
        show_crowd(words.seconds)


# What is shown.


def show_bare(seconds: float) -> None:
    print("bare grpc.aio ping-pong, one question and one answer per message")
    print("  streams  processes            decisions/s   p50 µs   p99 µs")
    for streams, processes in BARE:
        for likewise in (False, True):
            rate, p50, p99 = bare(streams, processes, seconds, likewise)
            print(
                f"  {streams:7}  {processes:9}  {'likewise' if likewise else '':8}  {rate:11,.0f}"
                f"  {p50 * 1e6:7.0f}  {p99 * 1e6:7.0f}",
                flush=True,
            )


def bare(
    streams: int, processes: int, seconds: float, likewise: bool = False, frame: int = 1
) -> tuple[float, float, float]:
    """Decisions per second, and the median and the 99th percentile of their times; `frame` of them in a message."""
    with Cast("bare_server", {"GRPC_EXPERIMENTS": POLL_IN_CALLER if likewise else ""}, frame=frame) as server:
        for _ in range(processes):
            server.add(
                "bare_client", address=server.address, streams=streams // processes, seconds=seconds, frame=frame
            )
        found = [child.result() for child in server.others]
    return sum(one["rate"] for one in found), *[max(one[name] for one in found) for name in ("p50", "p99")]


def show_play(seconds: float, profile: str | None) -> None:
    print("Flip 7, four bots in four processes; × bare: one stream for one match, 64 for more, run just before")
    print(
        "  over  matches  decisions/s  × bare  × likewise  × framed   p50 ms   p99 ms  server µs/decision"
        "  questions/frame  lag ms  faults"
    )
    with tempfile.TemporaryDirectory() as folder:
        for listen in ("127.0.0.1:0", f"unix:{folder}/socket"):
            for matches in (1, 16, 128):
                beside, likewise = [bare(*BARE[0 if matches == 1 else 1], seconds, how)[0] for how in (False, True)]
                kept = profile if matches == 128 and listen.startswith("127") else None
                with Cast(
                    "server", listen=listen, bots=TABLE, matches=matches, seconds=seconds, profile=kept
                ) as server:
                    for number in range(TABLE):
                        server.add("bot", address=server.address, name=f"bot{number}", concurrency=4 * matches)
                    one = server.main.result()
                framed = bare(TABLE, TABLE, seconds, likewise=True, frame=max(1, round(one["frame"])))[0]
                print(
                    f"  {'unix' if listen.startswith('unix') else 'tcp ':4}  {matches:7}  {one['rate']:11,.0f}"
                    f"  {one['rate'] / beside:6.2f}  {one['rate'] / likewise:10.2f}"
                    f"  {one['rate'] / framed:8.2f}"
                    f"  {one['p50'] * 1e3:7.2f}  {one['p99'] * 1e3:7.2f}"
                    f"  {one['cpu'] * 1e6:18.1f}  {one['frame']:15.1f}  {one['lag'] * 1e3:6.0f}  {one['faults']:6}",
                    flush=True,
                )


def show_idle(bots: int = 1000) -> None:
    with Cast("server", bots=bots, matches=0, seconds=1.0) as server:
        for number in range(4):
            server.add("crowd", address=server.address, names=[f"bot{number}x{n}" for n in range(bots // 4)])
        one = server.main.result()
    print(f"{bots} bots connected and idle: {one['kilobytes'] / bots:.0f} kB of server memory per bot")


def show_crowd(seconds: float, bots: int = 200) -> None:
    with Cast("server", bots=bots, matches=bots // TABLE * 2, seconds=seconds) as server:
        for number in range(4):
            server.add("crowd", address=server.address, names=[f"bot{number}x{n}" for n in range(bots // 4)])
        one = server.main.result()
    print(
        f"{bots} bots in {bots // TABLE * 2} matches for {seconds:g} s: {one['rate']:,.0f} decisions/s, "
        f"p99 {one['p99'] * 1e3:.1f} ms, worst lag {one['lag'] * 1e3:.0f} ms, {one['faults']} blamed"
    )


# Processes.


class Child:
    """This script in another role."""

    def __init__(self, role: str, environment: Mapping[str, str], **given: Any) -> None:
        words = [sys.executable, __file__, "--role", role, "--with", json.dumps(given)]
        self.process = subprocess.Popen(
            words, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def result(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.line())
        return value

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class Cast:
    """A server and those who connect to it; all gone in the end."""

    def __init__(self, role: str, environment: Mapping[str, str] | None = None, **given: Any) -> None:
        self.environment = environment or {}
        self.main = Child(role, self.environment, **given)
        self.address = self.main.line()
        self.others: list[Child] = []

    def add(self, role: str, **given: Any) -> None:
        self.others.append(Child(role, self.environment, **given))

    def __enter__(self) -> Cast:
        return self

    def __exit__(self, *_: object) -> None:
        for child in (*self.others, self.main):
            child.end()


# Roles: bare.


async def bare_server(frame: int = 1) -> None:
    import grpc
    import grpc.aio

    question = bytes(QUESTION_BYTES * frame)

    async def play(requests: Any, context: Any) -> None:
        while await context.read() is not grpc.aio.EOF:
            await context.write(question)

    server = grpc.aio.server()
    handler: Any = grpc.stream_stream_rpc_method_handler(play)
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler("bare", {"Play": handler})])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(f"127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


async def bare_client(address: str, streams: int, seconds: float, frame: int = 1) -> None:
    import grpc.aio

    answer = bytes(ANSWER_BYTES * frame)
    times: list[float] = []
    until = time.monotonic() + WARM_UP + seconds

    async def one() -> None:
        async with grpc.aio.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            method: Any = channel.stream_stream("/bare/Play")
            call = method()
            while (began := time.monotonic()) < until:
                await call.write(answer)
                await call.read()
                if began > until - seconds:
                    times.append(time.monotonic() - began)

    await asyncio.gather(*[one() for _ in range(streams)])
    times.sort()
    print(
        json.dumps(
            {"rate": frame * len(times) / seconds, "p50": times[len(times) // 2], "p99": times[int(len(times) * 0.99)]}
        ),
        flush=True,
    )


# Roles: the real thing.


async def server(
    bots: int, matches: int, seconds: float, listen: str = "127.0.0.1:0", profile: str | None = None
) -> None:
    """Referee matches without end between the bots that connect, and measure."""
    import logging

    from arena.v1 import match_pb2
    from referee.hall.hall import Hall
    from referee.hall.presence import Presence
    from referee.logs import log_to_stderr
    from referee.match.asking import Asking
    from referee.match.clock import TimeControl
    from referee.match.match import Match
    from referee.match.result import Ending, Termination
    from referee.match.transcript import Transcript
    from referee.net.listener import Wire
    from referee.net.play_service import PlayService
    from referee.rules import registry

    log_to_stderr(logging.WARNING)  # stdout has the results

    class Anybody:
        async def authenticate(self, token: str, peer: str) -> str | None:
            return token or None

    times: list[float] = []
    frames: list[int] = []
    first: dict[str, float] = {}
    plain_moved, plain_sent = Transcript.moved, Asking.sent

    def moved(self: Transcript, seat: int, seconds: float) -> None:
        if not first:
            first["at"] = time.monotonic()
        times.append(seconds)
        plain_moved(self, seat, seconds)

    def sent(self: Asking, questions: Any, now: float) -> None:
        frames.append(len(questions))
        plain_sent(self, questions, now)

    Transcript.moved = moved  # type: ignore[method-assign]
    Asking.sent = sent  # type: ignore[method-assign]
    hall, presence = Hall(), Presence()
    play = PlayService(Anybody(), presence, max_bots=5000)
    wire = Wire([(match_pb2.DESCRIPTOR.services_by_name["MatchService"], play)])
    print(await wire.start(listen), flush=True)
    before = memory()
    beating = asyncio.ensure_future(hall.beat())
    complete = asyncio.Event()
    presence.on_change(lambda: complete.set() if len(presence.bots) >= bots else None)
    await complete.wait()
    game = registry.find("flip7")
    options = game.resolve_options({})
    sessions = list(presence.bots.values())
    number, faults = 0, 0

    def start() -> None:
        nonlocal number
        number += 1
        players = [sessions[(number * TABLE + place) % len(sessions)] for place in range(TABLE)]
        seed = hashlib.sha256(str(number).encode()).digest()
        hall.play(f"bench/{number}", game, players, options, seed, TimeControl(), finished=finished)

    def finished(match: Match, ending: Ending) -> None:
        nonlocal faults
        faults += sum(how is not Termination.FINISHED for how in ending.terminations)
        match.announce()
        asyncio.get_running_loop().call_soon(start)

    for _ in range(matches):
        start()
    await asyncio.sleep(WARM_UP)
    times.clear()
    frames.clear()
    hall.lag.worst = 0.0
    watch = None
    if profile:
        import cProfile

        watch = cProfile.Profile()
        watch.enable()
    began, spent = time.monotonic(), used()
    await asyncio.sleep(seconds)
    elapsed, spent = time.monotonic() - began, used() - spent
    if watch is not None and profile:
        watch.disable()
        watch.dump_stats(profile)
    count = len(times)
    times.sort()
    asked = [size for size in frames if size]
    print(
        json.dumps(
            {
                "rate": count / elapsed,
                "p50": times[count // 2] if count else 0,
                "p99": times[int(count * 0.99)] if count else 0,
                "cpu": spent / max(1, count),
                "frame": sum(asked) / max(1, len(asked)),
                "lag": hall.lag.worst,
                "faults": faults,
                "kilobytes": memory() - before,
                "first": first.get("at"),
            }
        ),
        flush=True,
    )
    beating.cancel()
    os._exit(0)


async def bot(address: str, name: str, concurrency: int) -> None:
    from arena.client import Client
    from arena.settings import Settings

    await Client(pick, Settings(address, name, concurrency=concurrency, quiet=True)).play()


async def crowd(address: str, names: list[str]) -> None:
    from arena.client import Client
    from arena.settings import Settings

    clients = [Client(pick, Settings(address, name, concurrency=64, quiet=True)) for name in names]
    await asyncio.gather(*[client.play() for client in clients])


def pick(decision: Any) -> str:
    legal: list[str] = decision.legal
    return legal[hash(decision.view_bytes) % len(legal)]


ROLES: dict[str, Any] = {
    "bare_server": bare_server,
    "bare_client": bare_client,
    "server": server,
    "bot": bot,
    "crowd": crowd,
}


def used() -> float:
    """CPU seconds of this process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def memory() -> int:
    """Resident kilobytes of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024


if __name__ == "__main__":
    main()
