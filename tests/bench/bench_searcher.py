"""How strong `searcher` is against the simple house bot of a game: `python tests/bench/bench_searcher.py GAME`.

One searcher sits in every seat in turn, on the same deal, with simple bots around it. No clock decides, so the same
matches are played on every machine. After every twenty: its share of the first places (shared ones count in part), and
by how many ranks it is above the mean of the others, with 95 % intervals, and the processor time of a match.
"""

from __future__ import annotations

import argparse
from math import sqrt
from time import process_time

from referee.analysis.why.yardstick import USUAL
from referee.hosting import inprocess
from referee.hosting.bot import folders
from referee.rules import registry
from referee.rules.game import seed_bytes
from referee.rules.playout import playout

SURE = 1.96


def main() -> None:
    parser = argparse.ArgumentParser(description="The strength of bots/searcher.")
    parser.add_argument("game", nargs="?", default="stop_me_go", choices=sorted(USUAL))
    parser.add_argument("--players", type=int, default=0, help="seats (the fewest, at least 2)")
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="number of the first match: others are other deals")
    given = parser.parse_args()
    inprocess.BUDGET = 1e6
    game = registry.find(given.game)
    players, simple, options = given.players or max(2, game.seats.least), USUAL[game.name], game.resolve_options()
    bots = {name: folders.load(folders.find(name, game.name)) for name in ("searcher", simple)}
    shares: list[float] = []
    gains: list[float] = []
    began = process_time()
    for number in range(given.first, given.first + given.matches):
        own = number % players
        seats = ["searcher" if seat == own else simple for seat in range(players)]
        choosers = [
            inprocess.chooser(bots[name], name, game, options, "bench", seat, seats) for seat, name in enumerate(seats)
        ]
        result = playout(game, players, options, seed_bytes(f"h{number // players}"), choosers).record.result
        assert result is not None
        ranks = result.ranks
        shares.append((ranks[own] == 1) / ranks.count(1))
        gains.append((sum(ranks) - ranks[own]) / (players - 1) - ranks[own])
        if len(gains) % 20 == 0 or len(gains) == given.matches:
            print(
                f"{game.name}, 1 searcher + {players - 1} {simple}, {len(gains)} matches: first {told(shares)} of "
                f"{1 / players:.2f}, ranks {told(gains)}, {(process_time() - began) / len(gains):.2f} s of CPU a match",
                flush=True,
            )


def told(figures: list[float]) -> str:
    count, mean = len(figures), sum(figures) / len(figures)
    spread = sqrt(sum((one - mean) ** 2 for one in figures) / max(1, count - 1) / count)
    return f"{mean:+.2f} ± {SURE * spread:.2f}"


if __name__ == "__main__":
    main()
