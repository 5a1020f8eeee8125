"""Versions of submitted bots in the store: numbered per bot, with their digest, what became of them, and their log.

Of each bot at most one version is active: the one that plays. Every change is an entry of the journal, which has the
SHA-256 of the log in place of the log.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, case, func, insert, select, update

from referee.store import journal
from referee.store import tables as t
from referee.store.connections import Connections, plain
from referee.store.damage import damaged, sound
from referee.store.errors import NotAllowed, Unknown


class VersionState(StrEnum):
    """Where a version stands."""

    TESTING = "testing"
    """It waits for its trial, or is being built and examined."""
    ACTIVE = "active"
    """It plays."""
    REFUSED = "refused"
    """It did not pass; for good."""
    REPLACED = "replaced"
    """Another version plays in its place; it may be made active again."""
    RETIRED = "retired"
    """Its author took it back; it may be made active again."""


STATES = frozenset(state.value for state in VersionState)


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A submission of a bot; `number` counts from 1 per bot. The log is read on its own."""

    id: int
    bot: int
    bot_name: str
    number: int
    digest: str
    state: VersionState
    reason: str
    """Why it was refused or taken back; empty otherwise."""
    files: int
    size: int
    created: int
    settled: int | None
    """When it came to its state; None while it is being tested."""
    log: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class VersionResults:
    """How a version has done, over all finished matches; `ranks` is the sum of its ranks."""

    matches: int = 0
    wins: int = 0
    ranks: int = 0
    faults: int = 0


