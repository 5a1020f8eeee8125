"""`referee prune`: remove old records, a whole tournament, or a bot that never played; for good."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import AsJson, Db
from referee.cli.backend.file import acting_here
from referee.cli.database import open_store
from referee.cli.errors import wrong_use
from referee.cli.output import print_json, stdout_console
from referee.rules.boards.text import plural

if TYPE_CHECKING:
    from referee.store import Store


def prune(
    before: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="Remove the records of matches that ended before this day: 2026-10-01."),
    ] = None,
    tournament: Annotated[
        str | None, typer.Option(metavar="NAME", help="Remove a tournament that is not running, with its matches.")
    ] = None,
    bot: Annotated[
        str | None, typer.Option(metavar="NAME", help="Remove a bot that is in no tournament and never played.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    db: Db = None,
    json: AsJson = False,
) -> None:
    """Remove what is not needed any more. The server must be stopped; 'referee backup' first.

    Without their records matches cannot be replayed, shown or verified move by move. Results, ratings and the journal
    stay: 'referee verify' checks them, and says how many records were pruned. Records of tournaments that are not over
    stay, too.

    Example: referee prune --before 2026-10-01 --dry-run
    """
    if [before, tournament, bot].count(None) != 2:
        wrong_use("say what to remove: --before DATE, --tournament NAME or --bot NAME, one at a time")
    with open_store(db, owner=None if dry_run else "prune", create=False) as store:
        value, said = _prune(store, before, tournament, bot, dry_run)
    if json:
        print_json(value | {"dry_run": dry_run})
        return
    stdout_console().print(f"{'would remove' if dry_run else 'removed'} {said}", markup=False, soft_wrap=True)


def _prune(
    store: Store, before: str | None, tournament: str | None, bot: str | None, dry_run: bool
) -> tuple[dict[str, object], str]:
    """What is removed, as plain values and in words."""

    def acting(words: Callable[[Any], str]) -> AbstractContextManager[None]:
        return nullcontext() if dry_run else acting_here(store, "removed", words)

    if before is not None:
        with acting(_records):
            removed = store.pruning.records(_moment(before), dry_run=dry_run)
        return {"records": removed[0], "bytes": removed[1]}, _records(removed)
    if tournament is not None:
        words = partial(_tournament, tournament)
        found = store.tournaments.get(tournament)
        with acting(words):
            matches = store.matches.total(found.id) if dry_run else store.pruning.tournament(tournament)
        return {"tournament": tournament, "matches": matches}, words(matches)
    assert bot is not None
    store.bots.get(bot)
    if not dry_run:
        with acting(lambda _: f"bot {bot}"):
            store.pruning.bot(bot)
    return {"bot": bot}, f"bot {bot}"


def _records(removed: tuple[int, int]) -> str:
    return f"{plural(removed[0], 'record')} with {removed[1]:,} bytes"


def _tournament(name: str, matches: int) -> str:
    return f"tournament {name} with {plural(matches, 'match', 'matches')}"


def _moment(text: str) -> int:
    """The beginning of a day here, or a moment, in milliseconds since 1970."""
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        wrong_use(f"{text!r} is not a day: give one such as 2026-10-01")
