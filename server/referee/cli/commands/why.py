"""`referee why`: what cost a match, or where a bot loses most: values of decisions, and luck, by rollouts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.arguments import AsJson, Ca, Db, Server
from referee.cli.backend import backend_of
from referee.cli.errors import DID_NOT_HOLD, WRONG_USE, Failure, wrong_use
from referee.cli.match_source import MatchSource, exported_matches, find_match, is_export, is_file_or_missing
from referee.cli.output import print_json, stderr_console

if TYPE_CHECKING:
    from referee.analysis.replay.recorded import RecordedMatch
    from referee.analysis.why import Explained
    from referee.analysis.why.pool import Told

USUAL_MATCHES = 10
MOST_ROLLOUTS = 100_000


def why(
    what: Annotated[
        str,
        typer.Argument(
            metavar="MATCH | FILE | TOURNAMENT",
            help="A match (league/12, practice/5), a record file, or with --bot a tournament or its exported folder.",
            show_default=False,
        ),
    ],
    seat: Annotated[int | None, typer.Option("--seat", "-s", min=0, help="Whose match it was, counted from 0.")] = None,
    bot: Annotated[str | None, typer.Option("--bot", "-b", help="The bot, instead of its seat.")] = None,
    matches: Annotated[
        int | None,
        typer.Option(
            "--matches", "-m", min=1, help="Of a tournament: its latest so many.", show_default=str(USUAL_MATCHES)
        ),
    ] = None,
    yardstick: Annotated[
        str | None,
        typer.Option(
            "--yardstick", help="The house bot that plays the rollouts.", show_default="the game's simple one"
        ),
    ] = None,
    rollouts: Annotated[
        int | None,
        typer.Option("--rollouts", "-n", min=4, max=MOST_ROLLOUTS, help="Rollouts of a move.", show_default="by game"),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same answer.")] = 0,
    workers: Annotated[
        int | None, typer.Option("--workers", "-w", min=1, help="Processes.", show_default="one per core")
    ] = None,
    db: Db = None,
    server: Server = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """What cost the match: the value of every move of a seat, its luck, and the three decisions that cost most.

    A position is valued by rollouts: what the seat could not know is dealt anew, and the yardstick plays on for all.

    Examples: [bold]referee why league/12 --bot mybot[/bold], [bold]referee why record.json --seat 0[/bold],
    [bold]referee why league --bot mybot[/bold]
    """
    from referee.analysis.why import Setting, Yardstick, explain, habits
    from referee.analysis.why.yardstick import ROLLOUTS, USUAL_ROLLOUTS
    from referee.cli.why_text import print_explained, print_habits
    from referee.hosting.simulation import BotFault

    found, of_tournament = _found(what, seat, bot, matches, db, server, ca)
    game = found[0].game
    stick = Yardstick.of(game, yardstick)
    tries = rollouts or ROLLOUTS.get(game.name, USUAL_ROLLOUTS)
    explained: list[Explained] = []
    try:
        with _progress(sum(match.decisions for match in found)) as told:
            for match in found:
                setting = Setting(stick, _seat(match, seat, bot), tries, seed)
                explained.append(explain(match, setting, workers, told))
    except BotFault as error:
        raise Failure(str(error), DID_NOT_HOLD) from None
    if of_tournament:
        summed = habits(bot or "", explained)
        print_json(summed.to_value()) if json else print_habits(summed)
    else:
        print_json(explained[0].to_value()) if json else print_explained(explained[0])


def _found(
    what: str,
    seat: int | None,
    bot: str | None,
    matches: int | None,
    db: str | None,
    server: str | None,
    ca: str | None,
) -> tuple[list[RecordedMatch], bool]:
    """The matches that are meant, and whether a whole tournament is."""
    if (seat is None) == (bot is None):
        wrong_use("name whose match it is: --seat N, or --bot NAME")
    stored = db is not None or server is not None
    folder = Path(what) if not stored and is_export(Path(what)) else None
    if folder is None and _is_match(what, seat, db, server, ca):
        if matches is not None:
            wrong_use("--matches is for a tournament; this is one match")
        return [find_match(what, db, server, None, ca).read()], False
    if bot is None:
        wrong_use(f"{what} is a tournament: name the bot with --bot NAME, or one of its matches as {what}/0")
    many = matches or USUAL_MATCHES
    found = _of_folder(folder, bot, many) if folder is not None else _of_tournament(what, bot, many, db, server, ca)
    if not found:
        raise Failure(f"{bot} has finished no match of {what} yet", WRONG_USE)
    return found, True


def _is_match(what: str, seat: int | None, db: str | None, server: str | None, ca: str | None) -> bool:
    """Whether one match is meant: a number alone is one, and what has a seat, unless a tournament is called so."""
    if "/" in what or (db is None and server is None and is_file_or_missing(what)):
        return True
    if seat is None and not what.isdecimal():
        return False
    return all(row["name"] != what for row in backend_of(db, server, None, ca).tournaments())


def _of_tournament(
    name: str, bot: str, many: int, db: str | None, server: str | None, ca: str | None
) -> list[RecordedMatch]:
    """The latest matches of a bot in a tournament, in the order of the schedule."""
    backend = backend_of(db, server, None, ca)
    rows, _ = backend.find_matches({"tournament": name, "bot": bot, "states": ("finished",)}, many)
    return [MatchSource(row["match"], backend.record(row["match"]), row, backend).read() for row in reversed(rows)]


def _of_folder(folder: Path, bot: str, many: int) -> list[RecordedMatch]:
    """The same of a tournament that was exported."""
    found: list[RecordedMatch] = []
    for number in reversed(exported_matches(folder)):
        match = find_match(str(folder / str(number)), None, None).read()
        if bot in match.names:
            found.append(match)
        if len(found) == many:
            break
    return found[::-1]


def _seat(match: RecordedMatch, seat: int | None, bot: str | None) -> int:
    """The seat that is meant; of a bot with several, the first."""
    if bot is None:
        assert seat is not None
        if seat >= match.players:
            wrong_use(f"there is no seat {seat}: the match has the seats 0 to {match.players - 1}")
        return seat
    if bot not in match.names:
        wrong_use(f"{bot!r} did not play in this match; there are: {', '.join(match.names)}")
    return match.names.index(bot)


@contextmanager
def _progress(total: int) -> Iterator[Told]:
    """A bar on stderr where a person watches, nothing elsewhere."""
    if not sys.stderr.isatty():
        yield _unheard
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("positions"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr_console(), transient=True) as progress:
        task = progress.add_task("positions", total=total)
        yield lambda done, of: progress.advance(task)


def _unheard(done: int, of: int) -> None:
    """No one watches."""