class Versions:
    """The versions of all bots."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def add(self, bot: int, digest: str, files: int, size: int) -> BotVersion:
        """A new submission of a bot, under the next number; refused while another one is being tested."""
        now = self._connections.now()

        def work(connection: Connection) -> BotVersion:
            before = _select(connection, t.bot_versions.c.bot_id == bot)
            if testing := next((one for one in before if one.state is VersionState.TESTING), None):
                raise NotAllowed(f"version {testing.number} is still being tested: submit again when that is done")
            number = max((one.number for one in before), default=0) + 1
            values = {
                **{"bot_id": bot, "label": str(number), "digest": digest, "created": now},
                **{"state": VersionState.TESTING.value, "reason": "", "files": files, "size": size, "log": ""},
            }
            connection.execute(insert(t.bot_versions).values(values))
            return _told(connection, bot, [number], now)[0]

        return self._connections.write(work)

    def activate(self, bot: int, number: int, log: str | None = None) -> BotVersion:
        """Make a version the one that plays, in place of the one that does; `log` if it comes from its trial."""
        now = self._connections.now()

        def work(connection: Connection) -> BotVersion:
            chosen = _get(connection, bot, number)
            if chosen.state is VersionState.REFUSED:
                raise NotAllowed(f"version {number} was refused: {chosen.reason}")
            if chosen.state is VersionState.TESTING and log is None:
                raise NotAllowed(f"version {number} is still being tested")
            if chosen.state is VersionState.ACTIVE:
                return chosen
            c = t.bot_versions.c
            playing = _select(connection, c.bot_id == bot, c.state == VersionState.ACTIVE.value)
            for one in playing:
                _settle(connection, one, VersionState.REPLACED, f"version {number} plays in its place", now)
            _settle(connection, chosen, VersionState.ACTIVE, "", now, log)
            return _told(connection, bot, [*(one.number for one in playing), number], now)[-1]

        return self._connections.write(work)

    def refuse(self, bot: int, number: int, reason: str, log: str) -> BotVersion:
        """A version did not pass its trial."""
        now = self._connections.now()

        def work(connection: Connection) -> BotVersion:
            chosen = _get(connection, bot, number)
            if chosen.state is not VersionState.TESTING:
                raise NotAllowed(f"version {number} is {chosen.state}, and is not being tested")
            _settle(connection, chosen, VersionState.REFUSED, reason, now, log)
            return _told(connection, bot, [number], now)[0]

        return self._connections.write(work)

    def retire(self, bot: int, reason: str = "") -> BotVersion:
        """Take the active version back: the bot plays here no longer, unless it connects."""
        now = self._connections.now()

        def work(connection: Connection) -> BotVersion:
            c = t.bot_versions.c
            playing = _select(connection, c.bot_id == bot, c.state == VersionState.ACTIVE.value)
            if not playing:
                raise NotAllowed("no version of this bot is active")
            _settle(connection, playing[0], VersionState.RETIRED, reason, now)
            return _told(connection, bot, [playing[0].number], now)[0]

        return self._connections.write(work)

    def bench(self, bot: str) -> None:
        """Keep that a bot has kept crashing and forfeits its matches for a while: the server decided so by itself."""
        told = journal.entry("benched", self._connections.now(), bot=plain(bot))
        self._connections.write(lambda connection: journal.append(connection, journal.INSTALLATION, [told]))

    def of(self, bot: int) -> list[BotVersion]:
        """The versions of a bot in their order, without their logs."""
        with self._connections.readers.connect() as connection:
            return _select(connection, t.bot_versions.c.bot_id == bot)

    def get(self, bot: int, number: int) -> BotVersion:
        """One version with its log; unknown numbers are refused."""
        with self._connections.readers.connect() as connection:
            return _get(connection, bot, number, with_log=True)

    def results(self, bot: int) -> dict[int, VersionResults]:
        """What each version of a bot has played, by its number."""
        c = t.seats.c
        query = (
            select(
                c.version,
                func.count(),
                func.sum(case((c.rank == 1, 1), else_=0)),
                func.sum(c.rank),
                func.sum(case((c.fault != "finished", 1), else_=0)),
            )
            .join(t.matches, t.matches.c.id == c.match_id)
            .where(c.bot_id == bot, c.version.is_not(None), t.matches.c.state == "finished")
            .group_by(c.version)
        )
        with self._connections.readers.connect() as connection:
            rows = connection.execute(query).all()
        return {row[0]: VersionResults(*(int(value or 0) for value in row[1:])) for row in rows}

    def in_state(self, state: VersionState) -> list[BotVersion]:
        """All versions in a state, the oldest first."""
        with self._connections.readers.connect() as connection:
            return _select(connection, t.bot_versions.c.state == state.value)

    def with_digest(self, digest: str) -> list[BotVersion]:
        """All versions that are made of these files."""
        with self._connections.readers.connect() as connection:
            return _select(connection, t.bot_versions.c.digest == digest)

    def since(self, bot: int, moment: int) -> int:
        """How many submissions of a bot there were since a moment."""
        c = t.bot_versions.c
        query = select(func.count()).select_from(t.bot_versions).where(c.bot_id == bot, c.created >= moment)
        with self._connections.readers.connect() as connection:
            return int(connection.execute(query).scalar_one())


def log_digest(log: str) -> str:
    """What the journal has of a log."""
    return hashlib.sha256(log.encode()).hexdigest()


def _settle(
    connection: Connection, version: BotVersion, state: VersionState, reason: str, now: int, log: str | None = None
) -> None:
    values: dict[str, Any] = {"state": state.value, "reason": plain(reason), "settled": now}
    if log is not None:
        values["log"] = plain(log)
    connection.execute(update(t.bot_versions).where(t.bot_versions.c.id == version.id).values(values))


def _told(connection: Connection, bot: int, numbers: Sequence[int], now: int) -> list[BotVersion]:
    """Append what these versions are now to the journal, and return them."""
    found = [_get(connection, bot, number, with_log=True) for number in numbers]
    entries = [journal.entry("version", now, bot=version.bot_name, version=journal_value(version)) for version in found]
    journal.append(connection, journal.INSTALLATION, entries)
    return found


def journal_value(version: BotVersion) -> dict[str, Any]:
    """A row as the journal tells it."""
    return {
        **{"id": version.id, "bot_id": version.bot, "label": str(version.number), "digest": version.digest},
        **{"created": version.created, "state": version.state.value, "reason": version.reason},
        **{"files": version.files, "size": version.size, "log": log_digest(version.log), "settled": version.settled},
    }


def _get(connection: Connection, bot: int, number: int, *, with_log: bool = False) -> BotVersion:
    c = t.bot_versions.c
    found = _select(connection, c.bot_id == bot, c.label == str(number), with_log=with_log)
    if not found:
        raise Unknown(f"there is no version {number} of this bot: 'referee submission list' shows all")
    return found[0]


def _select(connection: Connection, *which: ColumnElement[bool], with_log: bool = False) -> list[BotVersion]:
    c = t.bot_versions.c
    columns = [column for column in t.bot_versions.columns if with_log or column.name != "log"]
    query: Select[Any] = select(*columns, t.bots.c.name.label("bot_name")).join(t.bots, t.bots.c.id == c.bot_id)
    return [_version(row) for row in connection.execute(query.where(*which).order_by(c.id))]


def _version(row: Row[Any]) -> BotVersion:
    sound(t.bot_versions, row)
    if row.state not in STATES:
        raise damaged(t.bot_versions, row, "state", row.state)
    if not (row.label.isascii() and row.label.isdecimal()):
        raise damaged(t.bot_versions, row, "label", row.label)
    return BotVersion(
        row.id,
        row.bot_id,
        row.bot_name,
        int(row.label),
        row.digest,
        VersionState(row.state),
        row.reason,
        row.files,
        row.size,
        row.created,
        row.settled,
        row._mapping.get("log", ""),
    )
