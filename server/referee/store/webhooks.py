"""Webhooks in the store: where the host is told what happens, and which messages are due.

The address of a chat room is a secret, and so is what signs a message: both are in the database alone. The journal has
the name and the host of each webhook that was added or removed, and the SHA-256 of the row of each that was added.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection, Row, delete, insert, select, update

from referee.store import journal, outbox
from referee.store import tables as t
from referee.store.bots import check_name
from referee.store.connections import Connections, plain
from referee.store.errors import NameTaken, Unknown

KEPT_MS = 7 * 24 * 3600 * 1000
"""How long a message is kept after it was delivered or given up."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where, how and of what the host is told."""

    id: int
    name: str
    url: str
    secret: str
    form: str
    kinds: tuple[str, ...]
    created: int


@dataclass(frozen=True, slots=True)
class Message:
    """A message to a webhook; `id` stays the same however often it is tried."""

    number: int
    id: str
    webhook: Webhook
    kind: str
    about: Mapping[str, Any]
    created: int
    attempts: int


class Webhooks:
    """The webhooks of an installation and their messages."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def add(self, name: str, url: str, secret: str, form: str, kinds: Sequence[str]) -> None:
        check_name(name, "a webhook's name")
        now = self._connections.now()
        values = {"name": name, "url": plain(url), "secret": secret, "form": form, "kinds": list(kinds), "created": now}

        def work(connection: Connection) -> None:
            if connection.execute(select(t.webhooks.c.id).where(t.webhooks.c.name == name)).first() is not None:
                raise NameTaken(f"a webhook named {name} exists already: remove it first, or choose another name")
            connection.execute(insert(t.webhooks).values(values))
            _tell_added(connection, name, now)

        self._connections.write(work)

    def put(
        self, name: str, url: str, secret: str, form: str, kinds: Sequence[str], *, keep_secret: bool = False
    ) -> str:
        """Add a webhook, or make the one of that name so; returns `added`, `changed`, or nothing if it is so already.

        With `keep_secret` one that is there keeps what signs its messages. What it is still to be told stays.
        """
        check_name(name, "a webhook's name")
        now = self._connections.now()

        def work(connection: Connection) -> str:
            row = connection.execute(select(t.webhooks).where(t.webhooks.c.name == name)).first()
            found = None if row is None else _webhook(row)
            signs = found.secret if found is not None and keep_secret else secret
            values = {"url": plain(url), "secret": signs, "form": form, "kinds": list(kinds)}
            if found is None:
                connection.execute(insert(t.webhooks).values(name=name, created=now, **values))
                _tell_added(connection, name, now)
                return "added"
            if (found.url, found.secret, found.form, list(found.kinds)) == tuple(values.values()):
                return ""
            connection.execute(update(t.webhooks).where(t.webhooks.c.id == found.id).values(values))
            _tell(connection, name, found.url, "removed", now)
            _tell_added(connection, name, now)
            return "changed"

        return self._connections.write(work)

    def remove(self, name: str) -> None:
        """Forget a webhook and what it was still to be told."""
        now = self._connections.now()

        def work(connection: Connection) -> None:
            found = _named(connection, name)
            connection.execute(delete(t.outbox).where(t.outbox.c.webhook_id == found.id))
            connection.execute(delete(t.webhooks).where(t.webhooks.c.id == found.id))
            _tell(connection, name, found.url, "removed", now)

        self._connections.write(work)

    def all(self) -> list[Webhook]:
        with self._connections.readers.connect() as connection:
            return [_webhook(row) for row in connection.execute(select(t.webhooks).order_by(t.webhooks.c.id))]

    def get(self, name: str) -> Webhook:
        """The webhook of that name; unknown ones are refused."""
        with self._connections.readers.connect() as connection:
            return _named(connection, name)

    def announce(self, kind: str, about: Mapping[str, Any], webhook: int | None = None) -> int:
        """Put a message to every webhook that wants this kind, or to one; returns how many."""
        now = self._connections.now()
        return self._connections.write(lambda connection: outbox.put(connection, kind, about, now, webhook))

    def due(self, limit: int) -> list[Message]:
        """The messages that are to be tried now, the oldest first."""
        o = t.outbox.c
        query = (
            select(t.outbox, *(column.label(f"hook_{column.name}") for column in t.webhooks.columns))
            .join(t.webhooks, t.webhooks.c.id == o.webhook_id)
            .where(o.due <= self._connections.now())
            .order_by(o.due, o.id)
            .limit(limit)
        )
        with self._connections.readers.connect() as connection:
            rows = connection.execute(query).all()
        return [
            Message(row.id, row.message, _webhook(row, "hook_"), row.kind, row.about, row.created, row.attempts)
            for row in rows
        ]

    def settle(self, message: Message, error: str, again_after_ms: int | None = None) -> None:
        """A message was tried: delivered without an `error`; with one it is tried again after a while, or given up."""
        now = self._connections.now()
        due = None if not error or again_after_ms is None else now + again_after_ms
        values = {
            **{"attempts": message.attempts + 1, "error": plain(error), "due": due},
            "delivered": None if error else now,
        }

        def work(connection: Connection) -> None:
            o = t.outbox.c
            connection.execute(update(t.outbox).where(o.id == message.number).values(values))
            connection.execute(delete(t.outbox).where(o.due.is_(None), o.created < now - KEPT_MS))

        self._connections.write_beside(work)

    def messages(self, name: str) -> list[dict[str, Any]]:
        """What became of the messages to a webhook, the latest first."""
        found = self.get(name)
        o = t.outbox.c
        query = select(o.message, o.kind, o.created, o.attempts, o.due, o.delivered, o.error)
        with self._connections.readers.connect() as connection:
            rows = connection.execute(query.where(o.webhook_id == found.id).order_by(o.id.desc()).limit(50))
            return [dict(row._mapping) for row in rows]


def _tell(connection: Connection, name: str, url: str, what: str, now: int, **more: str) -> None:
    told = journal.entry("webhook", now, name=name, host=urlsplit(url).hostname or "", what=what, **more)
    journal.append(connection, journal.INSTALLATION, [told])


def _tell_added(connection: Connection, name: str, now: int) -> None:
    row = connection.execute(select(t.webhooks).where(t.webhooks.c.name == name)).one()
    _tell(connection, name, row.url, "added", now, sha256=row_digest(row._asdict()))


def row_digest(row: Mapping[str, Any]) -> str:
    """The SHA-256 of a row of the table: all columns by name, as JSON. The secrets in it cannot be read from it."""
    return hashlib.sha256(json.dumps(dict(row), sort_keys=True).encode()).hexdigest()


def _named(connection: Connection, name: str) -> Webhook:
    row = connection.execute(select(t.webhooks).where(t.webhooks.c.name == plain(name))).first()
    if row is None:
        raise Unknown(f"there is no webhook named {name}: 'referee webhook list' shows them")
    return _webhook(row)


def _webhook(row: Row[Any], prefix: str = "") -> Webhook:
    told = row._mapping
    values = {name: told[f"{prefix}{name}"] for name in ("id", "name", "url", "secret", "form", "created")}
    return Webhook(kinds=tuple(told[f"{prefix}kinds"]), **values)
