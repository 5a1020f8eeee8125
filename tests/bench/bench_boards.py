"""How many positions are drawn per second, as text and as SVG, for every game: `make bench`.

Views of random matches are made first and are not part of the time. Every view is drawn once per round, and the best
round counts. Time is that of the processor, so that other programs hardly matter. The size of a picture is the mean
over the same views, as it is and compressed by gzip.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Callable
from time import process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from referee.rules import registry
from referee.rules.boards import generic
from referee.rules.chance import Seeded
from referee.rules.game import Game
from referee.rules.playout import match_seed, random_chooser

TABLES = (("flip7", 4), ("flip7", 36), ("encore", 1), ("encore", 4), ("encore", 6), ("stop_me_go", 4), ("stop", 4))


def main() -> None:
    parser = argparse.ArgumentParser(description="How many positions are drawn per second.")
    parser.add_argument("--views", type=int, default=300, help="how many views of each game (300)")
    parser.add_argument("--rounds", type=int, default=3, help="how many rounds; the best counts (3)")
    parser.add_argument("--json", action="store_true", help="one JSON value on stdout")
    given = parser.parse_args()
    figures = {f"{name}, {players}": measure(name, players, given.views, given.rounds) for name, players in TABLES}
    if given.json:
        print(json.dumps(figures, indent=2))
        return
    table = Table(title="positions drawn per second, one core", title_justify="left", box=None, pad_edge=False)
    table.add_column("game, players")
    for heading in ("text", "SVG", "any game's table", "SVG kB", "gzip kB"):
        table.add_column(heading, justify="right")
    for name, figure in figures.items():
        speeds = (f"{figure[key]:,.0f}" for key in ("text", "svg", "table"))
        table.add_row(name, *speeds, f"{figure['svg_kb']:.1f}", f"{figure['gzip_kb']:.1f}")
    Console(highlight=False).print(table)


def measure(name: str, players: int, wanted: int, rounds: int) -> dict[str, float]:
    """Positions per second, and the size of a picture."""
    game = registry.find(name)
    views = positions(game, players, wanted)
    names = [f"bot {seat}" for seat in range(players)]
    pictures = [game.picture(view, names=names).encode() for view in views]
    return {
        "text": speed(lambda view: game.drawing(view, 80, names=names), views, rounds),
        "svg": speed(lambda view: game.picture(view, names=names), views, rounds),
        "table": speed(lambda view: generic.drawing(game.title, view, 80, names), views, rounds),
        "svg_kb": sum(map(len, pictures)) / len(pictures) / 1024,
        "gzip_kb": sum(len(gzip.compress(picture)) for picture in pictures) / len(pictures) / 1024,
    }


def positions(game: Game[Any], players: int, wanted: int) -> list[Any]:
    """Views of random matches, of the seats in turn and of the public."""
    options = game.resolve_options()
    views: list[Any] = []
    number = 0
    while len(views) < wanted:
        seed = match_seed(b"boards", number)
        number += 1
        state = game.new(players, options, Seeded(seed))
        choose = [random_chooser(seed, seat) for seat in range(players)]
        steps = 0
        while asked := state.pending():
            if steps % 5 == 0:
                views.append(state.view(steps // 5 % players if steps % 10 else None))
            state.play({seat: choose[seat](state, seat) for seat in asked})
            steps += 1
        views.append(state.view(None))
    return views[:wanted]


def speed(draw: Callable[[Any], Any], views: list[Any], rounds: int) -> float:
    """How many views are drawn per second."""
    best = float("inf")
    for _ in range(rounds):
        start = process_time()
        for view in views:
            draw(view)
        best = min(best, process_time() - start)
    return len(views) / best


if __name__ == "__main__":
    main()
