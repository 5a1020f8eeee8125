"""How long order-free ratings take: 10,000 four-player matches of 40 bots, and errors by matches.

    python tests/bench/bench_strengths.py
    python tests/bench/bench_strengths.py --bots 200 --matches 50000

Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import random
import time

from referee.tournament.ratings import Ratings, RatingSettings, Result
from referee.tournament.statistics.strengths import strengths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--width", type=float, default=0.3, help="how different the bots are, in units of β")
    parser.add_argument("--samples", type=int, default=200, help="samples of the bootstrap")
    words = parser.parse_args()
    settings = RatingSettings()
    dice = random.Random(1)
    skills = {f"bot{number}": dice.gauss(0, words.width * settings.beta) for number in range(words.bots)}
    results: list[Result] = []
    for _ in range(words.matches):
        table = dice.sample(sorted(skills), words.players)
        shown = [dice.gauss(skills[bot], settings.beta) for bot in table]
        results.append((table, [1 + sum(other > own for other in shown) for own in shown]))
    print(f"{words.matches:,} matches of {words.players} players, {words.bots} bots")
    began = time.process_time()
    strengths(results, list(skills), settings)
    middle = time.process_time()
    strengths(results, list(skills), settings, bootstrap=words.samples)
    end = time.process_time()
    print(f"  processor time: {middle - began:.2f} s, with {words.samples} bootstrap samples {end - middle:.2f} s")
    print(
        "  matches   strengths s   TrueSkill s   error of strengths   of TrueSkill's μ   (root mean square, units of β)"
    )
    for share in (100, 10, 1):
        some = results[: words.matches // share]
        began = time.perf_counter()
        found = strengths(some, list(skills), settings)
        middle = time.perf_counter()
        ratings = Ratings(settings, skills)
        for result in some:
            ratings.rate(result)
        end = time.perf_counter()
        ours = error(skills, {row.bot: row.value for row in found.rows}) / settings.beta
        theirs = error(skills, {row.bot: row.mu for row in ratings.table()}) / settings.beta
        print(f"  {len(some):7,}  {middle - began:12.2f}  {end - middle:12.2f}  {ours:19.3f}  {theirs:17.3f}")


def error(skills: dict[str, float], found: dict[str, float]) -> float:
    """Root mean square of the errors, relative to the mean of the field."""
    truth, guess = (sum(values.values()) / len(values) for values in (skills, found))
    squares = [(found[bot] - guess - skills[bot] + truth) ** 2 for bot in skills]
    return float((sum(squares) / len(squares)) ** 0.5)


if __name__ == "__main__":
    main()
