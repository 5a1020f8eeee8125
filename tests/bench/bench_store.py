"""How fast results are stored: 10,000 matches of four seats with records of about 2 kB, in SQLite and in PostgreSQL.

Run as `python tests/bench/bench_store.py [--matches N] [--db ADDRESS]`; without an address it uses a file in a
temporary folder and, in the same run, a PostgreSQL server of its own if its programs are installed. Both wait for the
disk at every commit. They take turns for several rounds and the best of each counts, so that a busy moment of the
machine hits neither alone.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import wait
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from referee.store import (
    MatchResult,
    NewEntrant,
    NewTournament,
    SeatResult,
    Store,
    TournamentState,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.store.postgres_server import NO_SERVER, private_server, programs

SEATS = 4
IN_FLIGHT = 256


@dataclass(frozen=True)
class Table:
    round: int
    table: int
    seats: tuple[int, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--db", help="where to store them; default: a file in a temporary folder, and PostgreSQL")
    options = parser.parse_args()
    with ExitStack() as stack:
        places = {"given": options.db} if options.db else _places(stack)
        rounds = [
            {name: measure(address, options.matches) for name, address in places.items()} for _ in range(options.rounds)
        ]
    measured = {name: _best([each[name] for each in rounds]) for name in places}
    print(f"load {os.getloadavg()[0]:.1f}; µs of a match, and matches per second")
    print(f"{'':28}" + "".join(f"{name:>22}" for name in measured))
    for what in next(iter(measured.values())):
        seconds = [took[what] for took in measured.values()]
        print(f"{what:28}" + "".join(f"{each * 1e6:>10.0f} {1 / each:>11,.0f}" for each in seconds))


def _best(rounds: list[dict[str, float]]) -> dict[str, float]:
    return {what: min(each[what] for each in rounds) for what in rounds[0]}


def _places(stack: ExitStack) -> dict[str, str]:
    """A new database of each kind."""
    places = {"SQLite": str(Path(stack.enter_context(tempfile.TemporaryDirectory())) / "bench.db")}
    if (found := programs()) is not None:
        places["PostgreSQL"] = stack.enter_context(private_server(*found, durable=True)).url
    else:
        print(NO_SERVER)
    return places


def measure(address: str, number: int) -> dict[str, float]:
    """Seconds for a match, by what is done with it."""
    with Store.open(address, owner="bench") as store:
        matches, seconds = prepare(store, number, "batched")
        took = {"schedule": seconds / number}
        took["claim, many in flight"] = claim_batched(store, matches) / number
        took["report, many in flight"] = report_batched(store, matches) / number
        took["read back in order"] = read_back(store)
        few, _ = prepare(store, max(1, number // 10), "one by one")
        claim_batched(store, few)
        took["report, one by one"] = report_one_by_one(store, few) / len(few)
    return took


def prepare(store: Store, matches: int, name: str) -> tuple[list[int], float]:
    bots = [store.bots.ensure_house(f"bot-{number}").id for number in range(8)]
    entrants = [NewEntrant(bot, f"bot-{place}") for place, bot in enumerate(bots)]
    started = time.perf_counter()
    new = NewTournament(
        f"{name} {secrets.token_hex(4)}", "flip7", "1", SEATS, {"rounds": matches}, secrets.token_bytes(32)
    )
    made = store.tournaments.create(new, entrants, schedule(matches, len(bots)))
    seconds = time.perf_counter() - started
    store.tournaments.set_state(made.id, TournamentState.RUNNING)
    return [match.id for match in store.matches.in_schedule_order(made.id)], seconds


def schedule(matches: int, entrants: int) -> Iterator[Table]:
    for number in range(matches):
        yield Table(number, 0, tuple((number + seat) % entrants for seat in range(SEATS)))


def claim_batched(store: Store, matches: list[int]) -> float:
    started = time.perf_counter()
    for start in range(0, len(matches), IN_FLIGHT):
        wait([store.matches.claim_later(match) for match in matches[start : start + IN_FLIGHT]])
    return time.perf_counter() - started


def report_batched(store: Store, matches: list[int]) -> float:
    results = [result(match) for match in matches]
    started = time.perf_counter()
    for start in range(0, len(results), IN_FLIGHT):
        futures = [store.matches.report_later(each) for each in results[start : start + IN_FLIGHT]]
        for future in futures:
            future.result()
    return time.perf_counter() - started


def report_one_by_one(store: Store, matches: list[int]) -> float:
    results = [result(match) for match in matches]
    started = time.perf_counter()
    for each in results:
        store.matches.report(each)
    return time.perf_counter() - started


def read_back(store: Store) -> float:
    """Seconds for a match, over all that are there."""
    read = 0
    started = time.perf_counter()
    for tournament in store.tournaments.all():
        for _ in store.matches.results_in_schedule_order(tournament.id):
            read += 1
    return (time.perf_counter() - started) / read


def result(match: int) -> MatchResult:
    """A result whose record looks like one: lines of decisions, about 2 kB."""
    lines = [f'{{"d":{turn},"seat":{turn % SEATS},"move":"hit","ms":{match * turn % 97}}}' for turn in range(44)]
    seats = tuple(SeatResult(seat, seat + 1, 200 - seat, decisions=11, time_ms=30) for seat in range(SEATS))
    return MatchResult(match, 1, seats, secrets.token_hex(32), "\n".join(lines).encode())


if __name__ == "__main__":
    main()
