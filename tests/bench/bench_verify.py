"""How fast `referee verify` replays records: `python tests/bench/bench_verify.py [--matches N]`.

For every game: records per second of processor time, without views, as `verify` checks each of them (JSON, types,
moves, result, ranks, seed). Then a whole tournament of the shortest one as an exported folder, hash chain and ratings
included, in one process and with others beside. The matches are played at random, by seats of which none forfeits.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from referee.match.result import judge
from referee.match.transcript import Transcript
from referee.rules import registry
from referee.rules.playout import playout, random_chooser
from referee.store import MatchResult, NewEntrant, SeatResult, Store, TournamentState
from referee.tournament.audit import folder
from referee.tournament.audit.audited import MatchLine
from referee.tournament.audit.database import published
from referee.tournament.audit.replay_pool import MatchCheck
from referee.tournament.audit.verify import verify
from referee.tournament.lifecycle import create
from referee.tournament.nonces import NonceDigests
from referee.tournament.plan import Plan, checked, deal
from referee.tournament.seeds import match_seed

CASES = (("stop_me_go", 2), ("stop_me_go", 4), ("flip7", 3), ("flip7", 4), ("stop", 4), ("encore", 2), ("encore", 4))
ROOT = bytes(32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=10_000, help="of the whole tournament")
    parser.add_argument("--seconds", type=float, default=3.0, help="for each game")
    parser.add_argument("--whole", default="stop_me_go", help="the game of the whole tournament")
    parser.add_argument(
        "--quickest", type=int, default=0, help="replay each of 20 records so often, count the quickest"
    )
    given = parser.parse_args()
    print(f"{'game':<12}{'players':>8}{'decisions':>11}{'bytes':>8}{'records/s':>11}{'decisions/s':>13}")
    for game, players in CASES:
        one_game(game, players, given.seconds, given.quickest)
    if not given.matches:
        return
    with tempfile.TemporaryDirectory() as scratch:
        whole_tournament(Path(scratch), given.whole, given.matches)


def one_game(name: str, players: int, seconds: float, quickest: int) -> None:
    plan = checked(Plan(name, players, rounds=1), players)[1]
    bots = tuple(f"bot-{seat}" for seat in range(players))
    lines = [line_of(plan, number, bots, 1, 1, ROOT, "bench") for number in range(200)]
    check = MatchCheck("bench", name, players, dict(plan.options), (ROOT,), {}, (), plan, True, NonceDigests(()), {})
    if quickest:  # on a busy machine
        taken = [min(timed(check, *item) for _ in range(quickest)) for item in lines[:20]]
        mean = sum(taken) / len(taken)
        print(
            f"{name:<12}{players:>8}   the quickest of {quickest}: {1e6 * mean:,.0f} µs, {1 / mean:,.0f} records/s",
            flush=True,
        )
        return
    done, began = 0, process_time()
    while (took := process_time() - began) < seconds:
        for line, record in lines:
            check(line, record)
        done += len(lines)
    decisions = sum(sum(line.decisions) for line, _ in lines) / len(lines)
    size = sum(len(record) for _, record in lines) / len(lines)
    rate = done / took
    print(f"{name:<12}{players:>8}{decisions:>11.0f}{size:>8.0f}{rate:>11,.0f}{rate * decisions:>13,.0f}", flush=True)


def timed(check: MatchCheck, line: MatchLine, record: bytes) -> float:
    began = perf_counter()
    check(line, record)
    return perf_counter() - began


def line_of(
    plan: Plan, number: int, bots: tuple[str, ...], round: int, table: int, root: bytes, tournament: str
) -> tuple[MatchLine, bytes]:
    """A match played at random, as it is stored."""
    game = registry.find(plan.game)
    seed = match_seed(root, tournament, deal(plan, number), 1)
    choosers = [random_chooser(seed, seat) for seat in range(plan.players)]
    record = playout(game, plan.players, plan.options, seed, choosers).record
    assert record.result is not None
    ending = judge(record.result, {})
    transcript = Transcript(plan.players)
    for text in record.moves:
        for part in text.split(" | "):
            transcript.moved(int(part.partition(":")[0]), 0.0)
    data = transcript.to_bytes(f"{tournament}/{number}", bots, record, ending)
    decisions = tuple(seat.decisions for seat in transcript.seats)
    nothing = (0,) * plan.players
    return MatchLine(
        *(number, round, table, bots, "finished", 1, seed.hex(), ending.ranks, ending.scores, ending.words),
        *(ending.reason, None, None, nothing, decisions, nothing),
    ), data


def whole_tournament(scratch: Path, name: str, matches: int) -> None:
    players = 2
    with Store.open(scratch / "bench.db") as store:
        bots = [NewEntrant(store.bots.ensure_house(f"bot-{number}").id, f"bot-{number}") for number in range(20)]
        plan = Plan(name, players, rounds=max(1, matches * players // len(bots)))
        tournament = create(store, "bench", plan, bots)
        asyncio.run(fill(store, tournament.id))
        began = perf_counter()
        folder.write(published(store, "bench"), scratch / "out")
        took = perf_counter() - began
        print(f"\n{name}, {players} players, {matches:,} matches: written as a folder in {took:.1f} s")
    cores = len(os.sched_getaffinity(0))
    for workers in (0, *sorted({1, cores})):
        began, used = perf_counter(), process_time()
        found = verify(folder.read(scratch / "out"), workers=workers)
        took, used = perf_counter() - began, process_time() - used
        label = f"{workers} processes beside" if workers else "in one process"
        print(
            f"verify DIR, {label}: {took:.1f} s, {found.replayed / took:,.0f} matches/s, {used:.1f} s of CPU",
            flush=True,
        )


async def fill(store: Store, tournament: int) -> None:
    """Results of matches played at random, stored as a runner stores them."""
    store.tournaments.set_state(tournament, TournamentState.RUNNING)
    plan = Plan.of(store.tournaments.get(tournament))
    root = store.tournaments.root(tournament)
    waiting = []
    for match in list(store.matches.in_schedule_order(tournament)):
        assert match.ordinal is not None
        names = tuple(seat.name for seat in match.seats)
        line, record = line_of(plan, match.ordinal, names, match.round or 0, match.table or 0, root, "bench")
        store.matches.claim_later(match.id)
        seats = tuple(
            SeatResult(seat, line.ranks[seat], line.scores[seat], line.faults[seat], 0, line.decisions[seat], 0)
            for seat in range(plan.players)
        )
        waiting.append(store.matches.report_later(MatchResult(match.id, 1, seats, line.seed, record, line.reason)))
    assert all(done.result() for done in waiting)
    store.tournaments.set_state(tournament, TournamentState.FINISHED, reveal=True)


if __name__ == "__main__":
    main()
