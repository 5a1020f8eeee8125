"""`referee simulate`: many matches at once, for a feeling of a game and for speed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import OPTION_HELP, game_options, read_bots
from referee.cli.errors import DID_NOT_HOLD, Failure
from referee.cli.output import AsJson, aside, print_json

if TYPE_CHECKING:
    from referee.hosting.simulation import Tally
    from referee.rules.game import Game


def simulate(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="The name of a game; 'referee games' lists them.", show_default=False)
    ],
    players: Annotated[
        int | None, typer.Option("--players", "-p", help="Seats at the table.", show_default="the fewest, at least 2")
    ] = None,
    matches: Annotated[int, typer.Option("--matches", "-m", min=1, help="How many matches to play.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", help="The same seed plays the same matches.")] = 0,
    bots: Annotated[
        str, typer.Option("--bots", help="Bots by name, with commas; repeated over the seats if fewer.")
    ] = "random",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help=OPTION_HELP),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play many matches in this process and sum them up: speed, length, scores, wins per seat.

    A decision is one seat's answer. The same seed gives the same matches, whose records make up the digest.

    Example: [bold]referee simulate flip7 --players 4 --matches 1000 --bots cautious,random[/bold]
    """
    from referee.hosting import simulation
    from referee.rules import registry
    from referee.rules.game import seed_bytes

    chosen = registry.find(game)
    count = chosen.check_players(_usual(chosen) if players is None else players)
    options = game_options(chosen, option or [])
    seats = simulation.seat_bots(chosen, count, read_bots(bots))
    series = simulation.simulate(chosen, count, options, matches, seed_bytes(seed), seats)
    tally, seconds = _play(series, matches)
    summary: dict[str, Any] = {
        "game": chosen.name,
        "version": chosen.version,
        "players": count,
        "options": options,
        "seed": seed,
        "bots": seats,
        "matches": tally.matches,
        "decisions": tally.decisions,
        "seconds": round(seconds, 3),
        "matches_per_second": round(tally.matches / seconds, 1),
        "decisions_per_second": round(tally.decisions / seconds, 1),
        "digest": tally.digest,
    }
    from referee.cli.tally import print_tally, tally_value

    if as_json:
        print_json(summary | tally_value(tally))
    else:
        print_tally(chosen.title, summary, tally)


def _usual(game: Game[Any]) -> int:
    return min(game.seats.most, max(game.seats.least, 2))


def _play(series: Iterator[Tally], matches: int) -> tuple[Tally, float]:
    """The tally of all matches and the seconds they took, with a progress bar for who is watching."""
    from referee.hosting.simulation import BotFault

    start = perf_counter()
    try:
        tally = _watched(series, matches) if sys.stderr.isatty() else _last(series)
    except BotFault as error:
        raise Failure(str(error), DID_NOT_HOLD) from error
    return tally, max(perf_counter() - start, 1e-9)


def _last(series: Iterator[Tally]) -> Tally:
    tally = next(series)
    for _ in series:
        pass
    return tally


def _watched(series: Iterator[Tally], matches: int) -> Tally:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=aside(), transient=True) as progress:
        task = progress.add_task("playing", total=matches)
        tally = next(series)
        shown = perf_counter()
        for _ in series:
            if (now := perf_counter()) - shown > 0.1:
                shown = now
                progress.update(task, completed=tally.matches)
    return tally
