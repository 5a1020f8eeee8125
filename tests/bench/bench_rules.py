"""How fast the rules are, beside what others have: `make bench`.

Random players choose from the legal list; a decision is one seat's answer, and a second one of processor time. Each
game plays twice: rules only, and with the view of whoever is asked as the bytes that a match sends (`view_bytes`). So
does RLCard's UNO, beside which the figures are told: its game alone, and its environment, which observes for whoever is
asked. All contestants take turns for several rounds and the best round of each counts, so that a busy moment of the
machine hits nobody alone. A view is timed in play: every position is asked once, as in a match. Nothing is asserted
here: a speed is a figure to look at, not a test.
"""

from __future__ import annotations

import argparse
import json
import random
import tracemalloc
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import count
from time import process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import Game, State, seed_bytes
from referee.rules.playout import match_seed, random_chooser

Contestant = Callable[[float], tuple[int, float]]
"""Plays for about so many seconds; returns the decisions made and the seconds they took."""

TABLES = (("flip7", 4), ("encore", 1), ("encore", 4), ("stop_me_go", 4), ("stop", 4))
REFERENCE = "RLCard UNO"
VIEWS, RULES = "with views", "rules only"
"""What is compared with what: RLCard observes wherever we make views."""
PEERS = ("rlcard", "pettingzoo")
CARD_GAMES = {"gin rummy": "gin_rummy_v4", "texas hold'em": "texas_holdem_v4", "leduc hold'em": "leduc_holdem_v4"}
"""Of PettingZoo's classic collection, what comes closest; which of them there are depends on its version."""


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast the rules are, beside what others have.")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long each plays in a round (1)")
    parser.add_argument("--rounds", type=int, default=3, help="how many rounds; the best of each counts (3)")
    parser.add_argument("--json", action="store_true", help="one JSON value on stdout")
    given = parser.parse_args()
    notes = Console(stderr=True, highlight=False)
    missing = [name for name in PEERS if find_spec(name) is None]
    if missing:
        notes.print(
            f"{' and '.join(missing)} not installed: measured without. 'make bench' installs them "
            "(dependency group 'bench') and compares."
        )
    speeds = race({**_ours(), **_peers(missing)}, given.seconds, given.rounds, notes)
    costs = {f"{name}, {players}": _costs(registry.find(name), players) for name, players in TABLES}
    half = half_filled_sheet()
    if given.json:
        print(json.dumps({"decisions_per_second": speeds, "costs": costs, "encore_half_filled": half}, indent=2))
    else:
        _print(speeds, costs, half)


def race(contestants: dict[str, Contestant], seconds: float, rounds: int, notes: Console) -> dict[str, float]:
    """The best decisions per second of everybody."""
    best = dict.fromkeys(contestants, 0.0)
    for number in range(rounds):
        for name, play in contestants.items():
            notes.print(f"round {number + 1} of {rounds}: {name}", style="dim")
            decisions, took = play(seconds)
            best[name] = max(best[name], decisions / took)
    return best


def rules_only(game: Game[Any], players: int) -> Contestant:
    """Random matches of a game: chance, legal lists and play, nothing else."""
    return _random_matches(game, players, views=False)


def with_views(game: Game[Any], players: int) -> Contestant:
    """The same, and each seat that is asked is shown its view first: the bytes that are sent."""
    return _random_matches(game, players, views=True)


def _random_matches(game: Game[Any], players: int, *, views: bool) -> Contestant:
    options = game.resolve_options()
    # No match is played twice, in no round: games remember what they have worked out.
    seeds = (match_seed(b"bench" + game.name.encode() + bytes([players, views]), number) for number in count())

    def play(seconds: float) -> tuple[int, float]:
        decisions = 0
        start = process_time()
        while process_time() - start < seconds:
            seed = next(seeds)
            state = game.new(players, options, Seeded(seed))
            choose = [random_chooser(seed, seat) for seat in range(players)]
            while asked := state.pending():
                decisions += len(asked)
                if views:
                    for seat in asked:
                        state.view_bytes(seat)
                state.play({seat: choose[seat](state, seat) for seat in asked})
        return decisions, process_time() - start

    return play


def rlcard_uno_rules(seconds: float) -> tuple[int, float]:
    """RLCard's UNO without its environment, random players: the game and its legal actions, no observations."""
    from rlcard.games.uno import Game as Uno

    decisions = 0
    start = process_time()
    while process_time() - start < seconds:
        game: Any = Uno()
        game.init_game()
        while not game.is_over():
            game.step(random.choice(game.get_legal_actions()))
            decisions += 1
    return decisions, process_time() - start


def rlcard_uno(seconds: float) -> tuple[int, float]:
    """RLCard's UNO through its environment, random players: every step observes for whoever is next."""
    import rlcard

    env = rlcard.make("uno")
    decisions = 0
    start = process_time()
    while process_time() - start < seconds:
        state, _ = env.reset()
        while not env.is_over():
            state, _ = env.step(random.choice(list(state["legal_actions"])))
            decisions += 1
    return decisions, process_time() - start


def pettingzoo_classic(name: str) -> Contestant:
    """A card game of PettingZoo's classic collection through its turn-by-turn interface, random players."""

    def play(seconds: float) -> tuple[int, float]:
        from importlib import import_module

        env = import_module(f"pettingzoo.classic.{name}").raw_env()
        decisions = 0
        start = process_time()
        while process_time() - start < seconds:
            env.reset()
            for agent in env.agent_iter():
                observation, _, ended, cut, _ = env.last()
                if ended or cut:
                    env.step(None)
                else:
                    env.step(env.action_space(agent).sample(observation["action_mask"]))
                    decisions += 1
        return decisions, process_time() - start

    return play


