"""What several machines cost and bring: `referee run --cluster` beside `referee run`, and the cost of each part.

    python tests/bench/bench_cluster.py [--rounds N] [--workers 1,2,4] [--cores N] [--bots house|programs] [--turns N]

All workers are processes of this machine and share its cores, so matches/s should stay level: what is lost against a
run without a cluster is overhead. Beside it the processor time of all processes per match, which other programs
disturb less, and that of each part (replay by the host, all of the host, the scheduler, the workers with their
children), from which follows what saturates first with many machines. What everything takes to start does not grow with
matches: a short tournament is played as well, and both figures are of what the long one took more. Counting from some
match on would not do: hundreds are played side by side and end together, so most of their work is done before. Each
run with a cluster stands beside one without, right before or after it in turns: the ratio of such a pair counts.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import NamedTuple

from referee.hosting.admission.capacity import cores_at_hand
from referee.tournament.audit.replay import replay

REFEREE = [sys.executable, "-m", "referee"]
ROOT = Path(__file__).resolve().parents[2]
LINE_UPS = {
    "house": ["flip7", *["cautious"] * 4],
    "programs": ["flip7", *(f"{name}={ROOT / 'bots' / 'cautious'}" for name in "abcd"), "--no-sandbox"],
}
"""One bot four times: inside a worker's process, the quickest there is, and as programs, which clusters are for."""
TICK = os.sysconf("SC_CLK_TCK")
FEW = 100
"""Matches of the short tournament: enough that all workers start all bots."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--cores", type=int, default=cores_at_hand(), help="of each worker")
    parser.add_argument("--bots", choices=LINE_UPS, default="house")
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    counts = [int(count) for count in given.workers.split(",")]
    ratios: dict[int, list[tuple[float, float]]] = {count: [] for count in counts}
    with tempfile.TemporaryDirectory() as name:
        for turn in range(given.turns):
            print(f"turn {turn + 1}, load {os.getloadavg()[0]:.1f}", flush=True)
            folder = Path(name) / str(turn)
            for number, count in enumerate(counts):
                alone, found = pair(folder / str(count), given, count, cluster_first=(turn + number) % 2 == 1)
                ratios[count].append((found.rate / alone.rate, found.all / alone.all))
        print("medians, least and most of all turns")
        for count, found_ratios in ratios.items():
            rates, times = (spread([pair[part] for pair in found_ratios]) for part in (0, 1))
            print(f"{count} workers   matches/s {rates}   processor time {times}")
        cost, size = replaying(folder / str(counts[0]) / "alone" / "many.db")
        print(f"replay of a record           {cost * 1e3:>8.2f} ms, {size / 1000:.1f} kB each")


def pair(folder: Path, given: argparse.Namespace, count: int, *, cluster_first: bool) -> tuple[Measured, Measured]:
    """A run without a cluster and one with, one right after the other: machines change their pace within minutes."""
    line_up, cores = LINE_UPS[given.bots], max(1, given.cores // count)
    (folder / "alone").mkdir(parents=True)
    if cluster_first:
        found = on_cluster(folder / "cluster", given.rounds, line_up, count, cores)
        alone = run(folder / "alone", given.rounds, line_up)
    else:
        alone = run(folder / "alone", given.rounds, line_up)
        found = on_cluster(folder / "cluster", given.rounds, line_up, count, cores)
    print(f"without a cluster            {alone.rate:>8,.0f} matches/s            {alone.told}")
    print(
        f"{count} workers, {cores} cores each   {found.rate:>8,.0f} matches/s   "
        f"{found.rate / alone.rate:.2f} ×   {found.told}   processor time {found.all / alone.all:.2f} ×   "
        f"{'same digest' if found.digest == alone.digest else 'ANOTHER DIGEST'}",
        flush=True,
    )
    return alone, found


def spread(ratios: Sequence[float]) -> str:
    return f"{median(ratios):.2f} × ({min(ratios):.2f} to {max(ratios):.2f})"


class Measured(NamedTuple):
    """What a match takes beyond the start: of all of them per second, and processor time in seconds of each."""

    rate: float
    host: float
    children: float
    others: tuple[float, ...]
    """The scheduler, and each worker with its children."""
    digest: str

    @property
    def all(self) -> float:
        return self.host + self.children + sum(self.others)

    @property
    def told(self) -> str:
        parts = [f"host {self.host * 1e3:.2f}"]
        if self.others:
            parts += [f"scheduler {self.others[0] * 1e3:.2f}", f"workers {sum(self.others[1:]) * 1e3:.2f}"]
        else:
            parts.append(f"workers {self.children * 1e3:.2f}")
        return f"{self.all * 1e3:.2f} ms per match: {', '.join(parts)}"


def run(folder: Path, rounds: int, words: list[str], others: Sequence[int] = ()) -> Measured:
    """What a match costs: a tournament beside a short one of `FEW` matches, which has to start as much."""
    few = whole_run(folder / "few.db", FEW, words, others)
    many = whole_run(folder / "many.db", FEW + rounds, words, others)
    host, children, *rest = ((b - a) / rounds for a, b in zip(few.used, many.used, strict=True))
    return Measured(rounds / (many.seconds - few.seconds), host, children, tuple(rest), many.digest)


class Whole(NamedTuple):
    """A run from its start to its end: seconds by the clock, processor seconds of each part, and its digest."""

    seconds: float
    used: list[float]
    """Of the host, of its children, and of each of the others with theirs."""
    digest: str


def whole_run(db: Path, rounds: int, words: list[str], others: Sequence[int]) -> Whole:
    command = [*REFEREE, "run", *words, "--rounds", str(rounds), "--seed", "bench", "--db", str(db), "--json"]
    before, there = [with_children(pid) for pid in others], count_below(others)
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        own = 0.0
        while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            own = processor_seconds(process.pid)
            time.sleep(0.1)
        whole = with_children(process.pid)  # it has ended, and nobody has asked for it yet
        seconds = time.monotonic() - began
        value = json.loads(process.stdout.read())
    while count_below(others) > there:  # its bots there end after it
        time.sleep(0.1)
    after = [with_children(pid) for pid in others]
    return Whole(seconds, [own, whole - own, *(b - a for a, b in zip(before, after, strict=True))], value["digest"])


def on_cluster(folder: Path, rounds: int, line_up: list[str], count: int, cores: int) -> Measured:
    folder.mkdir()
    scheduler = start(folder / "scheduler.log", ["cluster", "scheduler", "--listen", "tcp://127.0.0.1:0"])
    started = [scheduler]
    try:
        address = said(folder / "scheduler.log", r"listens on (\S+)")
        for number in range(count):
            log = folder / f"worker-{number}.log"
            started.append(start(log, ["worker", "--scheduler", address, "--cores", str(cores), "--no-sandbox"]))
            said(log, "(plays for)")
        return run(folder, rounds, [*line_up, "--cluster", address], [process.pid for process in started])
    finally:
        for process in reversed(started):
            process.send_signal(signal.SIGTERM)
            process.wait()


def start(log: Path, words: list[str]) -> subprocess.Popen[bytes]:
    with log.open("wb") as file:
        return subprocess.Popen([*REFEREE, *words], stderr=file, stdout=subprocess.DEVNULL)


def said(log: Path, pattern: str) -> str:
    while (found := re.search(pattern, log.read_text())) is None:
        time.sleep(0.05)
    return found[1]


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def with_children(pid: int) -> float:
    """The same of a process with all that come from it."""
    parents, used = processes()
    return sum(seconds for one, seconds in used.items() if leads_to(one, pid, parents))


def count_below(pids: Sequence[int]) -> int:
    """Processes that come from these."""
    parents, _ = processes()
    return sum(1 for one in parents if one not in pids and any(leads_to(one, pid, parents) for pid in pids))


def processes() -> tuple[dict[int, int], dict[int, float]]:
    """All of this machine: the parent of each, and its processor seconds with those of children that have ended."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(fields[1])
            used[int(folder.name)] = sum(map(int, fields[11:15])) / TICK
    return parents, used


def leads_to(child: int, pid: int, parents: dict[int, int]) -> bool:
    while child > 1 and child != pid:
        child = parents.get(child, 0)
    return child == pid


def replaying(db: Path) -> tuple[float, float]:
    """Processor time to replay a record, and its bytes."""
    with sqlite3.connect(db) as connection:
        rows = connection.execute("select body from records limit 500").fetchall()
    records = [zlib.decompress(body) for (body,) in rows]
    for record in records[:50]:
        replay(record)
    began = time.process_time()
    for record in records:
        replay(record)
    return (time.process_time() - began) / len(records), sum(map(len, records)) / len(records)


if __name__ == "__main__":
    main()
