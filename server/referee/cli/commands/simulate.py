"""`referee simulate`: many matches without tournament or ratings, for statistics of a game, its bots and its speed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import OPTION_HELP, AsJson, free_time, game_options, read_bots, seconds
from referee.cli.building import BuildNetwork
from referee.cli.errors import DID_NOT_HOLD, ENVIRONMENT, INTERRUPTED, Failure
from referee.cli.local_venue import UseSandbox
from referee.cli.output import print_json, stderr_console
from referee.cli.simulated_field import SimulatedField, field_of

if TYPE_CHECKING:
    from referee.hosting.simulation import SimulationTally
    from referee.match.clock import TimeControl
    from referee.rules.game import Game

FEWEST_AT_ONCE = 8


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
        list[str] | None,
        typer.Option(
            "--bots",
            metavar="BOTS",
            help="Bots as 'run' takes them, or functions (mybot.py:decide), with commas or the option repeated; "
            "repeated over the seats if fewer.",
            show_default="random",
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write one row per seat and match to this file.", show_default=False),
    ] = None,
    limit: Annotated[
        str, typer.Option("--time", metavar="DURATION", help="Free time per decision of bots that are programs.")
    ] = "1s",
    bank: Annotated[str, typer.Option(metavar="DURATION", help="Time per match beyond it.")] = "30s",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help=OPTION_HELP),
    ] = None,
    sandbox: UseSandbox = True,
    build_network: BuildNetwork = False,
    as_json: AsJson = False,
) -> None:
    """Play many matches and sum them up: speed, length, scores, wins per seat and per bot.

    House bots and Python functions play in this process; as soon as one bot is a program, all play as in 'run'. A
    decision is one seat's answer. The same seed gives the same matches, whose records make up the digest.

    Example: [bold]referee simulate flip7 --players 4 --matches 1000 --bots cautious,random[/bold]
    """
    from referee.hosting import simulation
    from referee.match.clock import TimeControl
    from referee.rules import registry
    from referee.rules.game import seed_bytes

    chosen = registry.find(game)
    count = chosen.check_players(_usual(chosen) if players is None else players)
    options = game_options(chosen, option or [])
    control = TimeControl(free_time(limit), seconds(bank))
    field = field_of(chosen, count, [name for word in bots or ["random"] for name in read_bots(word)])
    with ExitStack() as stack:
        rows = stack.enter_context(_rows(csv, field.labels)) if csv is not None else None
        if field.programs:
            played = _Programs(chosen, options, matches, seed_bytes(seed), field, control, rows)
            tally, taken = played.play(sandbox, build_network)
        else:
            series = simulation.simulate(chosen, count, options, matches, seed_bytes(seed), field.inside)
            tally, taken = _play(series, matches, rows)
    summary: dict[str, Any] = {
        "game": chosen.name,
        "version": chosen.version,
        "players": count,
        "options": options,
        "seed": seed,
        "bots": field.labels,
        "matches": tally.matches,
        "decisions": tally.decisions,
        "seconds": round(taken, 3),
        "matches_per_second": round(tally.matches / taken, 1),
        "decisions_per_second": round(tally.decisions / taken, 1),
        "digest": tally.digest,
    }
    from referee.cli.tally import print_tally, tally_value

    if as_json:
        print_json(summary | tally_value(tally, field.labels))
    else:
        print_tally(chosen.title, summary, tally)


def _usual(game: Game[Any]) -> int:
    return min(game.seats.most, max(game.seats.least, 2))


def _rows(path: Path, labels: Sequence[str]) -> Any:
    from referee.cli.simulation_rows import SimulationRows

    return SimulationRows(path, labels)


def _play(series: Iterator[SimulationTally], matches: int, rows: Any) -> tuple[SimulationTally, float]:
    """The tally of all matches and the seconds they took, with a progress bar for who is watching."""
    from referee.hosting.simulation import BotFault

    start = perf_counter()
    try:
        with _Bar(matches) as bar:
            for tally in series:
                if rows is not None:
                    rows.add(tally)
                bar.show(tally.matches)
    except BotFault as error:
        raise Failure(str(error), DID_NOT_HOLD) from error
    return tally, max(perf_counter() - start, 1e-9)


class _Programs:
    """A series in which bots are programs: played by workers, as in `referee run`."""

    def __init__(
        self,
        game: Game[Any],
        options: dict[str, Any],
        matches: int,
        root: bytes,
        field: SimulatedField,
        control: TimeControl,
        rows: Any,
    ) -> None:
        self._game = game
        self._options = options
        self._matches = matches
        self._root = root
        self._field = field
        self._control = control
        self._rows = rows

    def play(self, sandbox: bool, build_network: bool) -> tuple[SimulationTally, float]:
        from referee.cli.local_venue import wants_sandbox
        from referee.workers.room import room_for

        specs = list(self._field.programs.values())
        shut_in = wants_sandbox(specs, sandbox)
        room = room_for(specs, len(self._field.names), workers=None, concurrency=None)
        return asyncio.run(self._play(room, shut_in, build_network))

    async def _play(self, room: Any, shut_in: bool, build_network: bool) -> tuple[SimulationTally, float]:
        from referee.analysis.simulate import fixtures, tallied
        from referee.cli.local_venue import local_venue
        from referee.cli.stopping import Stopping
        from referee.hosting.simulation import BotFault
        from referee.tournament.running.in_order import CameToNothing, in_order
        from referee.workers.worker_pool import WorkersFailed

        async def tallying(venue: Any) -> tuple[SimulationTally, float]:
            start = perf_counter()
            series = fixtures(
                self._game.name, self._field.names, self._options, self._matches, self._root, self._control
            )
            results = in_order(venue, series, lambda taken: min(room.matches, FEWEST_AT_ONCE + taken), venue.failed)
            with _Bar(self._matches) as bar:
                async for tally in tallied(len(self._field.names), results):
                    if self._rows is not None:
                        self._rows.add(tally)
                    bar.show(tally.matches)
            return tally, max(perf_counter() - start, 1e-9)

        try:
            async with local_venue(self._field.programs, room, sandbox=shut_in, build_network=build_network) as venue:
                playing = asyncio.get_running_loop().create_task(tallying(venue))
                Stopping(on_asked=playing.cancel)
                return await playing
        except asyncio.CancelledError:
            raise Failure("stopped before all matches were played", INTERRUPTED) from None
        except BotFault as error:
            raise Failure(str(error), DID_NOT_HOLD) from error
        except (WorkersFailed, CameToNothing) as error:
            raise Failure(str(error), ENVIRONMENT) from None


class _Bar:
    """A progress bar on stderr, where it is a terminal."""

    def __init__(self, matches: int) -> None:
        self._matches = matches
        self._shown = perf_counter()
        self._stack = ExitStack()
        self._update: Callable[[int], object] = lambda done: None

    def __enter__(self) -> _Bar:
        if sys.stderr.isatty():
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            progress = self._stack.enter_context(Progress(*columns, console=stderr_console(), transient=True))
            task = progress.add_task("playing", total=self._matches)
            self._update = lambda done: progress.update(task, completed=done)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def show(self, done: int) -> None:
        if (now := perf_counter()) - self._shown > 0.1:
            self._shown = now
            self._update(done)
