"""How fast results are stored: 10,000 matches of four seats with records of about 2 kB.

Run as `python tests/bench/bench_store.py [--matches N] [--db ADDRESS]`; without an address it uses a file in a
temporary folder.
"""

from __future__ import annotations

import argparse
import secrets
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import wait
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
    parser.add_argument("--db", help="where to store them; default: a file in a temporary folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        address = options.db or str(Path(folder) / "bench.db")
        with Store.open(address, owner="bench") as store:
            print(f"{'':28}{'matches':>9}{'seconds':>9}{'per s':>9}{'µs each':>9}")
            matches, seconds = prepare(store, options.matches, "batched")
            show("schedule", len(matches), seconds)
            show("claim, many in flight", len(matches), claim_batched(store, matches))
            show("report, many in flight", len(matches), report_batched(store, matches))
            show("read back in order", len(matches), read_back(store))
            few, _ = prepare(store, max(1, options.matches // 10), "one by one")
            claim_batched(store, few)
            show("report, one by one", len(few), report_one_by_one(store, few))


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
    started = time.perf_counter()
    for tournament in store.tournaments.all():
        for _ in store.matches.results_in_schedule_order(tournament.id):
            pass
    return time.perf_counter() - started


def result(match: int) -> MatchResult:
    """A result whose record looks like one: lines of decisions, about 2 kB."""
    lines = [f'{{"d":{turn},"seat":{turn % SEATS},"move":"hit","ms":{match * turn % 97}}}' for turn in range(44)]
    seats = tuple(SeatResult(seat, seat + 1, 200 - seat, decisions=11, time_ms=30) for seat in range(SEATS))
    return MatchResult(match, 1, seats, secrets.token_hex(32), "\n".join(lines).encode())


def show(what: str, matches: int, seconds: float) -> None:
    print(f"{what:28}{matches:>9}{seconds:>9.2f}{matches / seconds:>9.0f}{seconds / matches * 1e6:>9.1f}")


if __name__ == "__main__":
    main()
