"""Pruning: records older than a date, a tournament as a whole, or a bot that never played are removed for good.

Results, ratings and the journal stay when records go: an entry (`pruned`) names the matches, so `referee verify` knows
which it cannot replay. Of a tournament that is removed, the journal of the installation keeps name, head and length.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, Select, delete, func, or_, select

from referee.store import journal
from referee.store import tables as t
from referee.store.bots import named_bot
from referee.store.connections import Connections
from referee.store.errors import NotAllowed
from referee.store.tournaments import OVER, named_tournament
from referee.store.values import MatchState, SnapshotKind, TournamentState

AT_ONCE = 500
"""Rows that one statement names."""


class Pruning:
    """What removes for good."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def records(self, before: int, *, dry_run: bool = False) -> tuple[int, int]:
        """Remove the records of matches that ended before a time, of practice and of tournaments that are over.

        The time is in milliseconds; returns how many records that were, and their bytes.
        """
        if dry_run:
            with self._connections.readers.connect() as connection:
                size = select(func.count(), func.coalesce(func.sum(func.length(t.records.c.body)), 0))
                old = select(_old(before).subquery().c.id)
                row = connection.execute(size.where(t.records.c.match_id.in_(old))).one()
                return int(row[0]), int(row[1])
        now = self._connections.now()

        def work(connection: Connection) -> tuple[int, int]:
            rows = connection.execute(_old(before)).all()
            by_chain: dict[int, list[int]] = {}
            for row in rows:
                chain = journal.INSTALLATION if row.tournament_id is None else row.tournament_id
                by_chain.setdefault(chain, []).append(row.id if row.tournament_id is None else row.ordinal)
            size = 0
            for first in range(0, len(rows), AT_ONCE):
                numbers = [row.id for row in rows[first : first + AT_ONCE]]
                mine = t.records.c.match_id.in_(numbers)
                size += int(
                    connection.execute(select(func.sum(func.length(t.records.c.body))).where(mine)).scalar() or 0
                )
                connection.execute(delete(t.records).where(mine))
                connection.execute(delete(t.bot_logs).where(t.bot_logs.c.match_id.in_(numbers)))
            s = t.snapshots.c
            # They are counted from records, and tables tell them.
            repeats = s.kind.in_((SnapshotKind.REPEATS.value, SnapshotKind.TABLE.value))
            for chain, numbers in by_chain.items():
                connection.execute(delete(t.snapshots).where(s.tournament_id == chain, repeats))
                journal.append(connection, chain, [journal.entry("pruned", now, matches=ranges(numbers))])
            return len(rows), size

        return self._connections.write(work)

    def tournament(self, name: str) -> int:
        """Remove a tournament that is not running, with its matches; returns how many those were."""
        now = self._connections.now()

        def work(connection: Connection) -> int:
            found = named_tournament(connection, name)
            if found.state is TournamentState.RUNNING:
                raise NotAllowed(f"{name} is running: cancel or pause it before it is removed")
            m = t.matches.c
            mine = select(m.id).where(m.tournament_id == found.id)
            count = connection.execute(select(func.count()).select_from(mine.subquery())).scalar_one()
            last = select(t.journal.c.number, t.journal.c.hash).where(t.journal.c.chain == found.id)
            head = connection.execute(last.order_by(t.journal.c.number.desc()).limit(1)).one()
            for table in (t.records, t.bot_logs, t.seats):
                connection.execute(delete(table).where(table.c.match_id.in_(mine)))
            for table in (t.snapshots, t.rulings, t.rounds, t.nonces, t.matches, t.entrants):
                connection.execute(delete(table).where(table.c.tournament_id == found.id))
            connection.execute(delete(t.journal).where(t.journal.c.chain == found.id))
            connection.execute(delete(t.tournaments).where(t.tournaments.c.id == found.id))
            told = {"tournament": name, "entries": head.number + 1, "head": head.hash}
            journal.append(connection, journal.INSTALLATION, [journal.entry("removed", now, bot="", **told)])
            return int(count)

        return self._connections.write(work)

    def bot(self, name: str) -> None:
        """Remove a bot that is in no tournament and has played no match, with its versions."""
        now = self._connections.now()

        def work(connection: Connection) -> None:
            bot = named_bot(connection, name)
            for table in (t.entrants, t.seats, t.invitations):
                if connection.execute(select(table.c.bot_id).where(table.c.bot_id == bot.id).limit(1)).first():
                    raise NotAllowed(
                        f"{name} is part of results, a tournament or an invitation, which would be wrong without it: "
                        f"'referee bot revoke {name}' shuts it out"
                    )
            connection.execute(delete(t.bot_versions).where(t.bot_versions.c.bot_id == bot.id))
            connection.execute(delete(t.bots).where(t.bots.c.id == bot.id))
            told = {"tournament": "", "entries": 0, "head": ""}
            journal.append(connection, journal.INSTALLATION, [journal.entry("removed", now, bot=name, **told)])

        self._connections.write(work)


def _old(before: int) -> Select[tuple[int, int | None, int | None]]:
    """The matches whose record can go: over, and of no tournament that is still being played."""
    m, own = t.matches.c, t.tournaments.c
    closed = or_(m.tournament_id.is_(None), own.state.in_([state.value for state in OVER]))
    ended = m.state.in_([MatchState.FINISHED.value, MatchState.VOID.value])
    return (
        select(m.id, m.tournament_id, m.ordinal)
        .select_from(
            t.matches.join(t.records, t.records.c.match_id == m.id).outerjoin(t.tournaments, own.id == m.tournament_id)
        )
        .where(m.finished < before, ended, closed)
        .order_by(m.id)
    )


def ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Numbers as first and last of each unbroken run."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return found


def in_ranges(told: Sequence[Sequence[int]]) -> Iterable[int]:
    """The numbers again."""
    return (number for first, last in told for number in range(first, last + 1))
