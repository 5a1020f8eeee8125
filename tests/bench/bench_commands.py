"""How long a command takes from its start to its end: `python tests/bench/bench_commands.py`.

The best of ten runs: processor time, which other programs disturb little, and time on the clock. Beside them a Python
that does nothing, and what the libraries cost that nearly every command or every command with a database needs. Modules
are compiled once, as an installation does it. The tournament of `league` is being prepared, that of `over` has been
played and looked at once.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

REFEREE = ["-m", "referee"]
PLAY = [
    "run",
    "stop_me_go",
    "random",
    "patient",
    "random",
    "--rounds",
    "20",
    "--name",
    "over",
    "--db",
    "over.db",
    "--json",
]
CREATE = ["tournament", "create", "league", "--game", "stop_me_go", "--rounds", "2", "--bots", "random,patient,random"]
COMMANDS = {
    "python that does nothing": ["-c", "pass"],
    "import typer": ["-c", "import typer"],
    "import sqlmodel": ["-c", "import sqlmodel"],
    "referee --version": [*REFEREE, "--version"],
    "referee --help": [*REFEREE, "--help"],
    "referee games --json": [*REFEREE, "games", "--json"],
    "referee games": [*REFEREE, "games"],
    "referee rules flip7 --raw": [*REFEREE, "rules", "flip7", "--raw"],
    "referee tournament status": [*REFEREE, "tournament", "status", "league"],
    "status of one that is over": [*REFEREE, "tournament", "status", "over", "--db", "over.db"],
    "tournament status --json": [*REFEREE, "tournament", "status", "league", "--json"],
    "referee leaderboard --once": [*REFEREE, "leaderboard", "--once"],
    "leaderboard, it is over": [*REFEREE, "leaderboard", "--once", "--db", "over.db"],
    "the same --json": [*REFEREE, "leaderboard", "--json", "--db", "over.db"],
}
COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def main(runs: int = 10) -> None:
    print(f"load {os.getloadavg()[0]:.1f}")
    print(f"{'command':<28} {'processor ms':>13} {'clock ms':>9}")
    with tempfile.TemporaryDirectory() as folder:
        run([*REFEREE, *CREATE], Path(folder))
        run([*REFEREE, *PLAY], Path(folder))
        for name, words in COMMANDS.items():
            measured = [run(words, Path(folder)) for _ in range(runs)]
            used, clock = (min(each) * 1000 for each in zip(*measured, strict=True))
            print(f"{name:<28} {used:>13.0f} {clock:>9.0f}", flush=True)


def run(words: list[str], folder: Path) -> tuple[float, float]:
    """Seconds of processor time, and on the clock."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run([sys.executable, *words], check=True, capture_output=True, cwd=folder, env=COMPILED)
    clock, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, clock


if __name__ == "__main__":
    main()
