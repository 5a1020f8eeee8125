"""The address of a database: a file path, a `sqlite:///` URL or a PostgreSQL URL."""

from __future__ import annotations

import importlib
import os
import re
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from referee.masking import masked
from referee.store.errors import BadAddress, MissingDriver, MissingFolder, NoDatabase, NotADatabase

OLDEST_SQLITE = (3, 33)
"""The first that updates rows from a list of values (2020)."""

EXAMPLE = "postgresql://user@host:port/database, with user:password in place of user if it needs one"
WITH_PASSWORD = re.compile(r"[^/:@]+:[^/@]+@")
"""What no file is called: `postgresql:/ada:password@host`, with a slash too few."""


@dataclass(frozen=True, slots=True)
class Address:
    """Either a file (SQLite) or a URL (PostgreSQL); `str()` of it may be shown."""

    path: Path | None = None
    url: URL | None = None

    def __str__(self) -> str:
        if self.url is not None:
            # As it was typed: which driver is used is nobody's concern.
            return masked(self.url.set(drivername="postgresql").render_as_string(hide_password=False))
        return str(self.path)


def parse_address(text: str | Path) -> Address:
    """Read what a person gave as the database; the file or server is not touched yet."""
    if isinstance(text, Path):
        return _file(str(text))
    scheme, separator, rest = text.partition("://")
    if not separator:
        return _file(text)
    if scheme == "sqlite":
        return _file(rest.removeprefix("/"))
    if scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        try:
            url = make_url(f"postgresql+psycopg://{rest}")
        except (ArgumentError, ValueError):
            raise BadAddress(f"the PostgreSQL address cannot be read: write {EXAMPLE}") from None
        if "@" in (url.host or ""):
            raise BadAddress("the PostgreSQL address has two @ in it: write the one in the password as %40")
        return Address(url=url)
    raise BadAddress(
        f"unknown kind of database {scheme!r}: give a file path, sqlite:///FILE or postgresql://HOST/DATABASE"
    )


def check_address(address: Address, *, create: bool) -> None:
    """Say early and clearly what no driver says well: a missing folder, a folder in place of a file, no driver."""
    if address.path is None:
        try:
            importlib.import_module("psycopg")
        except ImportError:
            raise MissingDriver(
                "PostgreSQL needs the extra package psycopg: pip install 'referee-arena[postgres]', or use a file"
            ) from None
        return
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise MissingDriver(
            f"this Python comes with SQLite {sqlite3.sqlite_version}, too old for Referee: use a Python with "
            f"SQLite {'.'.join(map(str, OLDEST_SQLITE))} or newer (uv python install), or PostgreSQL"
        )
    path = address.path
    if path.is_dir():
        raise NotADatabase(f"{path} is a folder: give the path of a file in it, such as {path / 'referee.db'}")
    if not path.parent.is_dir():
        raise MissingFolder(f"the folder {path.parent} does not exist: create it first, or choose another path")
    if not create and not path.exists():
        raise NoDatabase(f"there is no database at {path}: check the path, or start a tournament there first")


def _file(text: str) -> Address:
    if text in ("", ":memory:") or "\0" in text:
        raise BadAddress("the database must be a file that lasts: give a path such as referee.db")
    if WITH_PASSWORD.search(text) and not os.path.lexists(text):
        # Not repeated in the message, for it holds a password.
        raise BadAddress(
            "the database looks like an address with a password, but does not begin like one: "
            f"write {EXAMPLE}, or the path of a file"
        )
    return Address(path=Path(os.path.abspath(text)))
