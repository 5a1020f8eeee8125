"""The same bot in every language: how fast it answers, how much memory it takes, how soon it is there.

    python tests/bench/bench_languages.py                       all that are built ('make sdks'), beside Python
    python tests/bench/bench_languages.py --only go,rust        some of them
    python tests/bench/bench_languages.py --seconds 30          longer runs

The bot is the conformbot of each SDK: one object per match, which answers the first legal move. Four of it, in four
processes, play Flip 7 on the server of `bench_network.py`, at first one match at a time, then 128 at once. A decision
takes from the write of the question to the arrival of the answer, as the clock of a match counts it. The start is from
the start of the fourth program, the others being there already, to the first move of the match.
Prints, asserts nothing; compare numbers within one run only, the machine may be busy.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from bench_network import TABLE, Cast

SDKS = Path(__file__).resolve().parents[2] / "sdk"
BUILT = {
    "typescript": "build/conformbot.mjs",
    "go": "bin/conformbot",
    "rust": "target/release/conformbot",
    "java": "target/conformbot.jar",
    "cpp": "build/conformbot",
}
"""What there is in the folder of an SDK once it is built."""
LINE = "{:<11} {:>13} {:>7} {:>7} {:>17} {:>7} {:>7} {:>7} {:>9}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0, help="how long every run is measured")
    parser.add_argument("--only", default="", metavar="LANG,…", help="these languages, beside Python")
    words = parser.parse_args()
    wanted = [name for name in words.only.split(",") if name]
    if unknown := [name for name in wanted if name not in (*BUILT, "python")]:
        parser.error(f"unknown language {unknown[0]!r}; there are: {', '.join(BUILT)}")
    print(LINE.format("", "one match:", "", "", "128 matches:", "", "", "", ""))
    print(
        LINE.format("language", "decisions/s", "p50 ms", "p99 ms", "decisions/s", "p50 ms", "p99 ms", "MB", "start ms")
    )
    for name in ("python", *(wanted or BUILT)):
        if name != "python" and not (SDKS / name / BUILT[name]).exists():
            print(f"{name:<11} skipped: it is not built; 'make -C sdk/{name} build' does it")
            continue
        show(name, words.seconds)


def show(name: str, seconds: float) -> None:
    cells: list[str] = []
    for matches in (1, 128):
        with (
            Cast("server", bots=TABLE, matches=matches, seconds=seconds) as server,
            playing(name, server.address, TABLE * matches) as (bots, began),
        ):
            one = server.main.result()
            resident = max(memory(bot.pid) for bot in bots)
        cells += [f"{one['rate']:,.0f}", f"{one['p50'] * 1e3:.2f}", f"{one['p99'] * 1e3:.2f}"]
        if matches == 1:
            start = 1e3 * (one["first"] - began)
    print(LINE.format(name, *cells, f"{resident:.0f}", f"{start:.0f}"), flush=True)


@contextmanager
def playing(name: str, address: str, concurrency: int) -> Iterator[tuple[list[subprocess.Popen[str]], float]]:
    """A table of bots, and when the last of them was started; all gone in the end."""
    bots: list[subprocess.Popen[str]] = []
    try:
        for number in range(TABLE):
            if number == TABLE - 1:
                for bot in bots:
                    connected(bot)
            began = time.monotonic()
            bots.append(started(name, address, f"{name}{number}", concurrency))
        connected(bots[-1])
        yield bots, began
    finally:
        for bot in bots:
            bot.kill()
        for bot in bots:
            bot.wait()


def started(name: str, address: str, token: str, concurrency: int) -> subprocess.Popen[str]:
    command = [sys.executable, "conformbot.py"] if name == "python" else ["./run-conformbot"]
    return subprocess.Popen(
        [*command, "--server", address, "--token", token, "--concurrency", str(concurrency)],
        cwd=SDKS / name,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={key: value for key, value in os.environ.items() if not key.startswith("REFEREE_")},
    )


def connected(bot: subprocess.Popen[str]) -> None:
    """Wait until a bot says that it is there; what it says later is read and forgotten, or it would have to wait."""
    assert bot.stderr is not None
    heard: list[str] = []
    for line in bot.stderr:
        heard.append(line)
        if line.startswith("connected to"):
            threading.Thread(target=forget, args=(bot.stderr,), daemon=True).start()
            return
    sys.exit(f"{bot.args!r} did not connect:\n{''.join(heard)}")


def forget(lines: IO[str]) -> None:
    with suppress(ValueError, OSError):
        for _ in lines:
            pass


def memory(pid: int) -> float:
    """Resident megabytes of a process."""
    fields = Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()
    return int(fields[0]) / 1024


if __name__ == "__main__":
    main()
