"""Repeat a season: `python -m tests.season --seed 17`; `--from 0 --seeds 10` tries several."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from .checks import Broken
from .season import ERAS, play


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.season", description=__doc__)
    parser.add_argument("--seed", type=int, help="this one alone")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed")
    parser.add_argument("--seeds", type=int, default=1, help="how many")
    parser.add_argument("--days", type=int, default=21)
    parser.add_argument("--matches", type=int, default=30, help="results of a day")
    parser.add_argument("--deeds", type=int, default=5, help="things that happen on a day")
    parser.add_argument("--sandbox", action="store_true", help="with a day in the sandbox")
    parser.add_argument("--all", action="store_true", help="fail unless everything has happened that can happen")
    given = parser.parse_args()
    settings = {"days": given.days, "matches": given.matches, "deeds": given.deeds, "sandbox": given.sandbox}
    for seed in [given.seed] if given.seed is not None else range(given.first, given.first + given.seeds):
        began = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            try:
                season = play(seed, Path(folder), **settings)
            except Broken as error:
                print(error, file=sys.stderr)
                return 1
            never = [deed for _, deeds in ERAS for deed in deeds if not season.done[deed]]
            if given.all and never:
                print(f"seed {seed}: this never happened: {', '.join(never)}", file=sys.stderr)
                return 1
            happened = ", ".join(f"{what} {count}" for what, count in sorted(season.done.items()))
            print(f"seed {seed}: {season.results} results, {season.deaths} deaths, {happened}")
            print(f"  {time.process_time() - began:.1f} s of processor time")
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # dead processes are left as they are
