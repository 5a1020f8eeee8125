"""Snapshots in the store: computed values that save reading every result again, with what they were computed from.

A snapshot is a function of the results before one place in the schedule, and can always be computed again: nothing
else depends on it. It is used only if it fits what is stored now. Results never change but by a ruling, so it fits as
long as the same number of matches before that place is finished and set aside, no later ruling concerns any of them,
and the journal still has the entry, with its hash, up to which everything was stored when it was made. What is noted
and the value together have a digest of their own, so a damaged row is not used either.

Rulings and matches that are put back drop the snapshots they spoil in their own transaction (`forget`).
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select
from sqlalchemy.exc import OperationalError

from referee.store import tables as t
from referee.store.connections import Connections, binary
from referee.store.snapshot_form import NOTED, LookedAt, NewSnapshot, StoredSnapshot, digest_of, packed, value_in
from referee.store.values import MatchState, SnapshotKind

UNIT = 1000
"""Matches in which the distance of snapshots is measured."""


class Snapshots:
    """The snapshots of all tournaments."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def keep(self, tournament: int, new: NewSnapshot) -> None:
        """Store a snapshot in place of one of the same kind and place; older ones are thinned out."""
        body = packed(new.value)

        def work(connection: Connection) -> None:
            c = t.journal.c
            head = select(c.number, c.hash).where(c.chain == tournament).order_by(c.number.desc()).limit(1)
            last = connection.execute(head).first()
            if last is None:
                return
            row = {
                **{"tournament_id": tournament, "kind": new.kind.value, "through": new.through},
                **{"entrants": new.entrants, "finished": new.finished, "aside": new.aside, "rulings": new.rulings},
                **{"settings": new.settings, "journal_number": last.number, "journal_hash": last.hash, "body": body},
            }
            if not _fits(connection, tournament, SimpleNamespace(**row)):
                return  # a ruling has come in between, of which the caller has not heard yet
            s = t.snapshots.c
            mine = (s.tournament_id == tournament, s.kind == new.kind.value)
            places = [each for (each,) in connection.execute(select(s.through).where(*mine))]
            spare = set(places) - set(kept_places([*places, new.through], new.kind)) | {new.through}
            connection.execute(delete(t.snapshots).where(*mine, s.through.in_(spare)))
            connection.execute(insert(t.snapshots).values(row | {"sha256": digest_of(row, body)}))

        self._connections.write_beside(work)

    def fitting(
        self, tournament: int, kind: SnapshotKind, settings: str, through: int | None = None
    ) -> StoredSnapshot | None:
        """The snapshot that reaches furthest and fits what is stored now, or the one of that place; None if none."""
        c = t.snapshots.c
        noted = select(*(c[name] for name in NOTED)).where(c.tournament_id == tournament, c.kind == kind.value)
        noted = noted.order_by(c.through.desc())
        if through is not None:
            noted = noted.where(c.through == through)
        with self._connections.readers.connect() as connection:
            for row in connection.execute(noted).all():
                if row.settings == settings and _fits(connection, tournament, row):
                    found = _read(connection, tournament, kind, row.through)
                    if found is not None:
                        return found
        return None

    def all(self, tournament: int) -> list[LookedAt]:
        """Every snapshot, by kind and place, with what is wrong with it at first sight."""
        c = t.snapshots.c
        query = select(c.kind, c.through).where(c.tournament_id == tournament).order_by(c.kind, c.through)
        found = []
        with self._connections.readers.connect() as connection:
            for row in connection.execute(query).all():
                snapshot = _read(connection, tournament, row.kind, row.through)
                wrong = "is damaged" if snapshot is None else ""
                if snapshot is not None and not _fits(connection, tournament, snapshot):
                    wrong = "was made from other results than those that are stored"
                found.append(LookedAt(str(row.kind), row.through, snapshot, wrong))
        return found


def forget(connection: Connection, tournament: int, ordinals: Sequence[int]) -> None:
    """Drop what was computed from these matches, inside the caller's transaction."""
    if ordinals:
        c = t.snapshots.c
        connection.execute(delete(t.snapshots).where(c.tournament_id == tournament, c.through > min(ordinals)))


def kept_places(places: Sequence[int], kind: SnapshotKind) -> list[int]:
    """Which of these places keep their snapshot: the last ones, and before them ever fewer.

    So a ruling about an old match does not send a long tournament back to its beginning, and there are few of them. A
    place that is divided by a larger power of two is kept for longer.
    """
    newest = max(places)
    if kind is not SnapshotKind.BOARD:
        return [newest]
    return [place for place in sorted(set(places)) if newest - place <= 2 * UNIT * _power(place // UNIT)]


def _power(number: int) -> int:
    """The largest power of two that divides a number; of 0, as large as ever needed."""
    return number & -number or 1 << 62


def _fits(connection: Connection, tournament: int, row: Any) -> bool:
    j, m, r = t.journal.c, t.matches.c, t.rulings.c
    entry = select(j.hash).where(j.chain == tournament, j.number == row.journal_number)
    if connection.execute(entry).scalar() != row.journal_hash:
        return False
    # One look per state: each is a piece of an index.
    before = select(func.count()).select_from(t.matches).where(m.tournament_id == tournament, m.ordinal < row.through)
    counts = {state: connection.execute(before.where(m.state == state.value)).scalar_one() for state in _SETTLED}
    aside = counts[MatchState.ABSENT] + counts[MatchState.VOID]
    if counts[MatchState.FINISHED] != row.finished or aside != row.aside:
        return False
    later = select(r.ordinal, r.annulled, r.aside).where(r.tournament_id == tournament, r.number > row.rulings)
    concerned = [[*one.annulled, *one.aside, one.ordinal] for one in connection.execute(later)]
    return all(each is None or each >= row.through for matches in concerned for each in matches)


_SETTLED = (MatchState.FINISHED, MatchState.ABSENT, MatchState.VOID)


def _read(connection: Connection, tournament: int, kind: str, through: int) -> StoredSnapshot | None:
    c = t.snapshots.c
    query = select(t.snapshots).where(c.tournament_id == tournament, c.kind == kind, c.through == through)
    try:
        row = connection.execute(query).first()
    except OperationalError:  # a text that is none
        return None
    return None if row is None else _sound(row)


def _sound(row: Row[*tuple[Any, ...]]) -> StoredSnapshot | None:
    """The snapshot in a row, unless the row is damaged."""
    try:
        body = binary(row.body)
        if digest_of(row._mapping, body) != row.sha256:
            return None
        value = value_in(body)
        return StoredSnapshot(
            *(SnapshotKind(row.kind), row.through, row.entrants, row.finished, row.aside, row.rulings, row.settings),
            *(value, row.journal_number, row.journal_hash),
        )
    except (ValueError, TypeError, zlib.error):
        return None
