"""The database of a command: opened, closed, and what is wrong with it said in one sentence."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from referee.cli.defaults import DEFAULT_DB
from referee.cli.errors import ENVIRONMENT, WRONG_USE, Failure
from referee.cli.output import print_warning, stderr_console

if TYPE_CHECKING:
    from referee.store import Store


@contextmanager
def open_store(db: str | None, *, owner: str | None = None, create: bool = True) -> Iterator[Store]:
    """The database, closed afterwards; what is wrong with it becomes one sentence and exit code 3.

    Commands that own or may create it write to it: they tell the host if others can read what they write.
    """
    from referee.store import Store

    with store_errors(), Store.open(db or DEFAULT_DB, owner=owner, create=create) as store:
        if (owner is not None or create) and (exposure := store.exposure) is not None:
            print_warning(exposure)
        yield store


@contextmanager
def store_errors() -> Iterator[None]:
    """What the store refuses is wrong use, what is wrong with the database is the environment; one sentence each."""
    from referee.store import NameTaken, NotAllowed, Refused, StoreError, Unknown

    try:
        yield
    except (NameTaken, NotAllowed, Refused, Unknown) as error:
        raise Failure(str(error), WRONG_USE) from None
    except StoreError as error:
        raise Failure(str(error), ENVIRONMENT) from None


@contextmanager
def open_or_make_store(db: str | None) -> Iterator[Store]:
    """The same for commands that register something: a database that was not there before is told.

    What is written to a new database reaches no server that runs on another one. So if no database was named, and a
    server runs on this machine, the host is told of that too.
    """
    made = _missing_file(db)
    with open_store(db) as store:
        yield store
        if made is not None:
            stderr_console().print(f"a new database was made: {made.resolve()}", markup=False)
            if db is None:
                _tell_of_servers(made.resolve())


def _missing_file(db: str | None) -> Path | None:
    """The file that would be made, or None if it is there, or the database is no file."""
    from referee.store import BadAddress
    from referee.store.address import parse_address

    try:
        path = parse_address(db or DEFAULT_DB).path
    except BadAddress:  # said when it is opened
        return None
    return None if path is None or path.exists() else path


def _tell_of_servers(made: Path) -> None:
    from referee.cli.running_servers import running_servers

    for server in running_servers():
        where = f"on {server.database}" if server.database else "on another database"
        asked = f"--server localhost:{server.port}" if server.port else "--server HOST:PORT"
        meant = f"name its database with --db {shlex.quote(server.database)}, or " if server.database else ""
        print_warning(
            f"a server is running on this machine {where} (process {server.process}), and does not know what is "
            f"written to {made}: {meant}ask the server with {asked}"
        )
