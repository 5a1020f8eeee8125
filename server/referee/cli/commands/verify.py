"""`referee verify`: everything a tournament or a record claims, recomputed offline."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import DEFAULT_DB, Db
from referee.cli.database import open_store
from referee.cli.errors import DID_NOT_HOLD, ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import AsJson, aside, paper, print_json

if TYPE_CHECKING:
    from referee.tournament.audit.export import Dossier

PROGRESS_SECONDS = 2.0
DATABASE = b"SQLite format 3"
"""How the file of a database begins."""


def verify(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TOURNAMENT | FILE…]",
            help="A tournament of the database (without one, all of them), or record files and exported folders.",
            show_default=False,
        ),
    ] = None,
    db: Db = None,
    digest: Annotated[
        str | None, typer.Option("--digest", metavar="HEX", help="The standings must have this digest.")
    ] = None,
    json: AsJson = False,
) -> None:
    """Replay records and recompute commitment, seeds, results and standings; exit code 1 if anything does not hold.

    Example: referee verify league --db referee.db
    """
    words = what or []
    paths = [Path(word) for word in words]
    from_files = db is None and bool(words) and all(path.exists() for path in paths)
    if not from_files and len(words) > 1:
        missing = next((word for word, path in zip(words, paths, strict=True) if not path.exists()), words[0])
        if db is None:
            raise Failure(f"there is no file {missing}", WRONG_USE)
        raise Failure("name one tournament of the database, or none to verify all of them", WRONG_USE)
    if not from_files and db is None and words and not Path(DEFAULT_DB).exists():
        raise Failure(f"there is no file {words[0]}; a tournament needs --db FILE", WRONG_USE)
    found = _files(paths) if from_files else _database(db, words[0] if words else None)
    if digest is not None:
        digests = [value["digest"] for value in found if "digest" in value]
        if digests != [digest.strip().lower()]:
            raise Failure(f"the digest is {', '.join(digests) or 'nowhere'}, not {digest}", DID_NOT_HOLD)
    if json:
        print_json(found)
        return
    for value in found:
        paper().print(_sentence(value), markup=False, soft_wrap=True)


def _database(db: str | None, name: str | None) -> list[dict[str, Any]]:
    from referee.rules.game import WrongUse
    from referee.store import Refused
    from referee.tournament.audit.export import from_database

    one = "the tournaments"
    with open_store(db, create=False) as store:
        try:
            names = [name] if name is not None else [one.name for one in store.tournaments.all()]
            if not names:
                raise Failure("there is no tournament in it yet", WRONG_USE)
            found = []
            for one in names:
                found.append(_tournament(lambda one=one: from_database(store, one)))  # type: ignore[misc]
            return found
        except (WrongUse, Refused):
            raise
        except (KeyError, TypeError, ValueError) as error:  # somebody has written into the database by hand
            why = f"what is stored of {one} cannot be read ({type(error).__name__}: {error})"
            raise Failure(f"does not hold: {why}", DID_NOT_HOLD) from None


def _files(paths: list[Path]) -> list[dict[str, Any]]:
    from referee.tournament.audit.export import from_folder

    found = []
    for path in paths:
        if path.is_dir():
            found.append(_tournament(lambda path=path: from_folder(path)))  # type: ignore[misc]
        else:
            found.append(_record(path))
    return found


def _tournament(read: Callable[[], Dossier]) -> dict[str, Any]:
    from referee.tournament.audit.replay import DoesNotHold
    from referee.tournament.audit.verify import verify as verify_tournament

    said = time.monotonic()

    def checked(number: int) -> None:
        nonlocal said
        if time.monotonic() - said > PROGRESS_SECONDS:
            said = time.monotonic()
            aside().print(f"{number} matches checked", markup=False)

    try:
        return asdict(verify_tournament(read(), checked))
    except DoesNotHold as error:
        raise Failure(f"does not hold: {error}", DID_NOT_HOLD) from None


def _record(path: Path) -> dict[str, Any]:
    from referee.rules.files import read_bounded
    from referee.tournament.audit.export import LARGEST_RECORD
    from referee.tournament.audit.replay import DoesNotHold, replay

    try:
        if path.is_file() and _head(path) == DATABASE:
            raise Failure(f"{path} is a database: 'referee verify --db {path}'", WRONG_USE)
        played = replay(read_bounded(path, LARGEST_RECORD))
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}", ENVIRONMENT) from None
    except DoesNotHold as error:
        raise Failure(f"{path} does not hold: {error}", DID_NOT_HOLD) from None
    return {
        "file": str(path),
        "match": played.match,
        "game": played.record.game,
        "names": list(played.names),
        "decisions": len(played.record.moves),
        "ranks": list(played.ending.ranks),
        "scores": list(played.ending.scores),
        "seed": played.record.seed,
    }


def _sentence(value: dict[str, Any]) -> str:
    if "file" in value:
        return f"{value['file']} holds: {value['game']}, {value['decisions']} decisions, ranks {value['ranks']}"
    rest = [f"{value['set_aside']} set aside"] if value["set_aside"] else []
    rest += [f"{value['open']} still open"] if value["open"] else []
    seeds = "commitment, seeds" if value["seeds"] else "(root still secret: seeds not checked) schedule"
    rest += ["dealt from a text that could be guessed (repeatable)"] if value["repeatable"] else []
    return (
        f"{value['tournament']} holds: {seeds}, moves and results of {value['replayed']} matches"
        f"{''.join(f', {part}' for part in rest)}; standings digest {value['digest']}"
    )


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(DATABASE))
