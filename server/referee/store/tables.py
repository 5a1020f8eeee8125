"""The database tables (schema), as SQLModel classes; `migrations/` creates the same ones, and a test compares the two.

Queries use the Core tables named at the end of the file: storing objects one by one is fifty times slower.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import registry
from sqlmodel import Field, SQLModel

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Blob(LargeBinary):
    """Bytes, handed out as they are stored: what is wrong with them is told by `damage.py`, not by a conversion."""

    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> None:
        return None


class Row(SQLModel, registry=registry(metadata=MetaData(naming_convention=NAMES))):
    """The base of all tables, with a metadata of its own so that no other SQLModel mixes in."""


class BotRow(Row, table=True):
    """A registered bot. The token itself is never stored, only its SHA-256."""

    __tablename__ = "bots"
    __table_args__ = (
        UniqueConstraint("name"),
        UniqueConstraint("token_hash"),
        CheckConstraint("kind IN ('house', 'remote')", name="kind"),
    )

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(sa_type=String)
    kind: str = Field(sa_type=String)
    note: str = Field(sa_type=String)
    token_hash: str | None = Field(default=None, sa_type=String)
    created: int = Field(sa_type=BigInteger)
    rotated: int | None = Field(default=None, sa_type=BigInteger)
    revoked: int | None = Field(default=None, sa_type=BigInteger)


class VersionRow(Row, table=True):
    """One submission of a bot: `label` is its number, `digest` the SHA-256 of its files, `log` what its trial wrote."""

    __tablename__ = "bot_versions"
    __table_args__ = (UniqueConstraint("bot_id", "label"),)

    id: int | None = Field(default=None, primary_key=True)
    bot_id: int = Field(foreign_key="bots.id")
    label: str = Field(sa_type=String)
    digest: str = Field(sa_type=String)
    created: int = Field(sa_type=BigInteger)
    # Added to a table that was there: SQLite wants to know what older rows would have.
    state: str = Field(sa_type=String, sa_column_kwargs={"server_default": text("''")})
    reason: str = Field(sa_type=String, sa_column_kwargs={"server_default": text("''")})
    log: str = Field(sa_type=String, sa_column_kwargs={"server_default": text("''")})
    files: int = Field(sa_column_kwargs={"server_default": "0"})
    size: int = Field(sa_type=BigInteger, sa_column_kwargs={"server_default": "0"})
    settled: int | None = Field(default=None, sa_type=BigInteger)


class AdminRow(Row, table=True):
    """A person who may do some of what the host may. The token itself is never stored, only its SHA-256."""

    __tablename__ = "admins"
    __table_args__ = (
        UniqueConstraint("name"),
        UniqueConstraint("token_hash"),
        CheckConstraint("role IN ('host', 'helper', 'spectator')", name="role"),
    )

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(sa_type=String)
    role: str = Field(sa_type=String)
    token_hash: str | None = Field(default=None, sa_type=String)
    created: int = Field(sa_type=BigInteger)
    rotated: int | None = Field(default=None, sa_type=BigInteger)
    removed: int | None = Field(default=None, sa_type=BigInteger)


class InvitationRow(Row, table=True):
    """A code that becomes a bot and its token, once. The code itself is never stored, only its SHA-256."""

    __tablename__ = "invitations"
    __table_args__ = (UniqueConstraint("code_hash"),)

    id: int | None = Field(default=None, primary_key=True)
    code_hash: str = Field(sa_type=String)
    note: str = Field(sa_type=String)
    made_by: str = Field(sa_type=String)
    created: int = Field(sa_type=BigInteger)
    expires: int | None = Field(default=None, sa_type=BigInteger)
    revoked: int | None = Field(default=None, sa_type=BigInteger)
    redeemed: int | None = Field(default=None, sa_type=BigInteger)
    bot_id: int | None = Field(default=None, foreign_key="bots.id")


class TournamentRow(Row, table=True):
    """A tournament, its settings and its sealed root."""

    __tablename__ = "tournaments"
    __table_args__ = (
        UniqueConstraint("name"),
        CheckConstraint("state IN ('created', 'running', 'paused', 'finished', 'cancelled')", name="state"),
    )

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(sa_type=String)
    game: str = Field(sa_type=String)
    game_version: str = Field(sa_type=String)
    players: int
    settings: dict[str, Any] = Field(sa_type=JSON)
    state: str = Field(sa_type=String)
    commitment: str = Field(sa_type=String)
    root: bytes = Field(sa_type=Blob)
    revealed: bool = False
    seed_text: str | None = Field(default=None, sa_type=String)
    salt: bytes | None = Field(default=None, sa_type=Blob)
    created: int = Field(sa_type=BigInteger)
    started: int | None = Field(default=None, sa_type=BigInteger)
    finished: int | None = Field(default=None, sa_type=BigInteger)


class EntrantRow(Row, table=True):
    """A bot in a tournament, under the name and the number it has there."""

    __tablename__ = "entrants"
    __table_args__ = (
        UniqueConstraint("tournament_id", "position"),
        UniqueConstraint("tournament_id", "name"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: int = Field(foreign_key="tournaments.id")
    position: int
    bot_id: int = Field(foreign_key="bots.id")
    version_id: int | None = Field(default=None, foreign_key="bot_versions.id")
    name: str = Field(sa_type=String)
    joined: int = Field(sa_type=BigInteger)


class NonceRow(Row, table=True):
    """An entrant's part in a draw of nonces: what it committed itself to, and its nonce, empty if it was not told."""

    __tablename__ = "nonces"
    __table_args__ = (UniqueConstraint("tournament_id", "draw", "entrant_id"),)

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: int = Field(foreign_key="tournaments.id")
    draw: int
    first_ordinal: int
    entrant_id: int = Field(foreign_key="entrants.id")
    commitment: str = Field(sa_type=String)
    nonce: str = Field(sa_type=String)


