"""What several machines cost and bring: `referee run --cluster` beside `referee run`, and the cost of each part.

    python tests/bench/bench_cluster.py [--rounds N] [--workers 1,2,4] [--cores N]

All workers are processes of this machine and share its cores, so matches/s should stay level: what is lost against a
run without a cluster is overhead. Then the processor time of each part per match (replay by the host, all of the host,
the scheduler), from which follows what saturates first with many machines. What the host takes to start is told apart:
it does not grow with matches.
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
from contextlib import closing
from pathlib import Path

from referee.hosting.admission.capacity import cores_at_hand
from referee.tournament.audit.replay import replay

REFEREE = [sys.executable, "-m", "referee"]
LINE_UP = ["flip7", "cautious", "cautious", "cautious", "cautious"]
TICK = os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--cores", type=int, default=cores_at_hand(), help="of each worker")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone, _, _, digest = run(folder / "alone.db", given.rounds, [])
        print(f"without a cluster            {alone:>8,.0f} matches/s")
        for count in map(int, given.workers.split(",")):
            db = folder / f"{count}.db"
            rate, start_up, host, scheduler, found = on_cluster(
                folder, db, given.rounds, count, max(1, given.cores // count)
            )
            print(
                f"{count} workers, {max(1, given.cores // count)} cores each   {rate:>8,.0f} matches/s   "
                f"{rate / alone:.2f} ×   host {start_up:.1f} s to start and {host * 1e3:.2f} ms per match, "
                f"scheduler {scheduler * 1e3:.3f} ms per match   "
                f"{'same digest' if found == digest else 'ANOTHER DIGEST'}"
            )
        cost, size = replaying(folder / "alone.db")
        print(f"replay of a record           {cost * 1e3:>8.2f} ms, {size / 1000:.1f} kB each")


def run(db: Path, rounds: int, words: list[str]) -> tuple[float, float, float, str]:
    """Matches per second, processor time of the host until the first result and per match from then on, the digest."""
    command = [*REFEREE, "run", *LINE_UP, "--rounds", str(rounds), "--seed", "bench", "--db", str(db), "--json", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        while process.poll() is None and finished(db) == 0:
            time.sleep(0.02)
        start_up, before = processor_seconds(process.pid), finished(db)
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
    value = json.loads(out)
    host = (used.ru_utime + used.ru_stime - start_up) / max(1, value["matches"] - before)
    return playing_rate(db), start_up, host, value["digest"]


def finished(db: Path) -> int:
    """Matches with a result, read beside the run."""
    try:
        with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
            return int(connection.execute("select count(*) from matches where state = 'finished'").fetchone()[0])
    except sqlite3.OperationalError:  # there is no database yet, or it has no tables
        return 0


def playing_rate(db: Path) -> float:
    """Matches per second between the first result and the last: how long workers take to start is not counted."""
    with sqlite3.connect(db) as connection:
        query = "select count(*), min(finished), max(finished) from matches where state = 'finished'"
        count, first, last = connection.execute(query).fetchone()
    return float((count - 1) * 1000 / max(1, last - first))


def on_cluster(folder: Path, db: Path, rounds: int, count: int, cores: int) -> tuple[float, float, float, float, str]:
    scheduler = start(folder / f"scheduler-{count}.log", ["cluster", "scheduler", "--listen", "tcp://127.0.0.1:0"])
    started = [scheduler]
    try:
        address = said(folder / f"scheduler-{count}.log", r"listens on (\S+)")
        for number in range(count):
            log = folder / f"worker-{count}-{number}.log"
            started.append(start(log, ["worker", "--scheduler", address, "--cores", str(cores), "--no-sandbox"]))
            said(log, "(plays for)")
        before = processor_seconds(scheduler.pid)
        rate, start_up, host, digest = run(db, rounds, ["--cluster", address])
        return rate, start_up, host, (processor_seconds(scheduler.pid) - before) / rounds, digest
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
