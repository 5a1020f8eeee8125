"""`referee prune`: remove old records, a whole tournament, or a bot that never played; for good."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from referee.cli.arguments import AsJson, Db
from referee.cli.backend.file import note
from referee.cli.database import open_store
from referee.cli.errors import wrong_use
from referee.cli.output import print_json, stdout_console


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
        if before is not None:
            records, size = store.pruning.records(_moment(before), dry_run=dry_run)
            value: dict[str, object] = {"records": records, "bytes": size}
            said = f"{records:,} records with {size:,} bytes"
        elif tournament is not None:
            found = store.tournaments.get(tournament)
            matches = store.matches.total(found.id) if dry_run else store.pruning.tournament(tournament)
            value = {"tournament": tournament, "matches": matches}
            said = f"tournament {tournament} with {matches:,} matches"
        else:
            assert bot is not None
            store.bots.get(bot)
            if not dry_run:
                store.pruning.bot(bot)
            value, said = {"bot": bot}, f"bot {bot}"
        if not dry_run:
            note(store, "removed", said)
    if json:
        print_json(value | {"dry_run": dry_run})
        return
    stdout_console().print(f"{'would remove' if dry_run else 'removed'} {said}", markup=False, soft_wrap=True)


def _moment(text: str) -> int:
    """The beginning of a day here, or a moment, in milliseconds since 1970."""
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        wrong_use(f"{text!r} is not a day: give one such as 2026-10-01")