class MatchRow(Row, table=True):
    """A match; tournament, round, table and ordinal are null in practice."""

    __tablename__ = "matches"
    __table_args__ = (
        UniqueConstraint("tournament_id", "ordinal"),
        Index(None, "tournament_id", "state", "ordinal"),
        Index(None, "tournament_id", "finished"),
        CheckConstraint("state IN ('scheduled', 'playing', 'finished', 'absent', 'void')", name="state"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament_id: int | None = Field(default=None, foreign_key="tournaments.id")
    ordinal: int | None = None
    round: int | None = None
    table_number: int | None = None
    game: str = Field(sa_type=String)
    game_version: str = Field(sa_type=String)
    players: int
    settings: dict[str, Any] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    state: str = Field(sa_type=String)
    attempt: int = 1
    seed: str | None = Field(default=None, sa_type=String)
    reason: str = Field(default="", sa_type=String)
    created: int = Field(sa_type=BigInteger)
    started: int | None = Field(default=None, sa_type=BigInteger)
    finished: int | None = Field(default=None, sa_type=BigInteger)


class SeatRow(Row, table=True):
    """A seat of a match; one row per seat, written with the schedule and filled in with the result.

    `version` is that of the submitted bot that played; null for a house bot and for a bot that was connected.
    """

    __tablename__ = "seats"
    # Found by match and seat only: without a row number of its own, SQLite looks once instead of twice.
    __table_args__ = ({"sqlite_with_rowid": False},)

    match_id: int = Field(sa_column=Column(Integer, ForeignKey("matches.id"), primary_key=True, autoincrement=False))
    seat: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    entrant_id: int | None = Field(default=None, foreign_key="entrants.id")
    bot_id: int = Field(foreign_key="bots.id", index=True)
    name: str | None = Field(default=None, sa_type=String)
    rank: int | None = None
    score: int | None = Field(default=None, sa_type=BigInteger)
    fault: str | None = Field(default=None, sa_type=String)
    strikes: int = 0
    decisions: int = 0
    time_ms: int = Field(default=0, sa_type=BigInteger)
    version: int | None = None


class RecordRow(Row, table=True):
    """The record of a finished match: zlib-compressed, with the SHA-256 and the size of what was compressed.

    `packed_crc` is the CRC-32 of `body`: several bodies unpack to the same record, and none may be changed unnoticed.
    """

    __tablename__ = "records"

    match_id: int = Field(sa_column=Column(Integer, ForeignKey("matches.id"), primary_key=True, autoincrement=False))
    body: bytes = Field(sa_type=Blob)
    sha256: str = Field(sa_type=String)
    size: int
    packed_crc: int | None = Field(default=None, sa_type=BigInteger)


class BotLogRow(Row, table=True):
    """What a hosted bot wrote to stderr during a match: zlib-compressed; the SHA-256 is of match, seat and content.

    For the bot's author and the host: part of no record and no export. The oldest are dropped when there are too many.
    """

    __tablename__ = "bot_logs"
    __table_args__ = ({"sqlite_with_rowid": False},)

    match_id: int = Field(sa_column=Column(Integer, ForeignKey("matches.id"), primary_key=True, autoincrement=False))
    seat: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    body: bytes = Field(sa_type=Blob)
    sha256: str = Field(sa_type=String)
    size: int


class RoundRow(Row, table=True):
    """A round that the format of a tournament drew while it ran; entrants are named by position, tables by order.

    `deals`: tables with the same number above 0 are played on the same deal.
    """

    __tablename__ = "rounds"
    __table_args__ = ({"sqlite_with_rowid": False},)

    tournament_id: int = Field(
        sa_column=Column(Integer, ForeignKey("tournaments.id"), primary_key=True, autoincrement=False)
    )
    number: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    first_ordinal: int
    stage: str = Field(sa_type=String)
    byes: list[int] = Field(sa_type=JSON)
    active: list[int] = Field(sa_type=JSON)
    reasons: list[str] = Field(sa_type=JSON)
    deals: list[int] = Field(sa_type=JSON)
    created: int = Field(sa_type=BigInteger)


class RulingRow(Row, table=True):
    """What the host decided about a bot or a match, with its reason and the matches that it concerned."""

    __tablename__ = "rulings"
    __table_args__ = (
        CheckConstraint("kind IN ('disqualified', 'withdrawn', 'returned', 'annulled', 'replayed')", name="kind"),
        {"sqlite_with_rowid": False},
    )

    tournament_id: int = Field(
        sa_column=Column(Integer, ForeignKey("tournaments.id"), primary_key=True, autoincrement=False)
    )
    number: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    kind: str = Field(sa_type=String)
    entrant_id: int | None = Field(default=None, foreign_key="entrants.id")
    ordinal: int | None = None
    reason: str = Field(sa_type=String)
    annulled: list[int] = Field(sa_type=JSON)
    aside: list[int] = Field(sa_type=JSON)
    created: int = Field(sa_type=BigInteger)


class SnapshotRow(Row, table=True):
    """A value computed from the results before a place in the schedule: zlib-compressed JSON (`snapshots.py`)."""

    __tablename__ = "snapshots"
    __table_args__ = (
        CheckConstraint("kind IN ('board', 'strengths', 'repeats', 'table')", name="kind"),
        {"sqlite_with_rowid": False},
    )

    tournament_id: int = Field(
        sa_column=Column(Integer, ForeignKey("tournaments.id"), primary_key=True, autoincrement=False)
    )
    kind: str = Field(sa_column=Column(String, primary_key=True))
    through: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    entrants: int
    finished: int
    aside: int
    rulings: int
    settings: str = Field(sa_type=String)
    journal_number: int
    journal_hash: str = Field(sa_type=String)
    body: bytes = Field(sa_type=Blob)
    sha256: str = Field(sa_type=String)


class MetaRow(Row, table=True):
    """Facts about the installation, such as the hash of the admin's token."""

    __tablename__ = "meta"

    key: str = Field(sa_type=String, primary_key=True)
    value: str = Field(sa_type=String)


class JournalRow(Row, table=True):
    """An entry of a hash chain (`journal.py`); chain 0 belongs to no tournament."""

    __tablename__ = "journal"
    __table_args__ = ({"sqlite_with_rowid": False},)

    chain: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    number: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    entry: str = Field(sa_type=String)
    hash: str = Field(sa_type=String)


class WebhookRow(Row, table=True):
    """Where the host is told what happens: `secret` signs what is sent, `form` is how it is written."""

    __tablename__ = "webhooks"
    __table_args__ = (UniqueConstraint("name"),)

    id: int | None = Field(default=None, primary_key=True)
    name: str = Field(sa_type=String)
    url: str = Field(sa_type=String)
    secret: str = Field(sa_type=String)
    form: str = Field(sa_type=String)
    kinds: list[str] = Field(sa_type=JSON)
    created: int = Field(sa_type=BigInteger)


class OutboxRow(Row, table=True):
    """A message to a webhook: `due` is when it is tried next, null once it is delivered or given up."""

    __tablename__ = "outbox"
    __table_args__ = (UniqueConstraint("message"), Index(None, "due"))

    id: int | None = Field(default=None, primary_key=True)
    webhook_id: int = Field(foreign_key="webhooks.id")
    message: str = Field(sa_type=String)
    kind: str = Field(sa_type=String)
    about: dict[str, Any] = Field(sa_type=JSON)
    created: int = Field(sa_type=BigInteger)
    attempts: int
    due: int | None = Field(default=None, sa_type=BigInteger)
    delivered: int | None = Field(default=None, sa_type=BigInteger)
    error: str = Field(sa_type=String)


metadata = Row.metadata
bots: Table = metadata.tables["bots"]
bot_versions: Table = metadata.tables["bot_versions"]
admins: Table = metadata.tables["admins"]
invitations: Table = metadata.tables["invitations"]
tournaments: Table = metadata.tables["tournaments"]
entrants: Table = metadata.tables["entrants"]
nonces: Table = metadata.tables["nonces"]
matches: Table = metadata.tables["matches"]
seats: Table = metadata.tables["seats"]
records: Table = metadata.tables["records"]
bot_logs: Table = metadata.tables["bot_logs"]
rounds: Table = metadata.tables["rounds"]
rulings: Table = metadata.tables["rulings"]
snapshots: Table = metadata.tables["snapshots"]
meta: Table = metadata.tables["meta"]
journal: Table = metadata.tables["journal"]
webhooks: Table = metadata.tables["webhooks"]
outbox: Table = metadata.tables["outbox"]
