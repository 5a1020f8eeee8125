"""How long a command takes from its start to its end: `python tests/bench/bench_commands.py`.

The best and the median of ten runs, beside a Python that does nothing.
"""

from __future__ import annotations

import subprocess
import sys
from statistics import median
from time import perf_counter

REFEREE = ["-m", "referee"]
COMMANDS = {
    "python that does nothing": ["-c", "pass"],
    "referee --version": [*REFEREE, "--version"],
    "referee --help": [*REFEREE, "--help"],
    "referee games": [*REFEREE, "games"],
    "referee rules flip7 --raw": [*REFEREE, "rules", "flip7", "--raw"],
}


def main(runs: int = 10) -> None:
    print(f"{'command':<28} {'best ms':>8} {'median ms':>10}")
    for name, words in COMMANDS.items():
        seconds = [run(words) for _ in range(runs)]
        print(f"{name:<28} {min(seconds) * 1000:>8.0f} {median(seconds) * 1000:>10.0f}", flush=True)


def run(words: list[str]) -> float:
    began = perf_counter()
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return perf_counter() - began


if __name__ == "__main__":
    main()
