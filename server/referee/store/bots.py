"""Bots: registered once, known by a token of which only the hash is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from referee.store import tables as t
from referee.store.connections import Desk, plain
from referee.store.errors import NameTaken, NotAllowed, Refused, Unknown
from referee.store.values import Bot, BotKind, BotPass, BotVersion, NewBot

LONGEST_NAME = 64


class Bots:
    """The register of bots."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def add(self, name: str, kind: BotKind = BotKind.REMOTE, note: str = "") -> NewBot:
        """Register a bot. A remote bot gets a token, which is shown here and never again."""
        check_name(name, "A bot's name")
        if kind is BotKind.REMOTE and "," in name:
            raise Refused(f"A bot's name has no comma, for bots are listed with commas between them: {name!r}.")
        token = _new_token() if kind is BotKind.REMOTE else None
        row = {
            "name": name,
            "kind": kind.value,
            "note": plain(note),
            "token_hash": None if token is None else token_hash(token),
            "created": self._desk.now(),
        }

        def work(connection: Connection) -> Bot:
            if _find(connection, name) is not None:
                raise NameTaken(f"A bot named {name} exists already: choose another name.")
            connection.execute(insert(t.bots).values(row))
            return _named(connection, name)

        return NewBot(self._desk.write(work), token)

    def ensure_house(self, name: str, note: str = "") -> Bot:
        """The house bot of that name, registered now if it was not yet."""
        found = self.find(name)
        if found is None:
            try:
                return self.add(name, BotKind.HOUSE, note).bot
            except NameTaken:
                found = self.get(name)
        if found.kind is not BotKind.HOUSE:
            raise NameTaken(f"{name} is the name of a remote bot: give the house bot another name.")
        return found

    def all(self) -> list[Bot]:
        """All bots by name."""
        with self._desk.readers.connect() as connection:
            return [_bot(row) for row in connection.execute(select(t.bots).order_by(t.bots.c.name))]

    def passes(self) -> list[BotPass]:
        """What lets each bot in, for who checks tokens without asking here every time."""
        c = t.bots.c
        query = select(c.name, c.kind, c.token_hash, c.rotated, c.revoked)
        with self._desk.readers.connect() as connection:
            return [BotPass(name, BotKind(kind), *rest) for name, kind, *rest in connection.execute(query)]

    def find(self, name: str) -> Bot | None:
        with self._desk.readers.connect() as connection:
            row = _find(connection, name)
            return None if row is None else _bot(row)

    def get(self, name: str) -> Bot:
        """The bot of that name; unknown names are refused."""
        found = self.find(name)
        if found is None:
            raise Unknown(f"There is no bot named {name}: register it first.")
        return found

    def revoke(self, name: str) -> Bot:
        """Shut a bot out: its token is worth nothing from now on. A second time changes nothing."""
        now = self._desk.now()

        def work(connection: Connection) -> Bot:
            bot = _named(connection, name)
            if bot.kind is not BotKind.REMOTE:
                raise NotAllowed(f"{name} is a house bot: it has no token, and plays only where it is named.")
            if bot.revoked is None:
                connection.execute(update(t.bots).where(t.bots.c.id == bot.id).values(revoked=now))
            return _named(connection, name)

        return self._desk.write(work)

    def rotate(self, name: str) -> NewBot:
        """Give a bot a new token in place of the old one; a bot that was shut out is let in again."""
        token = _new_token()
        values = {"token_hash": token_hash(token), "rotated": self._desk.now(), "revoked": None}

        def work(connection: Connection) -> Bot:
            bot = _named(connection, name)
            if bot.kind is not BotKind.REMOTE:
                raise NotAllowed(f"{name} is a house bot and needs no token.")
            connection.execute(update(t.bots).where(t.bots.c.id == bot.id).values(values))
            return _named(connection, name)

        return NewBot(self._desk.write(work), token)

    def authenticate(self, token: str) -> Bot | None:
        """The bot whose token this is, or None; the time taken tells nothing about the tokens there are."""
        given = token_hash(token)
        with self._desk.readers.connect() as connection:
            row = connection.execute(select(t.bots).where(t.bots.c.token_hash == given)).first()
        known = given if row is None else row.token_hash
        same = hmac.compare_digest(known, given)
        return _bot(row) if same and row is not None and row.revoked is None else None

    def add_version(self, name: str, label: str, digest: str) -> BotVersion:
        """Note a build of a bot. The same build again is found, not doubled; a label stands for one digest."""
        now = self._desk.now()
        versions = t.bot_versions

        def work(connection: Connection) -> BotVersion:
            bot = _named(connection, name)
            query = select(versions).where(versions.c.bot_id == bot.id, versions.c.label == plain(label))
            row = connection.execute(query).first()
            if row is None:
                values = {"bot_id": bot.id, "label": plain(label), "digest": plain(digest), "created": now}
                connection.execute(insert(versions).values(values))
                row = connection.execute(query).one()
            if row.digest != plain(digest):
                raise NameTaken(f"Version {label} of {name} has other contents: give this one another label.")
            return _version(row)

        return self._desk.write(work)

    def versions(self, name: str) -> list[BotVersion]:
        """The builds of a bot, oldest first."""
        versions = t.bot_versions
        with self._desk.readers.connect() as connection:
            bot = _named(connection, name)
            query = select(versions).where(versions.c.bot_id == bot.id).order_by(versions.c.id)
            return [_version(row) for row in connection.execute(query)]


def token_hash(token: str) -> str:
    """What is kept of a token: its SHA-256, in hex. The token is 256 random bits, so no salt is needed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def check_name(name: str, what: str) -> None:
    """Names are shown on screens and typed in shells: 1 to 64 printable characters, no space at either end."""
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise Refused(f"{what} has 1 to {LONGEST_NAME} printable characters, no space at either end: {name!r}.")


def _new_token() -> str:
    # Hex, so that it never starts with a dash and survives every shell and every copy and paste.
    return secrets.token_hex(32)


def _find(connection: Connection, name: str) -> Row[Any] | None:
    return connection.execute(select(t.bots).where(t.bots.c.name == plain(name))).first()


def _named(connection: Connection, name: str) -> Bot:
    row = _find(connection, name)
    if row is None:
        raise Unknown(f"There is no bot named {name}: register it first.")
    return _bot(row)


def _bot(row: Row[Any]) -> Bot:
    return Bot(row.id, row.name, BotKind(row.kind), row.note, row.created, row.rotated, row.revoked)


def _version(row: Row[Any]) -> BotVersion:
    return BotVersion(row.id, row.bot_id, row.label, row.digest, row.created)