def half_filled_sheet() -> dict[str, float]:
    """What Encore's legal list costs when about half of the 105 boxes of somebody's sheet are marked.

    Every position is asked once only: asked again, a game may answer from what it remembers.
    """
    states = list(_picked(registry.find("encore"), 2, 200, lambda path: min(path, key=_distance_from_half)))
    lengths = []
    start = process_time()
    for state in states:
        for seat in state.pending():
            lengths.append(len(state.legal(seat).moves))  # noqa: PERF401 (a plain loop is what is timed)
    took = process_time() - start
    return {
        "list_us": took / len(lengths) * 1e6,
        "mean_moves": sum(lengths) / len(lengths),
        "most_moves": max(lengths),
    }


def _ours() -> dict[str, Contestant]:
    return {
        f"Referee {name}, {players}: {how}": play(registry.find(name), players)
        for how, play in ((RULES, rules_only), (VIEWS, with_views))
        for name, players in TABLES
    }


def _peers(missing: list[str]) -> dict[str, Contestant]:
    peers: dict[str, Contestant] = {}
    if "rlcard" not in missing:
        peers[f"{REFERENCE}: {RULES}"] = rlcard_uno_rules
        peers[f"{REFERENCE}: {VIEWS}"] = rlcard_uno
    if "pettingzoo" not in missing:
        for title, name in CARD_GAMES.items():
            if find_spec(f"pettingzoo.classic.{name}") is not None:
                peers[f"PettingZoo {title}: {VIEWS}"] = pettingzoo_classic(name)
    return peers


def _distance_from_half(state: State[Any]) -> int:
    view: Any = state.view(None)
    distance: int = min(abs(player.marked.count("1") - 52) for player in view.players)
    return distance


def _picked(
    game: Game[Any], players: int, wanted: int, pick: Callable[[list[State[Any]]], State[Any]]
) -> Iterator[State[Any]]:
    """One state of each of so many random matches."""
    options = game.resolve_options()
    for number in range(wanted):
        seed = seed_bytes(f"bench {number}")
        path: list[State[Any]] = []
        state = game.new(players, options, Seeded(seed))
        choose = [random_chooser(seed, seat) for seat in range(players)]
        while asked := state.pending():
            path.append(state.copy())
            state.play({seat: choose[seat](state, seat) for seat in asked})
        yield pick(path)


def _costs(game: Game[Any], players: int) -> dict[str, float]:
    """Microseconds of a view in play and of a copy, kilobytes of a state in the middle of matches."""
    states = list(_picked(game, players, 20, lambda path: path[len(path) // 2]))

    def copies() -> None:
        for state in states:
            state.copy()

    result = {"view_us": _view_in_play(game, players) * 1e6, "copy_us": _timed(copies) / len(states) * 1e6}
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    kept = [state.copy() for state in states for _ in range(20)]
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    result["state_kb"] = (after - before) / len(kept) / 1024
    return result


def _view_in_play(game: Game[Any], players: int, seconds: float = 0.5) -> float:
    """Seconds of the bytes of a view, the mean over whole matches: every position is fresh, no cache answers."""
    options = game.resolve_options()
    spent, views, number = 0.0, 0, 0
    while spent < seconds:
        seed = match_seed(b"views", number)
        number += 1
        state = game.new(players, options, Seeded(seed))
        choose = [random_chooser(seed, seat) for seat in range(players)]
        while asked := state.pending():
            start = process_time()
            for seat in asked:
                state.view_bytes(seat)
            spent += process_time() - start
            views += len(asked)
            state.play({seat: choose[seat](state, seat) for seat in asked})
    return spent / views


def _timed(work: Callable[[], None], seconds: float = 0.3) -> float:
    """The least time the work took."""
    best = float("inf")
    end = process_time() + seconds
    while process_time() < end:
        start = process_time()
        work()
        best = min(best, process_time() - start)
    return best


def _print(speeds: dict[str, float], costs: dict[str, dict[str, float]], half: dict[str, float]) -> None:
    console = Console(highlight=False)
    table = Table(title="random players, per second of processor time", title_justify="left", box=None, pad_edge=False)
    table.add_column("game, players")
    table.add_column("decisions/s", justify="right")
    table.add_column(f"× {REFERENCE} likewise", justify="right")
    for name, speed in speeds.items():
        reference = speeds.get(f"{REFERENCE}: {name.rpartition(': ')[2]}")
        table.add_row(name, f"{speed:,.0f}", f"{speed / reference:.2f}" if reference else "–")
    console.print(table)
    table = Table(
        title="\nwhat a state costs: a view in play, the rest mid-match", title_justify="left", box=None, pad_edge=False
    )
    table.add_column("game, players")
    for heading in ("view µs", "copy µs", "state kB"):
        table.add_column(heading, justify="right")
    for name, cost in costs.items():
        table.add_row(name, f"{cost['view_us']:.1f}", f"{cost['copy_us']:.1f}", f"{cost['state_kb']:.1f}")
    console.print(table)
    console.print(
        f"\nEncore, half-filled sheet: a legal list takes {half['list_us']:.0f} µs "
        f"({half['mean_moves']:.0f} moves on average, {half['most_moves']:.0f} at most here)"
    )


if __name__ == "__main__":
    main()
