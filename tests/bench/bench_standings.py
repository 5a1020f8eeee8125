"""What standings of a long tournament cost: `python tests/bench/bench_standings.py [--matches 50000] [--bots 40]`.

A made-up tournament of four-player matches is stored, with results but without real records. Then the processor time of
`leaderboard --once` is taken, start to end in a process of its own, beside the same on a tournament of ten matches
(which is nearly all start-up): with the snapshots that the first look has stored, and with all of them deleted before
each look. The last lines are the start of a board in this process, as a server or `run --db` begins with it, and the
notices, where a few matches at the beginning were set aside. `--db ADDRESS` measures PostgreSQL (an empty database).
Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import delete

from referee.store import MatchResult, MatchState, NewEntrant, SeatResult, Store, TournamentState
from referee.store import tables as t
from referee.tournament import lifecycle
from referee.tournament.plan import Plan
from referee.tournament.standings import fill, notices
from referee.tournament.standings.snapshots import Snapshots

PLAYERS = 4
RECORD = b"{}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=50_000)
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--looks", type=int, default=3, help="the best of so many counts (3)")
    parser.add_argument("--db", help="an empty PostgreSQL database instead of a file")
    parser.add_argument("--keep", metavar="FILE", help="make the database here and leave it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        address = given.db or given.keep or str(Path(folder) / "league.db")
        small = str(Path(folder) / "small.db")
        made_up(small, 10, 8)
        began = time.perf_counter()
        made_up(address, given.matches, given.bots)
        print(f"{given.matches:,} matches of {given.bots} bots made up in {time.perf_counter() - began:.1f} s")
        report(address, small, given.looks)


def made_up(address: str, matches: int, bots: int) -> None:
    """A finished tournament, of which three matches near the beginning were set aside."""
    drawn = random.Random("standings")
    with Store.open(address) as store:
        entrants = [NewEntrant(store.bots.ensure_house(f"bot{n}").id, f"bot{n}") for n in range(bots)]
        rounds = -(-matches // (bots // PLAYERS))
        plan = Plan("flip7", players=PLAYERS, rounds=rounds, draw_probability=0.02)
        league = lifecycle.create(store, "league", plan, entrants, "s", repeatable=True)
        store.tournaments.set_state(league.id, TournamentState.RUNNING)
        for ordinal in (1, 2, 5):
            store.matches.set_aside(ordinal + 1, MatchState.ABSENT, "bot3 not there")
        waiting = deque(store.matches.in_schedule_order(league.id, [MatchState.SCHEDULED]))
        while waiting:
            some = [waiting.popleft() for _ in range(min(len(waiting), 2000))]
            attempts = [store.matches.claim_later(match.id) for match in some]
            reported = []
            for match, attempt in zip(some, attempts, strict=True):
                strength = [drawn.gauss((seat.position or 0) / bots, 1) for seat in match.seats]
                ranks = [1 + sum(other > own for other in strength) for own in strength]
                seats = tuple(SeatResult(seat, rank, 100 - 20 * rank) for seat, rank in enumerate(ranks))
                taken = attempt.result()
                assert taken is not None
                reported.append(
                    store.matches.report_later(MatchResult(match.id, taken, seats, f"{match.id:064x}", RECORD, "done"))
                )
            for each in reported:
                assert each.result()
        store.tournaments.set_state(league.id, TournamentState.FINISHED, reveal=True)


def report(address: str, small: str, looks: int) -> None:
    start_up = min(command(small) for _ in range(looks))
    print(f"leaderboard --once of ten matches                 {start_up:6.2f} s of processor time")

    def forgetting() -> float:
        forget(address)
        return command(address)

    for what, look in (("without snapshots", forgetting), ("with", lambda: command(address))):
        spent = min(look() for _ in range(looks))
        print(f"… of all, {what:38}  {spent:6.2f} s, {spent - start_up:5.2f} beyond that")
    with Store.open(address) as store:
        league = store.tournaments.get("league")

        def begin() -> None:
            fill(Snapshots(store, league.id, Plan.of(league)).begin(), store, league)

        timed("a board, as a server or `run --db` begins", begin, looks)
        timed("notices, three matches set aside", lambda: notices(store, league.id, 3, ()), looks)
        rows = store.snapshots.all(league.id)
        print(f"{len(rows)} snapshots: {', '.join(f'{each.kind} {each.through:,}' for each in rows)}")


def timed(what: str, work: Callable[[], object], looks: int) -> None:
    spent = []
    for _ in range(looks):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    print(f"{what:48}  {min(spent) * 1000:8.1f} ms")


def command(address: str) -> float:
    """Seconds of processor time of the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "referee", "leaderboard", "league", "--once", "--db", address]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"COLUMNS": "100"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def forget(address: str) -> None:
    with Store.open(address) as store:
        store.writer.submit(lambda connection: connection.execute(delete(t.snapshots)).rowcount).result()


if __name__ == "__main__":
    main()
