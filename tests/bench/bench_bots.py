"""How long the strong house bots think: `python tests/bench/bench_bots.py`.

Each plays matches against itself in this process, at a usual table and at the largest one of its game where that is
where it has most to think about. Processor time per decision.
"""

from __future__ import annotations

from statistics import mean, quantiles
from time import process_time
from typing import Any

from arena.decision import Decision, Match
from referee.hosting.bot import folders
from referee.rules import registry

TABLES = (
    ("flip7", "odds", 4, 3),
    ("flip7", "odds", 36, 1),
    ("encore", "planner", 4, 3),
    ("stop", "auctioneer", 5, 10),
    ("stop_me_go", "mixed", 2, 20),
    ("stop_me_go", "mixed", 6, 20),
)
LONGEST = 2000
"""Decisions of one line at most."""


def main() -> None:
    print(f"{'game':<11} {'bot':<11} {'players':>7} {'decisions':>9} {'mean ms':>8} {'p99 ms':>8} {'slowest ms':>10}")
    for game, name, players, matches in TABLES:
        bot: Any = folders.load(folders.find(name, game))
        spent: list[float] = []
        for number in range(matches):
            play(game, bot, players, number, spent)
        times = [seconds * 1000 for seconds in spent]
        print(
            f"{game:<11} {name:<11} {players:>7} {len(times):>9,} {mean(times):>8.2f} "
            f"{quantiles(times, n=100)[-1]:>8.2f} {max(times):>10.2f}",
            flush=True,
        )


def play(name: str, bot: Any, players: int, number: int, spent: list[float]) -> None:
    """One match, or as much of it as is wanted; what every decision took is added to `spent`."""
    game = registry.find(name)
    decide = bot if callable(bot) else bot.decide
    state = game.start(players, {}, seed=b"%d" % number)
    while (asked := state.pending()) and len(spent) < LONGEST:
        moves = {}
        for seat in asked:
            info = Match("m", name, seat, tuple("abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"[:players]))
            legal = state.legal(seat)
            texts = [state.format(move) for move in legal.moves]
            decision = Decision(info, 0, texts, state.view(seat), complete=legal.complete)
            before = process_time()
            answer = decide(decision)
            spent.append(process_time() - before)
            moves[seat] = state.parse(answer)
        state.play(moves)


if __name__ == "__main__":
    main()
