"""Bots in the store: registered once, known by a token of which only the hash is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from referee import names
from referee.store import journal
from referee.store import tables as t
from referee.store.connections import Connections, plain
from referee.store.damage import damaged, sound
from referee.store.errors import NameTaken, NotAllowed, Refused, Unknown
from referee.store.values import Bot, BotCredentials, BotKind, NewBot

KINDS = frozenset(kind.value for kind in BotKind)


class Bots:
    """The register of bots."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def add(self, name: str, kind: BotKind = BotKind.REMOTE, note: str = "") -> NewBot:
        """Register a bot. A remote bot gets a token, which is shown here and never again."""
        check_new(name, kind)
        token = new_token() if kind is BotKind.REMOTE else None
        now = self._connections.now()
        # A house bot is registered when it is first named, before what it is named for is done.
        write = self._connections.write if kind is BotKind.REMOTE else self._connections.write_beside
        return NewBot(write(lambda it: register(it, name, kind, plain(note), token, now)), token)

    def ensure_house(self, name: str, note: str = "") -> Bot:
        """The house bot of that name, registered now if it was not yet."""
        found = self.find(name)
        if found is None:
            try:
                return self.add(name, BotKind.HOUSE, note).bot
            except NameTaken:
                found = self.get(name)
        if found.kind is not BotKind.HOUSE:
            raise NameTaken(f"{name} is the name of a remote bot: give the house bot another name")
        return found

    def all(self) -> list[Bot]:
        """All bots by name."""
        with self._connections.readers.connect() as connection:
            return [_bot(row) for row in connection.execute(select(t.bots).order_by(t.bots.c.name))]

    def passes(self) -> list[BotCredentials]:
        """What lets each bot in, for who checks tokens without asking here every time."""
        c = t.bots.c
        query = select(c.name, c.kind, c.token_hash, c.rotated, c.revoked)
        with self._connections.readers.connect() as connection:
            return [BotCredentials(name, BotKind(kind), *rest) for name, kind, *rest in connection.execute(query)]

    def find(self, name: str) -> Bot | None:
        with self._connections.readers.connect() as connection:
            row = _find(connection, name)
            return None if row is None else _bot(row)

    def get(self, name: str) -> Bot:
        """The bot of that name; unknown names are refused."""
        found = self.find(name)
        if found is None:
            raise Unknown(f"there is no bot named {name}: 'referee bot list' shows all")
        return found

    def revoke(self, name: str) -> Bot:
        """Shut a bot out: its token is worth nothing from now on. A second time changes nothing."""
        now = self._connections.now()

        def work(connection: Connection) -> Bot:
            bot = named_bot(connection, name)
            if bot.kind is not BotKind.REMOTE:
                raise NotAllowed(f"{name} is a house bot: it has no token, and plays only where it is named")
            if bot.revoked is None:
                connection.execute(update(t.bots).where(t.bots.c.id == bot.id).values(revoked=now))
                _note(connection, name, now)
            return named_bot(connection, name)

        return self._connections.write(work)

    def rotate(self, name: str) -> NewBot:
        """Give a bot a new token in place of the old one; a bot that was shut out is let in again."""
        token = new_token()
        values = {"token_hash": token_hash(token), "rotated": self._connections.now(), "revoked": None}

        def work(connection: Connection) -> Bot:
            bot = named_bot(connection, name)
            if bot.kind is not BotKind.REMOTE:
                raise NotAllowed(f"{name} is a house bot and needs no token")
            connection.execute(update(t.bots).where(t.bots.c.id == bot.id).values(values))
            _note(connection, name, values["rotated"])
            return named_bot(connection, name)

        return NewBot(self._connections.write(work), token)

    def authenticate(self, token: str) -> Bot | None:
        """The bot whose token this is, or None; the time taken tells nothing about the tokens there are."""
        given = token_hash(token)
        with self._connections.readers.connect() as connection:
            row = connection.execute(select(t.bots).where(t.bots.c.token_hash == given)).first()
        known = given if row is None else row.token_hash
        same = hmac.compare_digest(known, given)
        return _bot(row) if same and row is not None and row.revoked is None else None


def check_new(name: str, kind: BotKind = BotKind.REMOTE) -> None:
    """Refused if no new bot may have that name."""
    if (why := names.trouble(name, "a bot's name")) is not None:
        raise Refused(why)
    if kind is BotKind.REMOTE and "," in name:
        raise Refused(f"a bot's name has no comma, for bots are listed with commas between them: {name!r}")


def register(connection: Connection, name: str, kind: BotKind, note: str, token: str | None, now: int) -> Bot:
    """Register a bot inside the caller's transaction; NameTaken if there is one of that name, or one that looks so."""
    if _find(connection, name) is not None:
        raise NameTaken(f"a bot named {name} exists already: choose another name")
    if kind is BotKind.REMOTE and (alike := _alike(connection, name)) is not None:
        raise NameTaken(f"{name} looks like {alike}, which is the name of a bot already: choose another name")
    row = {
        **{"name": name, "kind": kind.value, "note": note, "created": now},
        "token_hash": None if token is None else token_hash(token),
    }
    connection.execute(insert(t.bots).values(row))
    _note(connection, name, now)
    return named_bot(connection, name)


def token_hash(token: str) -> str:
    """What is kept of a token: its SHA-256, in hex. The token is 256 random bits, so no salt is needed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def check_name(name: str, what: str) -> None:
    """Of a name that was given before: it may be older than the rule for new ones, but has to be printable."""
    if not 1 <= len(name) <= names.LONGEST_NAME or not name.isprintable() or name != name.strip():
        raise Refused(f"{what} has 1 to {names.LONGEST_NAME} printable characters, no space at either end: {name!r}")


def new_token() -> str:
    """256 random bits."""
    # Hex, so that it never starts with a dash and survives every shell and every copy and paste.
    return secrets.token_hex(32)


def _note(connection: Connection, name: str, now: Any) -> None:
    """A bot was registered or changed: the journal keeps all that is known of it."""
    row = _find(connection, name)
    assert row is not None
    journal.append(connection, journal.INSTALLATION, [journal.entry("bot", now, bot=dict(row._mapping))])


def _find(connection: Connection, name: str) -> Row[Any] | None:
    return connection.execute(select(t.bots).where(t.bots.c.name == plain(name))).first()


def _alike(connection: Connection, name: str) -> str | None:
    """A bot whose name can be taken for this one."""
    looks = names.skeletons(name)
    known = connection.scalars(select(t.bots.c.name))
    return next((one for one in known if not looks.isdisjoint(names.skeletons(one))), None)


def named_bot(connection: Connection, name: str) -> Bot:
    row = _find(connection, name)
    if row is None:
        raise Unknown(f"there is no bot named {name}: 'referee bot list' shows all")
    return _bot(row)


def _bot(row: Row[Any]) -> Bot:
    if sound(t.bots, row).kind not in KINDS:
        raise damaged(t.bots, row, "kind", row.kind)
    return Bot(row.id, row.name, BotKind(row.kind), row.note, row.created, row.rotated, row.revoked)
