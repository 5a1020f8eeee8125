"""How many rollouts `referee why` plays per second of processor time, and what a whole match takes.

The matches are those of a strong house bot against the simple one. `--matches` explains whole matches with the default
rollouts on all cores, and tells the seconds on the clock too.
"""

from __future__ import annotations

import argparse
from time import perf_counter, process_time

from referee.analysis.replay.recorded import RecordedMatch, read_match
from referee.analysis.why import Setting, Yardstick, explain
from referee.analysis.why.positions import states_of, value_position
from referee.analysis.why.yardstick import ROLLOUTS
from referee.hosting import inprocess
from referee.hosting.bot import folders
from referee.rules import registry
from referee.rules.game import seed_bytes
from referee.rules.playout import playout

TABLES = {
    "flip7": ("odds", "cautious", "cautious", "cautious"),
    "encore": ("planner", "tidy"),
    "stop_me_go": ("mixed", "patient", "patient", "patient"),
    "stop": ("auctioneer", "frugal", "frugal", "frugal"),
}
PLACES = 6
"""Positions of a match that are measured."""
FEW = 8


def main() -> None:
    parser = argparse.ArgumentParser(description="Rollouts per second in `referee why`.")
    parser.add_argument("--matches", type=int, default=0, help="explain so many whole matches of every game (0)")
    wanted = parser.parse_args().matches
    print(f"{'game':<11} {'players':>7} {'yardstick':<9} {'rollouts':>8} {'per cpu second':>14}")
    for name in TABLES:
        match = played(name, 0)
        setting = Setting(Yardstick.of(match.game), 0, FEW, 0)
        states = states_of(setting.yardstick, match.record)
        own = [number for number, (state, _) in enumerate(states) if len(state.legal(0).moves) > 1]
        began = process_time()
        count = sum(
            value_position(setting, *states[number], number).rollouts for number in own[:: max(1, len(own) // PLACES)]
        )
        rate = count / (process_time() - began)
        print(f"{name:<11} {match.players:>7} {setting.yardstick.name:<9} {count:>8} {rate:>14.0f}", flush=True)
    for name in TABLES if wanted else ():
        for number in range(wanted):
            match = played(name, number)
            began = perf_counter()
            why = explain(match, Setting(Yardstick.of(match.game), 0, ROLLOUTS[name], 0))
            seconds = perf_counter() - began
            print(
                f"{name} match {number}: {match.decisions} decisions, {len(why.decisions())} of the seat, "
                f"{why.rollouts} rollouts, {seconds:.1f} s",
                flush=True,
            )


def played(name: str, number: int) -> RecordedMatch:
    """A match of the strong bot in seat 0 against simple ones."""
    game = registry.find(name)
    options, seats = game.resolve_options(), TABLES[name]
    bots = {bot: folders.load(folders.find(bot, name)) for bot in set(seats)}
    choosers = [
        inprocess.chooser(bots[bot], bot, game, options, "bench", seat, seats) for seat, bot in enumerate(seats)
    ]
    return read_match(playout(game, len(seats), options, seed_bytes(number), choosers).record.to_bytes())


if __name__ == "__main__":
    main()
