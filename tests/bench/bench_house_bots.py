"""How strong the house bots are against each other: the table of bots/README.md, with 95 % intervals.

    python tests/bench/bench_house_bots.py                      # all rows, half an hour of processor time
    python tests/bench/bench_house_bots.py --game flip7 --matches 4000
    python tests/bench/bench_house_bots.py --programs           # bots in other languages, after `make bots`

Another deal for every match, seats rotated, all in this process; the same seed gives the same figures. *Share* is the
share of first places of all seats of that bot, ties split; *rank* its mean rank; alone at a table the mean score
counts. Prints a Markdown table. Programs play as `referee run` lets them: those that are
not built here are named and left out.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from referee.hosting.simulation import simulate, win_shares
from referee.rules import registry
from referee.rules.game import Result, seed_bytes

ROWS: list[tuple[str, dict[str, Any], tuple[str, ...], int]] = [
    ("flip7", {}, ("odds", "cautious", "odds", "cautious"), 3000),
    ("flip7", {}, ("odds", "cautious", "cautious", "cautious"), 2000),
    ("flip7", {"rules": "faq"}, ("odds", "cautious", "odds", "cautious"), 2000),
    ("flip7", {}, ("odds", "random", "odds", "random"), 500),
    ("stop_me_go", {}, ("mixed", "patient"), 1000),
    ("stop_me_go", {}, ("mixed", "patient", "mixed", "patient"), 1000),
    ("stop_me_go", {}, ("mixed", "patient", "patient", "patient"), 1000),
    ("stop_me_go", {}, ("mixed", "mixed", "patient"), 1000),
    ("stop_me_go", {}, ("mixed", "patient", "mixed", "patient", "mixed", "patient"), 1000),
    ("stop_me_go", {}, ("mixed", "random", "mixed", "random"), 1000),
    ("stop", {}, ("auctioneer", "frugal", "auctioneer", "frugal"), 1000),
    ("stop", {}, ("auctioneer", "frugal", "frugal"), 500),
    ("stop", {}, ("auctioneer", "random", "auctioneer", "random"), 500),
    ("encore", {}, ("planner", "tidy", "planner", "tidy"), 300),
    ("encore", {}, ("planner", "tidy"), 300),
    ("encore", {}, ("planner",), 300),
    ("encore", {}, ("tidy",), 300),
]
"""Game, options, the bots by seat in the first match, and how many matches."""
PROGRAMS: list[tuple[str, tuple[str, ...], int]] = [
    ("flip7", ("sprinter", "cautious", "sprinter", "cautious"), 600),
    ("flip7", ("gambler", "cautious", "gambler", "cautious"), 600),
    ("stop_me_go", ("detective", "patient"), 300),
    ("stop_me_go", ("detective", "patient", "detective", "patient"), 300),
    ("stop_me_go", ("detective", "patient", "patient", "patient"), 300),
    ("encore", ("weaver", "tidy"), 300),
    ("stop", ("broker", "frugal", "broker", "frugal"), 300),
]
"""Bots in other languages, with one of ours."""
Z = 1.96


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", help="only this game")
    parser.add_argument("--matches", type=int, help="so many for every row")
    parser.add_argument("--programs", action="store_true", help="bots in other languages instead")
    parser.add_argument("--seed", default="house bots")
    words = parser.parse_args()
    print("| game | seating | matches | strong bot: share, mean rank | other bot: share, mean rank |")
    print("|---|---|---|---|---|")
    for game, bots, matches in PROGRAMS if words.programs else ():
        if words.game in (None, game):
            print(program_row(game, bots, words.matches or matches, words.seed), flush=True)
    for game, options, bots, matches in () if words.programs else ROWS:
        if words.game in (None, game):
            print(row(game, options, bots, words.matches or matches, words.seed), flush=True)


def row(game: str, options: Mapping[str, Any], bots: Sequence[str], matches: int, seed: str) -> str:
    """One line of the table."""
    shares: dict[str, list[float]] = {bot: [] for bot in bots}
    ranks: dict[str, list[float]] = {bot: [] for bot in bots}
    title = ", ".join([registry.find(game).title, *(f"`{value}`" for value in options.values())])
    if len(bots) == 1:
        scores = [float(result.scores[0]) for _, result in results(game, options, bots, matches, seed)]
        return f"| {title}, solo | {bots[0]} | {len(scores):,} | mean score {between(scores, 1, 1)} | |"
    for seated, result in results(game, options, bots, matches, seed):
        split = win_shares(result.ranks)
        for bot in shares:
            own = [seat for seat, one in enumerate(seated) if one == bot]
            shares[bot].append(sum(split[seat] for seat in own))
            ranks[bot].append(sum(result.ranks[seat] for seat in own) / len(own))
    seating = " + ".join(f"{bots.count(bot)} {bot}" for bot in shares)
    cells = [f"{between(shares[bot], 100, 1)} %, {between(ranks[bot], 1, 2)}" for bot in shares]
    return f"| {title} | {seating} | {len(next(iter(shares.values()))):,} | {' | '.join(cells)} |"


def program_row(game: str, bots: Sequence[str], matches: int, seed: str) -> str:
    """One line of the table for bots that run as programs of their own."""
    chosen = list(dict.fromkeys(bots))
    seating = " + ".join(f"{bots.count(bot)} {bot}" for bot in chosen)
    title = registry.find(game).title
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "referee", "run", game, *bots, "--players", str(len(bots))]
        command += ["--rounds", str(matches), "--seed", seed, "--db", f"{folder}/bots.db", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        why = (done.stderr.strip().splitlines() or ["it did not say why"])[-1]
        return f"| {title} | {seating} | – | not measured: {why} | |"
    rows = json.loads(done.stdout)["standings"]
    cells = []
    for bot in chosen:
        own = [row for row in rows if row["bot"] == bot or row["bot"].startswith(f"{bot}-")]
        share = sum(row["wins_split"] for row in own) / matches
        error = Z * math.sqrt(max(0.0, share * (1 - share)) / matches)
        rank = math.fsum(row["mean_rank"] for row in own) / len(own)
        cells.append(f"{100 * share:.1f} ± {100 * error:.1f} %, {rank:.2f}")
    return f"| {title} | {seating} | {matches:,} | {' | '.join(cells)} |"


def results(
    game: str, options: Mapping[str, Any], bots: Sequence[str], matches: int, seed: str
) -> Iterator[tuple[Sequence[str], Result]]:
    """Every match with its bots by seat: a part of the matches in each rotation of the seats."""
    chosen = registry.find(game)
    resolved = chosen.resolve_options(options)
    for turn in range(len(bots)):
        seated = (*bots[turn:], *bots[:turn])
        root = seed_bytes(f"{seed} {game} {' '.join(seated)} {turn}")
        part = matches // len(bots) + (turn < matches % len(bots))
        for tally in simulate(chosen, len(bots), resolved, part, root, list(seated)):
            assert tally.latest is not None
            result = tally.latest.record.result
            assert result is not None
            yield seated, result


def between(values: Sequence[float], scale: float, digits: int) -> str:
    """The mean with its 95 % interval, `57.6 ± 1.6`: one value for every match, which are independent."""
    mean = math.fsum(values) / len(values)
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return f"{scale * mean:.{digits}f} ± {scale * Z * math.sqrt(variance / len(values)):.{digits}f}"


if __name__ == "__main__":
    main()
