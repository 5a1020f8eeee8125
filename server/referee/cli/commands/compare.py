"""`referee compare`: is my new bot better than the old one?"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import OPTION_HELP, AsJson, free_time, game_options, seconds
from referee.cli.building import BuildNetwork
from referee.cli.errors import DID_NOT_HOLD, DONE, ENVIRONMENT, INTERRUPTED, WRONG_USE, Failure, wrong_use
from referee.cli.local_venue import (
    Concurrency,
    UseSandbox,
    Workers,
    find_bots,
    local_venue,
    name_bots,
    wants_sandbox,
)
from referee.cli.output import print_json, stderr_console
from referee.cli.stopping import Stopping
from referee.workers.room import Room, room_for

if TYPE_CHECKING:
    from referee.analysis.compare import Comparison, Design, Series
    from referee.hosting.bot.spec import BotSpec
    from referee.rules.game import Game

USUAL_BUDGET = 10_000
USUAL_PLAYERS = 4
FEWEST_AT_ONCE = 16
"""Matches under way at the beginning; as many as have been counted later on: few are played in vain."""
LOOK_AT_FAULTS = 4
"""Blocks after which a bot that has not finished a single match ends the comparison."""


def compare(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game.", show_default=False)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new bot, named as in 'run'.", show_default=False)],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The bot it is compared with.", show_default=False)],
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="BOTS",
            help="Opponents, with commas or the option repeated; NEW and OLD play in turn against the same ones. "
            "Without it they play against each other.",
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option("--players", "-p", help="Seats per match.", show_default="2, or as many as play, up to 4"),
    ] = None,
    budget: Annotated[
        int, typer.Option("--budget", "-b", min=1, help="Most matches before it says that it cannot tell.")
    ] = USUAL_BUDGET,
    confidence: Annotated[
        str, typer.Option(metavar="PERCENT", help="How sure it has to be, such as 95% or 0.95.")
    ] = "95%",
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Any text: the same text deals the same cards again.", show_default="a new one"
        ),
    ] = None,
    concurrency: Concurrency = None,
    workers: Workers = None,
    limit: Annotated[str, typer.Option("--time", metavar="DURATION", help="Free time per decision.")] = "1s",
    bank: Annotated[str, typer.Option(metavar="DURATION", help="Time per match beyond it.")] = "30s",
    option: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="KEY=VALUE", help=OPTION_HELP),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start all bots anew for every match: slow, for bots that remember.")
    ] = False,
    sandbox: UseSandbox = True,
    build_network: BuildNetwork = False,
    json: AsJson = False,
) -> int:
    """Is NEW better than OLD? Plays until it knows; exit code 0 if it is better, 1 if it is not or cannot be told.

    Both bots play the same deals in the same seats against the same opponents. After every block of matches it is
    seen whether the difference in rank is sure; looking so often does not make it less sure.

    Example: referee compare flip7 mybot.py old/mybot.py --against odds,cautious
    """
    from referee.analysis.compare import Comparison, Series
    from referee.match.clock import TimeControl
    from referee.rules import registry
    from referee.tournament.lifecycle import check_seed
    from referee.tournament.seeds import new_root

    chosen = registry.find(game)
    options = game_options(chosen, option or [])
    sure = _confidence(confidence)
    check_seed(seed, repeatable=seed is not None)
    found = find_bots(game, [new, old, *_opponents(against or [])])
    seats = chosen.check_players(_usual_players(chosen, len(found)) if players is None else players)
    if seats < 2:
        wrong_use("a comparison needs at least two players: alone at the table, every bot comes first")
    bots, design = _design(found, seats)
    blocks = budget // design.matches_per_block
    if not blocks:
        wrong_use(f"--budget {budget} is too small: every deal is played {design.matches_per_block} times here")
    text = seed if seed is not None else secrets.token_hex(8)
    control = TimeControl(free_time(limit), seconds(bank))
    series = Series(design, game, options, control, new_root(text, repeatable=True).root, fresh)
    sandboxed = wants_sandbox(found, sandbox)
    room = room_for(list(bots.values()), seats, workers=workers, concurrency=concurrency, fresh=fresh)
    comparison = Comparison(seats, sure)
    run = _Run(comparison, series, blocks, room)
    asyncio.run(run.play(bots, sandboxed, build_network))
    return run.report(chosen, text, budget, as_json=json)


def _confidence(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*(%?)", text.strip())
    value = float(found[1]) / (100 if found[2] or float(found[1]) >= 1 else 1) if found else 0.0
    if not 0.5 <= value <= 0.9999:
        wrong_use(f"{text!r} is not a confidence: write a share from 50% to 99.99%, such as 95%")
    return value


def _opponents(words: Sequence[str]) -> list[str]:
    """Bots between commas; a command may hold commas if it is a file's name or the option is given once per bot."""
    found: list[str] = []
    for word in words:
        parts = [part.strip() for part in word.split(",")]
        if not all(parts):
            wrong_use(f"cannot read --against {word!r}; bots are written with commas between them")
        found += parts
    return found


