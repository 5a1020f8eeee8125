"""`referee export`: a tournament as files: a folder that anybody can verify, and tables for pandas."""

from __future__ import annotations

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from referee.cli.arguments import AsJson, Ca, Db, Server
from referee.cli.backend import Backend, backend_of
from referee.cli.errors import DID_NOT_HOLD, ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import print_json, stderr_console, stdout_console
from referee.cli.terminal import tables_on_stdout
from referee.rules.boards.text import plural

if TYPE_CHECKING:
    from referee.tournament.audit.folder import Published

STDOUT = "-"


def export(
    tournament: Annotated[str, typer.Argument(help="The tournament's name.")],
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="A new folder: everything that 'referee verify DIR' needs, as text."),
    ] = None,
    csv: Annotated[
        str | None, typer.Option("--csv", metavar="FILE", help="One row per seat and match, as CSV; - is stdout.")
    ] = None,
    jsonl: Annotated[
        str | None, typer.Option("--jsonl", metavar="FILE", help="The same rows, a JSON object a line; - is stdout.")
    ] = None,
    db: Db = None,
    server: Server = None,
    ca: Ca = None,
    json: AsJson = False,
) -> None:
    """Write a tournament as files: settings, schedule, records, standings, commitment, nonces, and the hash chain.

    Anybody can do this with --server, and check the folder with 'referee verify DIR'. `server/EXPORT.md` is its format.

    Example: referee export league league-export --csv league.csv
    """
    if folder is None and csv is None and jsonl is None:
        raise Failure("say what to write: a new folder, --csv FILE or --jsonl FILE", WRONG_USE)
    if [csv, jsonl, STDOUT if json else None].count(STDOUT) > 1:
        raise Failure("stdout can hold one of --csv, --jsonl and --json: give the others a file", WRONG_USE)
    backend = backend_of(db, server, ca=ca)
    value: dict[str, Any] = {"tournament": tournament}
    if folder is not None:
        value |= export_folder(backend, tournament, folder)
    for form, target in (("csv", csv), ("jsonl", jsonl)):
        if target is not None:
            value |= {form: None if target == STDOUT else target, "rows": _rows(backend, tournament, form, target)}
    if json:
        print_json(value)
    elif STDOUT not in (csv, jsonl):
        stdout_console().print(_sentence(value), markup=False, soft_wrap=True)
    else:
        stderr_console().print(_sentence(value), markup=False, soft_wrap=True)


def export_folder(backend: Backend, tournament: str, folder: Path) -> dict[str, Any]:
    """Write the folder; what there is to say of it."""
    from referee.tournament.audit import folder as folders

    with _published(backend, tournament) as published:
        try:
            story = folders.write(published, folder)
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            advice = "; free some disk space and export again" if full else ""
            raise Failure(f"cannot write {error.filename or folder}: {error.strerror}{advice}", ENVIRONMENT) from None
    return {
        "folder": str(folder),
        "records": len(story.recorded),
        "matches": story.total,
        "state": story.state,
        "entries": story.entries,
        "head": story.head,
    }


def _rows(backend: Backend, tournament: str, form: str, target: str) -> int:
    from referee.tournament.audit.rows import rows_of, write_csv, write_jsonl

    with _published(backend, tournament) as published, _opened(target) as file:
        write = write_csv if form == "csv" else write_jsonl
        return write(rows_of(published), file)


@contextmanager
def _published(backend: Backend, tournament: str) -> Iterator[Published]:
    from referee.store import NotADatabase
    from referee.tournament.audit.replay import DoesNotHold

    try:
        with backend.published(tournament) as published:
            yield published
    except DoesNotHold as error:
        raise Failure(f"{tournament} cannot be exported, for it does not hold: {error}", DID_NOT_HOLD) from None
    except NotADatabase as error:
        raise Failure(f"{tournament} cannot be exported: {error}", ENVIRONMENT) from None


@contextmanager
def _opened(target: str) -> Iterator[IO[str]]:
    if target == STDOUT:
        tables_on_stdout()
        yield sys.stdout
        return
    try:
        with Path(target).open("w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as error:
        raise Failure(f"cannot write {target}: {error.strerror}", ENVIRONMENT) from None


def _sentence(value: dict[str, Any]) -> str:
    said = []
    if "folder" in value:
        said.append(
            f"wrote {value['tournament']} with {plural(value['records'], 'record')} to {value['folder']}; journal of "
            f"{plural(value['entries'], 'entry', 'entries')}, head {value['head']}"
        )
    tables = [value[form] or "stdout" for form in ("csv", "jsonl") if form in value]
    if tables:
        said.append(f"wrote {plural(value['rows'], 'row')} to {' and '.join(tables)}")
    return "\n".join(said)
