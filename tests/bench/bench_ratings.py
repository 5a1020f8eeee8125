"""How fast results are rated: `python tests/bench/bench_ratings.py`.

Rates the results of 10,000 four-player matches of 40 bots, drawn from skills as different as the
prior says, and compares the σ reached with the forecast of a dry run.
"""

from __future__ import annotations

import math
from hashlib import shake_256
from statistics import NormalDist
from time import perf_counter

from referee.tournament.ratings import Ratings, RatingSettings, Result, digest
from referee.tournament.ratings.expected_sigma import expected_sigma
from referee.tournament.schedule import balanced

BOTS = 40


def main() -> None:
    settings = RatingSettings(draw_probability=0.05)
    print(f"{'players':>7} {'matches':>8} {'seconds':>8} {'matches/s':>10} {'mean σ':>8} {'forecast':>9}  digest")
    for players, rounds in ((2, 100), (4, 100), (4, 1000), (8, 100)):
        results = results_of(players, rounds, settings)
        began = perf_counter()
        ratings = Ratings(settings)
        for result in results:
            ratings.rate(result)
        table = ratings.table()
        seconds = perf_counter() - began
        mean = math.fsum(row.sigma for row in table) / len(table)
        forecast = expected_sigma(rounds, players, settings)
        print(
            f"{players:>7} {len(results):>8,} {seconds:>8.2f} {len(results) / seconds:>10,.0f} "
            f"{mean:>8.3f} {forecast:>9.3f}  {digest(table)[:12]}",
            flush=True,
        )


def results_of(players: int, rounds: int, settings: RatingSettings) -> list[Result]:
    skills = [settings.mu + settings.sigma * _normal(f"bot {bot}") for bot in range(BOTS)]
    results: list[Result] = []
    for pairing in balanced(BOTS, players, rounds):
        luck = [settings.beta * _normal(f"{pairing.round} {pairing.table} {seat}") for seat in range(players)]
        shown = [skills[bot] + more for bot, more in zip(pairing.seats, luck, strict=True)]
        ranks = tuple(1 + sum(other > own for other in shown) for own in shown)
        results.append((tuple(f"bot-{bot}" for bot in pairing.seats), ranks))
    return results


def _normal(label: str) -> float:
    word = int.from_bytes(shake_256(label.encode()).digest(4))
    return NormalDist().inv_cdf((word + 0.5) / 2**32)


if __name__ == "__main__":
    main()
