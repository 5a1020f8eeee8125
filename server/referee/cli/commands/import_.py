"""`referee import`: an exported tournament back into a database, as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from referee.cli.arguments import AsJson, Db
from referee.cli.database import open_store
from referee.cli.errors import DID_NOT_HOLD, WRONG_USE, Failure
from referee.cli.output import print_json, stdout_console
from referee.rules.boards.text import plural


def import_(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that 'referee export' wrote.")],
    db: Db = None,
    json: AsJson = False,
) -> None:
    """Verify an exported tournament and store it in a new or empty database: same standings, same hash chain.

    Its bots are registered without tokens: whoever is to play again gets one with 'referee bot rotate'.

    Example: referee import league-export --db copy.db
    """
    from referee.tournament.audit import folder as folders
    from referee.tournament.audit.importing import import_folder
    from referee.tournament.audit.replay import DoesNotHold

    if not folder.is_dir():
        raise Failure(f"there is no folder {folder}", WRONG_USE)
    if not folders.is_folder(folder):
        why = f"it has no {folders.JOURNAL}"
        raise Failure(f"{folder} holds no tournament that 'referee export' wrote: {why}", WRONG_USE)
    try:
        with open_store(db) as store:
            found = import_folder(store, folder)
    except DoesNotHold as error:
        raise Failure(f"{folder} does not hold, so nothing was imported: {error}", DID_NOT_HOLD) from None
    value: dict[str, Any] = {
        "tournament": found.tournament,
        "matches": found.replayed + found.set_aside + found.open,
        "digest": found.digest,
        "head": found.head,
    }
    if json:
        print_json(value)
        return
    stdout_console().print(
        f"imported {value['tournament']} with {plural(value['matches'], 'match', 'matches')}; "
        f"standings digest {value['digest']}",
        markup=False,
        soft_wrap=True,
    )
