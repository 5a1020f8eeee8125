"""Admins in the store: people with a name, a role and a token of which only the hash is kept, and what they did.

The admin token that a server shows at its first start belongs to no row: it is a fact of the installation, and whoever
has it is the admin `host`. Every change is an entry of the journal, and so is every action, with who did it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from referee import names
from referee.store import journal
from referee.store import tables as t
from referee.store.acting import Deed, acting
from referee.store.bots import new_token, token_hash
from referee.store.connections import Connections, plain
from referee.store.damage import damaged, sound
from referee.store.errors import NameTaken, NotAllowed, Refused, Unknown
from referee.store.values import ADMIN_FACT

HOST = "host"
"""The name of the admin whose token is a fact of the installation."""


class Role(StrEnum):
    """What an admin may do; each may do what those after it may."""

    HOST = "host"
    """Everything."""
    HELPER = "helper"
    """Pause and resume tournaments, and annul matches."""
    SPECTATOR = "spectator"
    """Look at what only admins see, and change nothing."""


ROLES = frozenset(role.value for role in Role)
_RANKS = {role: rank for rank, role in enumerate(reversed(Role))}


@dataclass(frozen=True, slots=True)
class Admin:
    """An admin; one that was removed is kept, because events name it."""

    name: str
    role: Role
    created: int | None = None
    """None for the admin token of the installation."""
    rotated: int | None = None
    removed: int | None = None

    def may(self, role: Role) -> bool:
        """Whether this admin may do what needs that role."""
        return self.removed is None and _RANKS[self.role] >= _RANKS[role]


@dataclass(frozen=True, slots=True)
class NewAdmin:
    """An admin with a new token, which is shown once."""

    admin: Admin
    token: str


class Admins:
    """The register of admins."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def add(self, name: str, role: Role) -> NewAdmin:
        """Register an admin; a name that was removed may be given again."""
        if (why := names.trouble(name, "an admin's name")) is not None:
            raise Refused(why)
        token, now = new_token(), self._connections.now()
        values = {"role": role.value, "token_hash": token_hash(token), "created": now, "rotated": None, "removed": None}

        def work(connection: Connection) -> Admin:
            stored = connection.execute(select(t.admins.c.name, t.admins.c.removed)).all()
            for other, removed in [(HOST, None), *stored]:
                if names.alike(other, name) and (other != name or removed is None):
                    what = "is" if other == name else f"looks like {other},"
                    raise NameTaken(f"{name} {what} the name of an admin already: choose another name")
            if any(other == name for other, _ in stored):
                connection.execute(update(t.admins).where(t.admins.c.name == name).values(values))
            else:
                connection.execute(insert(t.admins).values(name=name, **values))
            return _noted(connection, name, now)

        return NewAdmin(self._connections.write(work), token)

    def rotate(self, name: str) -> NewAdmin:
        """Give an admin a new token in place of the old one, at once; `host` is the admin token of the installation."""
        token, now = new_token(), self._connections.now()

        def work(connection: Connection) -> Admin:
            if name == HOST:
                _replace_fact(connection, token_hash(token), now)
                return Admin(HOST, Role.HOST, rotated=now)
            _present(connection, name)
            values = {"token_hash": token_hash(token), "rotated": now}
            connection.execute(update(t.admins).where(t.admins.c.name == name).values(values))
            return _noted(connection, name, now)

        return NewAdmin(self._connections.write(work), token)

    def set_role(self, name: str, role: Role) -> Admin:
        """Give an admin another role, from the next call on."""
        now = self._connections.now()

        def work(connection: Connection) -> Admin:
            if name == HOST:
                raise NotAllowed(f"{HOST} is the one admin who may always do everything: name another one")
            _present(connection, name)
            connection.execute(update(t.admins).where(t.admins.c.name == name).values(role=role.value))
            return _noted(connection, name, now)

        return self._connections.write(work)

    def remove(self, name: str) -> Admin:
        """Make an admin's token void. The row stays, because events name the admin."""
        now = self._connections.now()

        def work(connection: Connection) -> Admin:
            if name == HOST:
                raise NotAllowed(f"{HOST} cannot be removed: 'referee admin rotate {HOST}' makes its token void")
            _present(connection, name)
            connection.execute(update(t.admins).where(t.admins.c.name == name).values(token_hash=None, removed=now))
            return _noted(connection, name, now)

        return self._connections.write(work)

    def all(self) -> list[Admin]:
        """The admins who have a token, by name; the one of the installation first."""
        with self._connections.readers.connect() as connection:
            query = select(t.admins).where(t.admins.c.removed.is_(None)).order_by(t.admins.c.name)
            found = [_admin(row) for row in connection.execute(query)]
            return [Admin(HOST, Role.HOST), *found] if _fact(connection) else found

    def by_hash(self) -> dict[str, Admin]:
        """Who has which token, by its hash, for who checks tokens without asking here every time."""
        with self._connections.readers.connect() as connection:
            query = select(t.admins).where(t.admins.c.removed.is_(None))
            known = {row.token_hash: _admin(row) for row in connection.execute(query) if row.token_hash}
            fact = _fact(connection)
            return known | ({fact: Admin(HOST, Role.HOST)} if fact else {})

    def with_hash(self, given: str) -> Admin | None:
        """Who has the token of this hash at this moment."""
        with self._connections.readers.connect() as connection:
            if _fact(connection) == given:
                return Admin(HOST, Role.HOST)
            row = connection.execute(select(t.admins).where(t.admins.c.token_hash == given)).first()
            return None if row is None or row.removed is not None else _admin(row)

    def note(self, deed: Deed) -> None:
        """Keep in the journal what an admin did, unless it was kept with what was stored; so it had stored nothing."""
        if not deed.take():
            return
        entry = deed.entry(self._connections.now(), None)

        def work(connection: Connection) -> None:
            journal.append(connection, journal.INSTALLATION, [entry])

        self._connections.write_beside(work)

    @contextmanager
    def acting(self, deed: Deed) -> Iterator[None]:
        """What is done inside is this action, and is kept with it in the journal, once it is done."""
        with acting(deed):
            yield
        self.note(deed)


def _fact(connection: Connection) -> str | None:
    return connection.execute(select(t.meta.c.value).where(t.meta.c.key == ADMIN_FACT)).scalar()


def _replace_fact(connection: Connection, value: str, now: int) -> None:
    if _fact(connection) is None:
        connection.execute(insert(t.meta).values(key=ADMIN_FACT, value=value))
    else:
        connection.execute(update(t.meta).where(t.meta.c.key == ADMIN_FACT).values(value=value))
    journal.append(connection, journal.INSTALLATION, [journal.entry("fact", now, key=ADMIN_FACT, value=value)])


def _present(connection: Connection, name: str) -> Row[Any]:
    row = connection.execute(select(t.admins).where(t.admins.c.name == plain(name))).first()
    if row is None or row.removed is not None:
        raise Unknown(f"there is no admin named {name}: 'referee admin list' shows all")
    return row


def _noted(connection: Connection, name: str, now: int) -> Admin:
    row = connection.execute(select(t.admins).where(t.admins.c.name == name)).one()
    journal.append(connection, journal.INSTALLATION, [journal.entry("admin", now, admin=dict(row._mapping))])
    return _admin(row)


def _admin(row: Row[Any]) -> Admin:
    if sound(t.admins, row).role not in ROLES:
        raise damaged(t.admins, row, "role", row.role)
    return Admin(row.name, Role(row.role), row.created, row.rotated, row.removed)
