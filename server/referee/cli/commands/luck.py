"""`referee luck`: the ratings of a tournament with the luck of cards and rolls taken off, beside the plain ones."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import AsJson, Db
from referee.cli.database import open_store
from referee.cli.errors import DID_NOT_HOLD, WRONG_USE, Failure
from referee.cli.output import print_json, stderr_console, stdout_console

if TYPE_CHECKING:
    from referee.analysis.luck import AdjustedRatings, Luckmeter
    from referee.rules.record import Record

MOST_ROLLOUTS = 10_000
PROGRESS_EVERY = 20
"""Matches between two lines of progress."""
LESSONS_EVERY = 400
"""The same where it is learnt what positions are worth."""


def luck(
    tournament: Annotated[str, typer.Argument(help="The tournament's name.", show_default=False)],
    matches: Annotated[
        int | None, typer.Option("--matches", "-m", min=1, help="Only its first so many.", show_default="all")
    ] = None,
    yardstick: Annotated[
        str | None,
        typer.Option("--yardstick", help="The house bot that values positions.", show_default="the game's simple one"),
    ] = None,
    rollouts: Annotated[
        int | None,
        typer.Option(
            "--rollouts",
            "-n",
            min=1,
            max=MOST_ROLLOUTS,
            help="Other outcomes that are tried for each card or roll.",
            show_default="by game",
        ),
    ] = None,
    learn: Annotated[
        int | None,
        typer.Option(
            "--learn",
            min=1,
            max=MOST_ROLLOUTS,
            help="Matches of the house bot against itself that tell what positions are worth.",
            show_default="by game",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same answer.")] = 0,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", min=1, help="Processes.", show_default="one per core")
    ] = None,
    db: Db = None,
    json: AsJson = False,
) -> None:
    """Rate the bots of a tournament without their luck, beside the plain results.

    What came is compared with what could have come, card by card and roll by roll. That difference has the mean zero
    for every bot, so taking it off changes no mean, only the noise. Plain ratings stay the official ones.

    Example: [bold]referee luck league --db my.db[/bold]
    """
    from referee.analysis.luck import LuckyMatch, adjust, measured, meter_of, place_share
    from referee.analysis.luck.adjusted import check_enough
    from referee.analysis.luck.measuring import learning_matches
    from referee.hosting.simulation import BotFault
    from referee.rules import registry
    from referee.tournament.plan import Plan, deal

    with open_store(db, create=False) as store:
        found = store.tournaments.get(tournament)
        plan = Plan.of(found)
        if plan.players < 2:
            raise Failure(f"{tournament} has matches of one player: there is nobody to be luckier than", WRONG_USE)
        shared = {}
        for drawn in store.rounds.all(found.id):
            shared.update(drawn.shared_deals())
        stored = [match for match in store.matches.results_in_schedule_order(found.id) if match.ordinal is not None][
            :matches
        ]
        try:
            check_enough(len(stored))
        except ValueError as error:
            raise Failure(f"{tournament}: {error}", WRONG_USE) from None
        records = [_record(store.matches.record(match.id), f"{tournament}/{match.ordinal}") for match in stored]
    game = registry.find(plan.game)
    learning = learn or learning_matches(game)
    if not json:
        text = f"learning from {learning:,} matches of a house bot against itself what positions are worth"
        stderr_console().print(text, markup=False)

    def told(learnt: int) -> None:
        if not json and learnt % LESSONS_EVERY == 0:
            stderr_console().print(f"learnt from {learnt:,} of {learning:,} matches", markup=False)

    lucky = []
    workers = workers or os.cpu_count() or 1
    try:
        meter = meter_of(game, plan.players, plan.options, yardstick, rollouts, seed, learning, workers, told)
        for number, (match, values) in enumerate(zip(stored, measured(meter, records, workers), strict=True), 1):
            ranks = [seat.rank or 0 for seat in match.seats]
            shares = tuple(place_share(ranks, seat) for seat in range(len(ranks)))
            names = tuple(seat.name for seat in match.seats)
            lucky.append(LuckyMatch(names, shares, values, deal(plan, match.ordinal or 0, shared)))
            if not json and number % PROGRESS_EVERY == 0:
                stderr_console().print(f"the luck of {number:,} of {len(stored):,} matches", markup=False)
    except BotFault as error:
        raise Failure(str(error), DID_NOT_HOLD) from None
    try:
        ratings = adjust(lucky)
    except ValueError as error:
        raise Failure(f"{tournament}: {error}", WRONG_USE) from None
    print_json(_value(tournament, meter, ratings)) if json else _print(tournament, meter, ratings)


def _record(data: bytes | None, name: str) -> Record:
    from referee.tournament.audit.replay import DoesNotHold, replay

    if data is None:
        raise Failure(f"the record of {name} is missing", DID_NOT_HOLD)
    try:
        return replay(data).record
    except DoesNotHold as error:
        raise Failure(f"{name} does not hold: {error}", DID_NOT_HOLD) from None


def _value(tournament: str, meter: Luckmeter, found: AdjustedRatings) -> dict[str, Any]:
    return {
        "tournament": tournament,
        "game": meter.game.name,
        "matches": found.matches,
        "yardstick": meter.yardstick.name,
        "rollouts": meter.rollouts,
        "seed": meter.seed,
        "variance": found.variance,
        "prices": list(found.prices),
        "ratings": [
            {
                "bot": row.bot,
                "matches": row.matches,
                "plain": row.plain,
                "plain_error": row.plain_error,
                "adjusted": row.adjusted,
                "adjusted_error": row.adjusted_error,
                "luck": row.luck,
            }
            for row in found.rows
        ],
    }


def _print(tournament: str, meter: Luckmeter, found: AdjustedRatings) -> None:
    from rich.table import Table
    from rich.text import Text

    console = stdout_console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("bot")
    for heading in ("matches", "plain ± 95 %", "without luck ± 95 %", "luck"):
        table.add_column(heading, justify="right")
    for row in found.rows:
        table.add_row(
            Text(row.bot),
            f"{row.matches:,}",
            _between(row.plain, row.plain_error),
            _between(row.adjusted, row.adjusted_error),
            f"{100 * row.luck:+.1f}",
        )
    console.print(table)
    console.print(
        f"{tournament}: the share of opponents left behind, against the mean of the field, in per cent, by "
        f"{found.matches:,} matches. Luck as {meter.yardstick.name} values it; its mean is zero for every bot. "
        f"Without it a result has "
        f"{100 * found.variance:.0f} % of the variance: {found.matches:,} matches tell as much as "
        f"{found.matches / max(found.variance, 1e-9):,.0f} plain ones. The standings stay those of the plain results.",
        markup=False,
        soft_wrap=True,
        style="dim",
    )


def _between(value: float, error: float) -> str:
    return f"{100 * value:+.1f} ± {196 * error:.1f}"
