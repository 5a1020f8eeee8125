"""What a state from a view costs (`Game.imagine`), beside `redealt` and `copy`: microseconds of processor time.

Positions are spread over random matches, with the seat that is asked. Each is imagined several times, as a searching
bot does. Processor time is counted, so that other programs on the machine matter less.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import State, seed_bytes
from referee.rules.playout import random_chooser

TABLES = (("flip7", 4), ("encore", 2), ("stop_me_go", 4), ("stop", 4))
MATCHES = 4
EVERY = 5
"""One position of so many is measured."""
TIMES = 20


def main() -> None:
    print(f"{'game':<11} {'players':>7} {'positions':>9} {'imagine µs':>11} {'redealt µs':>11} {'copy µs':>8}")
    for name, players in TABLES:
        game = registry.find(name)
        positions = [place for number in range(MATCHES) for place in walk(name, players, number)]
        views = [(state, seat, state.view_bytes(seat)) for state, seat in positions]
        made = timed([partial(game.imagine, view) for _, _, view in views])
        dealt = timed([partial(state.redealt, seat) for state, seat, _ in views])
        copied = timed([partial(copy, state) for state, _, _ in views])
        print(f"{name:<11} {players:>7} {len(positions):>9} {made:>11.0f} {dealt:>11.0f} {copied:>8.1f}", flush=True)


def walk(name: str, players: int, number: int) -> list[tuple[State[Any], int]]:
    """Some positions of a random match, each with a seat that is asked."""
    state = registry.find(name).start(players, seed=seed_bytes(number))
    choosers = [random_chooser(b"bench %d" % number, seat) for seat in range(players)]
    found = []
    count = 0
    while asked := state.pending():
        if count % EVERY == 0:
            found.append((state.copy(), asked[0]))
        count += 1
        state.play({seat: choosers[seat](state, seat) for seat in asked})
    return found


def copy(state: State[Any], chance: Seeded) -> State[Any]:
    return state.copy()


def timed(calls: list[Callable[[Seeded], Any]]) -> float:
    """Microseconds of processor time of a call."""
    chances = [Seeded(b"%d" % number) for number in range(TIMES)]
    began = process_time()
    for call in calls:
        for chance in chances:
            call(chance)
    return (process_time() - began) / (len(calls) * TIMES) * 1e6


if __name__ == "__main__":
    main()
