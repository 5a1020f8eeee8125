"""How even balanced schedules are, and how long they take: `python tests/bench/bench_schedule.py`.

For every number of bots n and table size k, two lengths: n rounds, and 5n rounds. Each cell shows the
spread (most minus least) of meetings between any two bots, of the seats of one bot, and of byes.
The last lines time the schedule of a large tournament and of bots that join it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.tournament.schedule.evenness import Spread, spread

from referee.tournament.schedule import Pairing, balanced, extend

TABLES = range(2, 7)
BOTS = range(5, 41)


def main() -> None:
    print("meetings/seats/byes: most minus least; seats are those of one bot")
    print(f"{'n':>3} {'rounds':>6}" + "".join(f"{f'k={k}':>9}" for k in TABLES))
    for n in BOTS:
        for rounds in (n, 5 * n):
            cells = [_cell(spread(balanced(n, k, rounds), n)) if k <= n else "-" for k in TABLES]
            print(f"{n:>3} {rounds:>6}" + "".join(f"{cell:>9}" for cell in cells), flush=True)
    print()
    began = perf_counter()
    schedule = balanced(40, 4, 1000)
    _report("40 bots, k=4, 1,000 rounds", schedule, 40, perf_counter() - began)
    began = perf_counter()
    further = extend("balanced", schedule, 44, 4)
    _report("4 more join and catch up", [*schedule, *further], 44, perf_counter() - began)


def _cell(measured: Spread) -> str:
    meetings = measured.meetings[1] - measured.meetings[0]
    return f"{meetings}/{measured.seat_gap}/{measured.byes[1] - measured.byes[0]}"


def _report(what: str, schedule: Sequence[Pairing], n: int, seconds: float) -> None:
    measured = spread(schedule, n)
    print(
        f"{what}: {seconds:.2f} s; in all {measured.rounds:,} rounds, {measured.matches:,} matches, "
        f"meetings {measured.meetings[0]}–{measured.meetings[1]}, seats {measured.seats[0]}–{measured.seats[1]}"
    )


if __name__ == "__main__":
    main()