def _usual_players(game: Game[Any], bots: int) -> int:
    """`bots` are the two that are compared and their opponents; one of the two plays at a time, if there are any."""
    least, most = game.seats
    return min(most, max(least, 2, min(bots - 1, USUAL_PLAYERS)))


def _design(found: Sequence[BotSpec], seats: int) -> tuple[dict[str, BotSpec], Design]:
    """Which bot is started under which names, and who meets whom."""
    from referee.analysis.compare import Design

    new, old, *others = found
    if not others:
        copies = -(-seats // 2)
        bots = [new] * copies + [old] * copies
        names = name_bots(bots)
        return dict(zip(names, bots, strict=True)), Design(seats, tuple(names[:copies]), tuple(names[copies:]))
    while len(others) < seats - 1:
        others.append(others[len(others) - len(found) + 2])
    bots = [new, old, *others]
    names = name_bots(bots)
    return dict(zip(names, bots, strict=True)), Design(seats, (names[0],), (names[1],), tuple(names[2:]))


class _Run:
    """One comparison being played, and what is told of it."""

    def __init__(self, comparison: Comparison, series: Series, blocks: int, room: Room) -> None:
        self._comparison = comparison
        self._series = series
        self._blocks = blocks
        self._room = room
        self._interrupted = False
        self._seconds = 0.0
        self._notices: list[str] = []

    async def play(self, bots: dict[str, BotSpec], sandbox: bool, build_network: bool) -> None:
        """Play until it is known, the budget is spent or Ctrl-C."""
        began = time.monotonic()
        async with local_venue(bots, self._room, sandbox=sandbox, build_network=build_network) as venue:
            playing = asyncio.get_running_loop().create_task(self._play(venue))

            def asked() -> None:
                self._interrupted = True
                playing.cancel()

            Stopping(on_asked=asked)
            try:
                await playing
            except asyncio.CancelledError:
                if not self._interrupted:
                    raise
            finally:
                self._notices = venue.notices
                self._seconds = time.monotonic() - began

    async def _play(self, venue: Any) -> None:
        from referee.analysis.compare import compared
        from referee.cli.comparison_result import progress
        from referee.cli.progress_line import ProgressLine
        from referee.tournament.running.in_order import CameToNothing, in_order
        from referee.workers.worker_pool import WorkersFailed

        most = self._room.matches
        results = in_order(
            venue,
            self._series.fixtures(self._blocks),
            lambda taken: min(most, max(FEWEST_AT_ONCE, taken)),
            venue.failed,
        )
        try:
            async with ProgressLine() as line:
                line.tell("starting the bots")
                shown = 0.0
                async for comparison in compared(self._comparison, self._series, results):
                    self._look_at_faults()
                    if (now := time.monotonic()) - shown > 0.5:
                        shown = now
                        line.tell(progress(comparison, self._blocks * self._series.design.matches_per_block))
        except (WorkersFailed, CameToNothing) as error:
            raise Failure(str(error), ENVIRONMENT) from None

    def _look_at_faults(self) -> None:
        """A bot that forfeits every match is not worse, it is broken: that is told at once."""
        comparison, design = self._comparison, self._series.design
        if comparison.blocks < min(LOOK_AT_FAULTS, self._blocks):
            return
        from referee.analysis.compare import ComparisonVerdict, Side

        if comparison.verdict is ComparisonVerdict.UNKNOWN and comparison.blocks > LOOK_AT_FAULTS:
            return
        names = {Side.NEW: design.new[0], Side.OLD: design.old[0]}
        accounts = [*((names[side], account) for side, account in comparison.accounts.items())]
        for name, account in [*accounts, *comparison.others.items()]:
            if account.useless:
                how = ", ".join(account.faults)
                raise Failure(
                    f"{name} forfeited all of its {account.seats} matches ({how}: {account.last_fault}): "
                    "nothing can be compared: 'referee check' says what is wrong with it",
                    WRONG_USE,
                )

    def report(self, game: Game[Any], seed: str, budget: int, *, as_json: bool) -> int:
        """Print the result; the exit code."""
        from referee.analysis.compare import ComparisonVerdict
        from referee.cli.comparison_result import print_comparison, value_of

        comparison, design = self._comparison, self._series.design
        if as_json:
            value = value_of(comparison, design, game.name, seed, budget)
            value |= {
                "interrupted": self._interrupted,
                "seconds": round(self._seconds, 3),
                "notices": self._notices,
            }
            print_json(value)
        else:
            print_comparison(comparison, design, game.title, seed, interrupted=self._interrupted)
        if self._interrupted:
            stderr_console().print("stopped before it was known", markup=False)
            return INTERRUPTED
        return DONE if comparison.verdict is ComparisonVerdict.BETTER else DID_NOT_HOLD
