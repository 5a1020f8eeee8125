"""Where a command finds a match: in the database, on a server, in a record file, or in an exported folder.

| how it is named | what is meant |
|---|---|
| `league/12` | match 12 of the tournament `league`; matches are numbered from 0 in the order of the schedule |
| `practice/5` | a practice match, by its own number |
| `12` | match 12 of the only tournament there is |
| `DIR/records/12.json`, or any other file | a record: exported, saved from `GetRecord`, or a bare record of moves |
| `DIR/12` | match 12 of the tournament that was exported into the folder `DIR` |

A file goes before a match of that name, unless `--db` or `--server` is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli.backend import Backend, Row, backend_of
from referee.cli.defaults import DEFAULT_DB
from referee.cli.errors import DID_NOT_HOLD, ENVIRONMENT, WRONG_USE, Failure

if TYPE_CHECKING:
    from referee.analysis.replay import LogLine, RecordedMatch
    from referee.match.seat_log import SeatLog

MatchName = Annotated[
    str,
    typer.Argument(
        metavar="MATCH|FILE",
        help="A match (league/12, practice/5, or 12 where there is one tournament), or a record file.",
        show_default=False,
    ),
]
Token = Annotated[
    str | None,
    typer.Option(
        "--token",
        envvar="REFEREE_TOKEN",
        metavar="TOKEN",
        help="A bot's token, with --server: shows what that bot wrote to stderr.",
    ),
]


@dataclass(frozen=True, slots=True)
class MatchSource:
    """One match, wherever it is kept."""

    name: str
    data: bytes | None
    """The record; None where the match has none."""
    row: Row | None = None
    """What the database tells of it; None for a file."""
    backend: Backend | None = None

    def read(self) -> RecordedMatch:
        """The match; a Failure says why there is nothing to see, or what does not hold."""
        from referee.analysis.replay import read_match
        from referee.tournament.audit.replay import DoesNotHold

        if self.data is None:
            assert self.row is not None
            raise Failure(f"there is nothing to see of {self.name}: {why_unplayed(self.row)}", WRONG_USE)
        try:
            return read_match(self.data)
        except DoesNotHold as error:
            raise Failure(f"{self.name} does not hold: {error}", DID_NOT_HOLD) from None

    def logs(self) -> list[SeatLog]:
        """What hosted bots wrote to stderr, as far as the caller may see it."""
        return [] if self.backend is None else self.backend.bot_logs(self.name)

    def log_lines(self) -> list[LogLine]:
        """The same, line by line."""
        from referee.analysis.replay import LogLine

        return [LogLine(line.decision, log.seat, line.text, line.shared) for log in self.logs() for line in log.lines]


def find_match(
    what: str, db: str | None, server: str | None, token: str | None = None, ca: str | None = None
) -> MatchSource:
    """The match that is meant; a Failure says that there is none."""
    if db is None and server is None and (path := _file(what)) is not None:
        return MatchSource(what, _read(path))
    if db is None and server is None and not Path(DEFAULT_DB).exists():
        raise Failure(
            f"there is no file {what}; a match of a tournament needs --db FILE or --server HOST:PORT", WRONG_USE
        )
    backend = backend_of(db, server, token, ca)
    row = backend.match(what)
    return MatchSource(row["match"], backend.record(row["match"]), row, backend)


def why_unplayed(row: Row) -> str:
    """Why a match has no record, in a clause."""
    state, reason = row["state"], row["reason"]
    if state in ("absent", "void"):
        return f"it was set aside as {state}{f' ({reason})' if reason else ''}"
    return "it is being played" if state == "playing" else "it has not been played yet"


def is_export(path: Path) -> bool:
    """Whether this is the folder of an exported tournament."""
    from referee.tournament.audit.folder import TOURNAMENT

    return (path / TOURNAMENT).is_file()


def exported_matches(folder: Path) -> list[int]:
    """The numbers of the matches of which an exported tournament holds records, in order."""
    from referee.tournament.audit.folder import RECORDS

    return sorted(int(file.stem) for file in (folder / RECORDS).glob("*.json") if file.stem.isdecimal())


def is_file_or_missing(what: str) -> bool:
    """Whether this can be no more than a file: there is one, or there is no database for it to be anything else in."""
    path = Path(what)
    return (path.exists() and not path.is_dir()) or not Path(DEFAULT_DB).exists()


def _file(what: str) -> Path | None:
    """The file that is meant, if it is one."""
    from referee.tournament.audit.folder import RECORDS

    path = Path(what)
    if path.is_dir():
        if is_export(path):
            raise Failure(f"{what} is an exported tournament: name one of its matches, such as {path / '0'}", WRONG_USE)
        raise Failure(f"{what} is a folder: name a record file", WRONG_USE)
    if path.exists():
        return path
    if path.name.isdecimal() and is_export(path.parent):
        record = path.parent / RECORDS / f"{path.name}.json"
        if not record.is_file():
            raise Failure(f"the exported tournament {path.parent} holds no record of match {path.name}", WRONG_USE)
        return record
    return None


def _read(path: Path) -> bytes:
    from referee.cli.commands.verify import DATABASE
    from referee.rules.files import read_bounded
    from referee.tournament.audit.audited import LARGEST_RECORD

    try:
        if path.is_file() and path.open("rb").read(len(DATABASE)) == DATABASE:
            raise Failure(f"{path} is a database: name a match of it, with --db {path}", WRONG_USE)
        return read_bounded(path, LARGEST_RECORD, regular=True)
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}", ENVIRONMENT) from None
