"""How many matches it takes until a question is answered, against a length fixed before, and how often it is wrong.

    python tests/bench/bench_until.py
    python tests/bench/bench_until.py --series 200

Bots of known strength (in units of β, the noise of one match). *Fixed* is the shortest round-robin that answers in 90 %
of series, by ordinary intervals with the same error over all pairs. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import sys
from math import comb
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tournament" / "formats"))

from playing_until import blocks_needed, is_wrong, matches, until  # type: ignore[import-not-found]

from referee.tournament.formats.until import BLOCK, FIRST, ORDER, PAIR, Until

FIELDS = [
    (FIRST, [0.6, 0.3, 0.1, 0.0, -0.2, -0.4], 2),
    (FIRST, [0.6, 0.3, 0.1, 0.0, -0.2, -0.4], 4),
    (FIRST, [0.5, 0.0, 0.0, 0.0], 2),
    (ORDER, [0.6, 0.2, -0.2, -0.6], 2),
    (ORDER, [0.9, 0.3, -0.3, -0.9], 4),
]
EQUAL = [(PAIR, [0.0] * 2, 2), (FIRST, [0.0] * 4, 2), (ORDER, [0.0] * 4, 4)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--series", type=int, default=40)
    parser.add_argument("--budget", type=int, default=2000, help="matches of a tournament of equal bots")
    words = parser.parse_args()
    print("question  players  strengths                              mean   90 %  fixed  saving  wrong")
    for question, strengths, players in FIELDS:
        lengths, wrong = [], 0
        for number in range(words.series):
            known, played, _ = until(Until(question, budget=100_000), strengths, players, f"bench {number}")
            lengths.append(matches(played))
            wrong += is_wrong(known, strengths)
        lengths.sort()
        mean, most = sum(lengths) / len(lengths), lengths[int(0.9 * (len(lengths) - 1))]
        needed = blocks_needed(question, strengths, players, words.series)
        fixed = needed * BLOCK * comb(len(strengths), players)
        told = ", ".join(f"{value:g}" for value in strengths)
        saved = f"{1 - mean / fixed:.0%}"
        print(
            f"{question:8}  {players:7}  {told:36} {mean:6.0f} {most:6} {fixed:6}  {saved:>6}  {wrong}/{words.series}"
        )
    print(f"equal bots over {words.budget:,} matches: tournaments with a false claim")
    for question, strengths, players in EQUAL:
        format = Until(question, pair=(0, 1) if question == PAIR else (), budget=words.budget)
        wrong = sum(
            is_wrong(until(format, strengths, players, f"equal {number}")[0], strengths)
            for number in range(words.series)
        )
        print(f"  {question:8} {len(strengths)} bots, {players} players: {wrong}/{words.series}")


if __name__ == "__main__":
    main()
