"""Backends of the commands: the only place that knows whether a command talks to a database file or to a server."""

from __future__ import annotations

from referee.cli.backend.file import FileBackend
from referee.cli.backend.server import ServerBackend
from referee.cli.backend.verbs import Backend, ControlResult, Row
from referee.cli.errors import WRONG_USE, Failure

__all__ = ["Backend", "ControlResult", "FileBackend", "Row", "ServerBackend", "backend_of", "tournament_named"]


def backend_of(db: str | None, server: str | None, token: str | None = None, ca: str | None = None) -> Backend:
    """The file or the server that was named, or else the usual file. Nothing is opened yet."""
    if db and server:
        raise Failure("give --db or --server, not both", WRONG_USE)
    return ServerBackend(server, token, ca) if server else FileBackend(db)


def tournament_named(backend: Backend, name: str) -> Row:
    """The tournament of that name."""
    for row in backend.tournaments():
        if row["name"] == name:
            return row
    from referee.store.errors import no_tournament

    raise Failure(no_tournament(name), WRONG_USE)
