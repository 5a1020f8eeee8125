"""Invitations in the store: codes that become a bot and its token exactly once; only their hashes are kept.

A code has 100 random bits, so it cannot be guessed and its hash needs no salt. It is written in 32 characters of which
no two look alike, and read whatever the case and the dashes.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from referee.store import journal
from referee.store import tables as t
from referee.store.bots import check_new, new_token, register, token_hash
from referee.store.connections import Connections, plain
from referee.store.damage import sound
from referee.store.errors import NotAllowed, Refused, Unknown
from referee.store.values import BotKind, NewBot

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
GROUPS, GROUP = 4, 5
MOST_AT_ONCE = 10_000
_LOOK_ALIKES = str.maketrans("OIL", "011")


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation by its number; the code is not kept."""

    number: int
    note: str
    made_by: str
    created: int
    expires: int | None
    revoked: int | None
    redeemed: int | None
    bot: str
    """The bot that came of it; empty as long as none did."""

    def state(self, now: int) -> str:
        """`open`, `redeemed`, `revoked` or `expired` at that time."""
        if self.redeemed is not None:
            return "redeemed"
        if self.revoked is not None:
            return "revoked"
        return "expired" if self.expires is not None and self.expires <= now else "open"


@dataclass(frozen=True, slots=True)
class NewInvitation:
    """An invitation with its code, which is shown once."""

    invitation: Invitation
    code: str


class Invitations:
    """All invitations of an installation."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def create(
        self, count: int, made_by: str, seconds: float | None = None, notes: Sequence[str] = ()
    ) -> list[NewInvitation]:
        """So many new ones, which expire after these seconds; `notes` say for whom each is, in their order."""
        if not 1 <= count <= MOST_AT_ONCE:
            raise Refused(f"{count:,} invitations at once cannot be made: ask for 1 to {MOST_AT_ONCE:,}")
        now = self._connections.now()
        codes = [new_code() for _ in range(count)]
        common = {
            **{"made_by": plain(made_by), "created": now},
            "expires": None if seconds is None else now + round(seconds * 1000),
        }
        rows = [
            {**common, "code_hash": code_hash(code), "note": plain(notes[place]) if place < len(notes) else ""}
            for place, code in enumerate(codes)
        ]

        def work(connection: Connection) -> list[Invitation]:
            connection.execute(insert(t.invitations), rows)
            c = t.invitations.c
            wanted = [row["code_hash"] for row in rows]
            stored = {row.code_hash: row for row in _select(connection, c.code_hash.in_(wanted))}
            made = [stored[one] for one in wanted]
            _note(connection, c.id.in_([row.id for row in made]), now)
            return [_invitation(row) for row in made]

        made = self._connections.write(work)
        return [NewInvitation(one, code) for one, code in zip(made, codes, strict=True)]

    def all(self) -> list[Invitation]:
        """The oldest first."""
        with self._connections.readers.connect() as connection:
            return [_invitation(row) for row in _select(connection)]

    def known(self, code: str) -> bool:
        """Whether there is an invitation of this code, in whatever state: a look that writes nothing."""
        with self._connections.readers.connect() as connection:
            query = select(t.invitations.c.id).where(t.invitations.c.code_hash == code_hash(code))
            return connection.execute(query).first() is not None

    def redeem(self, code: str, name: str) -> NewBot:
        """Turn an invitation into a bot of that name and its token, in one transaction: it works once."""
        check_new(name)
        token, now, given = new_token(), self._connections.now(), code_hash(code)
        c = t.invitations.c

        def work(connection: Connection) -> NewBot:
            row = next(iter(_select(connection, c.code_hash == given)), None)
            if row is None:
                raise Unknown("there is no such invitation: check the code, or ask the host for a new one")
            if (state := _invitation(row).state(now)) != "open":
                raise NotAllowed(f"{_CLOSED[state]}: ask the host for a new one")
            bot = register(connection, name, BotKind.REMOTE, "", token, now)
            values = {"redeemed": now, "bot_id": bot.id}
            # Another program may have been quicker: then no row is left to change, and the bot is not registered.
            open_ = (c.id == row.id) & c.redeemed.is_(None) & c.revoked.is_(None)
            if connection.execute(update(t.invitations).where(open_).values(values)).rowcount != 1:
                raise NotAllowed(f"{_CLOSED['redeemed']}: ask the host for a new one")
            _note(connection, c.id == row.id, now)
            return NewBot(bot, token)

        return self._connections.write(work)

    def revoke(self, numbers: Sequence[int]) -> list[Invitation]:
        """Make open invitations void; refused as a whole if one of them cannot be."""
        now = self._connections.now()
        c = t.invitations.c

        def work(connection: Connection) -> list[Invitation]:
            stored = {row.id: _invitation(row) for row in _select(connection)}
            for number in numbers:
                if number not in stored:
                    raise Unknown(f"there is no invitation {number}: 'referee invite list' shows all")
                if (state := stored[number].state(now)) == "redeemed":
                    raise NotAllowed(
                        f"invitation {number} became the bot {stored[number].bot}: 'referee bot revoke' shuts it out"
                    )
                if state == "revoked":
                    raise NotAllowed(f"invitation {number} is revoked already")
            chosen = c.id.in_(list(numbers)) & c.redeemed.is_(None)
            connection.execute(update(t.invitations).where(chosen).values(revoked=now))
            _note(connection, c.id.in_(list(numbers)), now)
            return [_invitation(row) for row in _select(connection, c.id.in_(list(numbers)))]

        return self._connections.write(work)


_CLOSED = {
    "redeemed": "this invitation has been used",
    "revoked": "this invitation was taken back",
    "expired": "this invitation has expired",
}


def new_code() -> str:
    """A code as people read it: `7Q2KM-…`, four groups of five characters."""
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP)) for _ in range(GROUPS))
    return "-".join(groups)


def code_hash(code: str) -> str:
    """What is kept of a code: the SHA-256 of its characters, whatever the case, the dashes and the link around it."""
    bare = code.rsplit("#", 1)[-1].upper().translate(_LOOK_ALIKES)
    return token_hash("".join(letter for letter in bare if letter in ALPHABET))


def _select(connection: Connection, *which: Any) -> Sequence[Row[Any]]:
    c = t.invitations.c
    query = select(t.invitations, t.bots.c.name.label("bot")).outerjoin(t.bots, t.bots.c.id == c.bot_id)
    return connection.execute(query.where(*which).order_by(c.id)).all()


def _note(connection: Connection, which: Any, now: int) -> None:
    rows = connection.execute(select(t.invitations).where(which).order_by(t.invitations.c.id)).all()
    entries = [journal.entry("invitation", now, invitation=dict(row._mapping)) for row in rows]
    journal.append(connection, journal.INSTALLATION, entries)


def _invitation(row: Row[Any]) -> Invitation:
    one = sound(t.invitations, row)
    return Invitation(one.id, one.note, one.made_by, one.created, one.expires, one.revoked, one.redeemed, row.bot or "")
