"""`referee why`: what cost a match, or where a bot loses most: values of decisions, and luck, by rollouts."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.arguments import AsJson, Db
from referee.cli.database import open_store
from referee.cli.defaults import DEFAULT_DB
from referee.cli.errors import DID_NOT_HOLD, ENVIRONMENT, WRONG_USE, Failure, wrong_use
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
            help="A match of the database (league/12, practice/5), a record file, or a tournament with --bot.",
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

    found, of_tournament = _found(what, seat, bot, matches, db)
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
    what: str, seat: int | None, bot: str | None, matches: int | None, db: str | None
) -> tuple[list[RecordedMatch], bool]:
    """The matches that are meant, and whether a whole tournament is."""
    path = Path(what)
    if (seat is None) == (bot is None):
        wrong_use("name whose match it is: --seat N, or --bot NAME")
    if db is None and path.is_file():
        if matches is not None:
            wrong_use("--matches is for a tournament; this is one match")
        return [_from_file(path)], False
    if db is None and not Path(DEFAULT_DB).exists():
        raise Failure(f"there is no file {what}; a match or a tournament needs --db FILE", WRONG_USE)
    with open_store(db, create=False) as store:
        from referee.store.match_search import MatchQuery
        from referee.store.values import MatchState

        if "/" in what:
            if matches is not None:
                wrong_use("--matches is for a tournament; this is one match")
            named = store.matches.named(what)
            if named is None:
                raise Failure(f"there is no match named {what} in the database", WRONG_USE)
            if named.match.state != MatchState.FINISHED:
                raise Failure(f"{what} has no result: it is {named.match.state.value}", WRONG_USE)
            return [_read(store.matches.record(named.match.id), what)], False
        if bot is None:
            wrong_use(f"{what} is a tournament: name the bot with --bot NAME, or one of its matches as {what}/0")
        query = MatchQuery(tournament=what, bot=bot, states=(MatchState.FINISHED,))
        found, _ = store.matches.search(query, 0, matches or USUAL_MATCHES)
        if not found:
            raise Failure(f"{bot} has finished no match of {what} yet", WRONG_USE)
        return [_read(store.matches.record(one.match.id), one.name) for one in reversed(found)], True


def _from_file(path: Path) -> RecordedMatch:
    from referee.rules.files import read_bounded
    from referee.tournament.audit.audited import LARGEST_RECORD

    try:
        return _read(read_bounded(path, LARGEST_RECORD, regular=True), str(path))
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}", ENVIRONMENT) from None


def _read(data: bytes | None, name: str) -> RecordedMatch:
    from referee.analysis.replay.recorded import read_match
    from referee.tournament.audit.replay import DoesNotHold

    if data is None:
        raise Failure(f"the record of {name} is missing", DID_NOT_HOLD)
    try:
        return read_match(data)
    except DoesNotHold as error:
        raise Failure(f"{name} does not hold: {error}", DID_NOT_HOLD) from None


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
