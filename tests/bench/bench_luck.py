"""How much luck can be taken off results, and whether mirrored deals pay, for each of our games.

    python tests/bench/bench_luck.py                                # all games, many minutes
    python tests/bench/bench_luck.py --game flip7 --matches 400
    python tests/bench/bench_luck.py --first 5000                   # other matches
    python tests/bench/bench_luck.py --game encore --first 40 --matches 40 --part b.json  # a part, elsewhere …
    python tests/bench/bench_luck.py --game encore --join a.json b.json                   # … and all parts
    python tests/bench/bench_luck.py --mirror --matches 1200        # mirrored deals only

*variance left* is the variance of a result (the share of opponents left behind) without luck, against that of the plain
result; *mirrored* the variance of the mean lead (points over the mean of the others) in a block of mirrored deals,
against as many independent ones. Below 1 it pays. The intervals are those of a bootstrap over matches (or blocks). The
same matches give the same figures. CPU is that of all processes, learning what positions are worth included. What
was chosen with a look at matches (what a position is judged by, how many outcomes are tried) was chosen on those from
100,000 on, which are not played here unless `--first` says so. Prints, asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, variance
from typing import Any

from referee.analysis.luck import LuckyMatch, adjust, measured, meter_of, place_share
from referee.hosting import inprocess
from referee.hosting.bot import folders
from referee.rules import registry
from referee.rules.playout import match_seed, playout
from referee.rules.record import Record

TABLES: dict[str, tuple[str, ...]] = {
    "flip7": ("odds", "cautious", "odds", "cautious"),
    "encore": ("tidy", "tidy"),
    "stop_me_go": ("mixed", "patient", "mixed", "patient"),
    "stop": ("auctioneer", "frugal", "frugal"),
}
MIRRORED = TABLES | {"encore": ("planner", "tidy"), "stop": ("auctioneer", "frugal", "frugal")}
"""Two bots that play alike would undo each other's luck exactly."""
SAMPLES = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", choices=TABLES)
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--first", type=int, default=0, help="the number of the first match")
    parser.add_argument("--rollouts", type=int)
    parser.add_argument("--mirror", action="store_true", help="mirrored deals instead of luck")
    parser.add_argument("--part", metavar="FILE", help="only measure, and write the values there")
    parser.add_argument("--join", metavar="FILE", nargs="+", help="nothing is played: take these parts")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    words = parser.parse_args()
    print("| game | bots | matches | " + ("mirrored |" if words.mirror else "variance left | CPU s a match |"))
    for game, bots in (MIRRORED if words.mirror else TABLES).items():
        if words.game in (None, game):
            print(mirrored(game, bots, words.matches) if words.mirror else luck(game, bots, words), flush=True)


def luck(game: str, bots: Sequence[str], words: Any) -> str:
    """One line: how much variance is left without luck."""
    if words.join:
        parts = [json.loads(Path(file).read_text()) for file in words.join]
        found = sorted((each for part in parts for each in part["matches"]), key=lambda each: int(each["number"]))
        seconds = sum(part["seconds"] for part in parts)
    else:
        found, seconds = measure(game, bots, words)
        if words.part:
            Path(words.part).write_text(json.dumps({"seconds": seconds, "matches": found}))
    matches = []
    for each in found:
        names = rotated([f"{bot}{place}" for place, bot in enumerate(bots)], each["number"])
        matches.append(LuckyMatch(tuple(names), tuple(each["shares"]), tuple(map(tuple, each["luck"])), each["number"]))
    left = adjust(matches).variance
    low, high = interval(lambda chosen: adjust(chosen).variance, matches)
    each_took = seconds / len(matches)
    return f"| {game} | {' '.join(bots)} | {len(matches):,} | {left:.2f} ({low:.2f} to {high:.2f}) | {each_took:.2f} |"


def measure(game: str, bots: Sequence[str], words: Any) -> tuple[list[dict[str, Any]], float]:
    """The shares and the luck of each match, and the processor time of measuring."""
    numbers = range(words.first, words.first + words.matches)
    records = [played(game, bots, number, number) for number in numbers]
    began = os.times()
    meter = meter_of(
        registry.find(game), len(bots), records[0].options, rollouts=words.rollouts, processes=words.workers or 1
    )
    values = list(measured(meter, records, words.workers))
    seconds = sum(os.times()[:4]) - sum(began[:4])
    return [
        {"number": number, "shares": shares(record), "luck": lucky}
        for number, record, lucky in zip(numbers, records, values, strict=True)
    ], seconds


def mirrored(game: str, bots: Sequence[str], matches: int) -> str:
    """One line: the mean over a block of mirrored deals against the mean over as many independent ones."""
    seats = len(bots)
    blocks = []
    for deal in range(matches // seats):
        block = []
        for turn in range(seats):
            result = played(game, bots, deal, turn).result
            assert result is not None
            own = (seats - turn) % seats  # always the first bot
            block.append(float(result.scores[own] - fmean(result.scores)))
        blocks.append(block)

    def ratio(chosen: Sequence[Sequence[float]]) -> float:
        by_turn = [variance([block[turn] for block in chosen]) for turn in range(seats)]
        return variance([fmean(block) for block in chosen]) * seats / max(fmean(by_turn), 1e-12)

    low, high = interval(ratio, blocks)
    count = len(blocks) * seats
    return f"| {game} | {' '.join(bots)} | {count:,} | {ratio(blocks):.2f} ({low:.2f} to {high:.2f}) |"


def rotated(items: Sequence[str], turn: int) -> list[str]:
    turn %= len(items)
    return [*items[turn:], *items[:turn]]


def played(game: str, bots: Sequence[str], deal: int, turn: int) -> Record:
    """A match on this deal with the seats moved on so often."""
    chosen = registry.find(game)
    options, seated = chosen.resolve_options(), rotated(bots, turn)
    choosers = [
        inprocess.chooser(loaded(bot, game), bot, chosen, options, f"{deal}", seat, seated)
        for seat, bot in enumerate(seated)
    ]
    return playout(chosen, len(bots), options, match_seed(b"bench luck", deal), choosers).record


_LOADED: dict[tuple[str, str], Any] = {}


def loaded(bot: str, game: str) -> Any:
    if (bot, game) not in _LOADED:
        _LOADED[bot, game] = folders.load(folders.find(bot, game))
    return _LOADED[bot, game]


def shares(record: Record) -> tuple[float, ...]:
    assert record.result is not None
    return tuple(place_share(record.result.ranks, seat) for seat in range(record.players))


def interval(figure: Callable[[Sequence[Any]], float], items: Sequence[Any]) -> tuple[float, float]:
    """The 95 % interval of a figure, by drawing the items anew."""
    dice = random.Random(1)
    found = sorted(figure(dice.choices(items, k=len(items))) for _ in range(SAMPLES))
    return found[SAMPLES // 40], found[-1 - SAMPLES // 40]


if __name__ == "__main__":
    main()
