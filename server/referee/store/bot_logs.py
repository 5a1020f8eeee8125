"""Logs of hosted bots in the store: written with the result, read for one match, the oldest dropped to make room."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, func, select

from referee.store import tables as t
from referee.store.bulk import BulkInsert
from referee.store.errors import DamagedRow
from referee.store.values import MatchResult, StoredLog

MOST_BYTES = 64 << 20
"""Compressed bytes of all logs in a database; beyond it, those of the oldest matches are dropped."""
LARGEST = 1 << 20
"""Bytes of one log before compression: a larger one is not kept."""
READ_AT_ONCE = 100
"""Logs that are in memory at a time while all are read."""
QUICK = 1
"""The level of compression: the thread that writes has results to store."""

_INSERT = BulkInsert(t.bot_logs, ["match_id", "seat", "body", "sha256", "size"])


class BotLogs:
    """Writes logs and keeps account of their size. Used by the writer thread alone."""

    def __init__(self) -> None:
        self._bytes: int | None = None
        """What all logs take, as far as this program knows; None before the first is written."""

    def keep(self, connection: Connection, results: Sequence[MatchResult], most: int = MOST_BYTES) -> None:
        """Store the logs of these results, and drop old ones if there are too many."""
        rows = [
            (
                result.match,
                log.seat,
                zlib.compress(log.body, QUICK),
                _digest(result.match, log.seat, log.body),
                len(log.body),
            )
            for result in results
            for log in result.logs
            if len(log.body) <= LARGEST
        ]
        if not rows:
            return
        _INSERT.run(connection, rows)
        if self._bytes is None:
            self._bytes = _total(connection)
        else:
            self._bytes += sum(len(row[2]) for row in rows)
        if self._bytes > most:
            _drop_oldest(connection, most - most // 10)
            self._bytes = _total(connection)


def read_logs(connection: Connection, match: int) -> list[StoredLog]:
    """The logs of a match by seat; a damaged one is an error, never handed out."""
    query = select(t.bot_logs).where(t.bot_logs.c.match_id == match).order_by(t.bot_logs.c.seat)
    return [_log(row) for row in connection.execute(query)]


def check_logs(connection: Connection) -> None:
    """Read all logs; DamagedRow if one of them is not what was stored."""
    c = t.bot_logs.c
    for row in connection.execution_options(yield_per=READ_AT_ONCE).execute(
        select(t.bot_logs).order_by(c.match_id, c.seat)
    ):
        _log(row)


def _log(row: Row[Any]) -> StoredLog:
    unpacked, body = zlib.decompressobj(), b""
    try:
        body = unpacked.decompress(bytes(row.body), min(row.size, LARGEST) + 1)
        whole = unpacked.eof and not unpacked.unused_data and len(body) == row.size
    except (zlib.error, TypeError, ValueError):
        whole = False
    if not whole or _digest(row.match_id, row.seat, body) != row.sha256:
        raise DamagedRow(f"the log of seat {row.seat} in match {row.match_id} is damaged")
    return StoredLog(row.seat, body)


def _digest(match: int, seat: int, body: bytes) -> str:
    return hashlib.sha256(b"%d %d %b" % (match, seat, body)).hexdigest()


def _total(connection: Connection) -> int:
    return int(connection.execute(select(func.coalesce(func.sum(func.length(t.bot_logs.c.body)), 0))).scalar_one())


def _drop_oldest(connection: Connection, room: int) -> None:
    """Drop whole matches from the oldest on, until the rest takes no more than `room`."""
    c = t.bot_logs.c
    sizes = connection.execute(
        select(c.match_id, func.sum(func.length(c.body))).group_by(c.match_id).order_by(c.match_id.desc())
    )
    total = 0
    for match, size in sizes:
        total += size
        if total > room:
            connection.execute(delete(t.bot_logs).where(c.match_id <= match))
            return
