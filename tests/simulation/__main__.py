"""Repeat a seed, or try many: `python -m tests.simulation --seed 17`, `--from 0 --seeds 100`."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from .disk import Broken
from .world import simulate


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, help="this one alone")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    given = parser.parse_args()
    seeds = [given.seed] if given.seed is not None else range(given.first, given.first + given.seeds)
    began, matches = time.process_time(), 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            try:
                world = simulate(seed, Path(folder))
            except Broken as error:
                print(error, file=sys.stderr)
                return 1
            matches += world.matches
            print(f"seed {seed}: {world.matches} matches, {world.deaths} deaths, trace {world.digest[:16]}")
    print(f"{matches} matches, {time.process_time() - began:.1f} s of processor time")
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # dead processes are left as they are
