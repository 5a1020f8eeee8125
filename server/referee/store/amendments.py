"""Going on with a tournament: further rounds, the last addition taken back, and one that is over opened again.

Each is one transaction and one entry of the journal. Nothing is rewritten: an addition is taken back only while none of
its matches has been played, and the journal keeps that it was made.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, or_, select, update

from referee.store import journal
from referee.store import tables as t
from referee.store.connections import Connections
from referee.store.errors import NotAllowed
from referee.store.schedule_rows import (
    Further,
    Seen,
    by_position,
    check_seen,
    extend_schedule,
    out_positions,
    read_rulings,
    seated_matches,
)
from referee.store.snapshots import forget
from referee.store.tournaments import OVER, count, numbered
from referee.store.values import (
    CANCELLED,
    MatchState,
    ScheduledTable,
    Tournament,
    TournamentState,
    exclusion,
    out_after,
)

ADDED = ("entered", "extended")
"""What stands in the journal before the matches of an addition."""


@dataclass(frozen=True, slots=True)
class Addition:
    """What was added to a tournament last: where its matches begin, how many, and which bots came with them."""

    first: int
    matches: int
    bots: tuple[str, ...]


class Amendments:
    """Changes of tournaments that have begun."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def extend(
        self,
        tournament: int,
        rounds: int,
        schedule: Iterable[ScheduledTable],
        further: Further | None = None,
        seen: Seen | None = None,
    ) -> int:
        """Append so many rounds; returns how many matches that are. `further` works them out from what is stored.

        Outdated, if `seen` is no longer so.
        """
        now = self._connections.now()

        def work(connection: Connection) -> int:
            found = numbered(connection, tournament)
            if found.state in OVER:
                raise NotAllowed(f"{found.name} is {found.state}: reopen it before it is extended")
            if seen is not None:
                check_seen(connection, found, seen)
            before = count(connection, tournament).total
            tables = schedule
            if further is not None:
                entrants = len(by_position(connection, tournament))
                out = out_positions(connection, tournament)
                tables = further(seated_matches(connection, tournament), entrants, out, frozenset())
            journal.append(connection, tournament, [journal.entry("extended", now, rounds=rounds)])
            extend_schedule(connection, found, (), tables, now)
            return count(connection, tournament).total - before

        return self._connections.write(work)

    def last_addition(self, tournament: int) -> Addition:
        """What `undo` would take back; NotAllowed says why nothing can be."""
        with self._connections.readers.connect() as connection:
            return _last_addition(connection, numbered(connection, tournament))

    def undo(self, tournament: int) -> Addition:
        """Take back the bots that joined last, or the last extension, with their matches; none may have been played."""
        now = self._connections.now()

        def work(connection: Connection) -> Addition:
            found = numbered(connection, tournament)
            added = _last_addition(connection, found)
            m, e, s = t.matches.c, t.entrants.c, t.snapshots.c
            gone = select(m.id).where(m.tournament_id == tournament, m.ordinal >= added.first)
            connection.execute(delete(t.seats).where(t.seats.c.match_id.in_(gone)))
            connection.execute(delete(t.matches).where(m.tournament_id == tournament, m.ordinal >= added.first))
            if added.bots:
                n = t.nonces.c
                connection.execute(
                    delete(t.nonces).where(n.tournament_id == tournament, n.first_ordinal == added.first)
                )
                connection.execute(delete(t.entrants).where(e.tournament_id == tournament, e.name.in_(added.bots)))
                left = len(by_position(connection, tournament))
                connection.execute(delete(t.snapshots).where(s.tournament_id == tournament, s.entrants > left))
            forget(connection, tournament, [added.first])
            told = {"first": added.first, "matches": added.matches, "bots": list(added.bots)}
            journal.append(connection, tournament, [journal.entry("undone", now, **told)])
            return added

        return self._connections.write(work)

    def reopen(self, tournament: int, root: bytes | None) -> int:
        """Pause a tournament that is over, and put back what was set aside for want of a bot or by its end.

        Matches of a bot that is out stay where they are, and those that were waiting are set aside.

        `root` is the secret of the deals to come, for the former one is published; None where it stays, because the
        deals are repeatable. Returns how many matches can be played now.
        """
        now = self._connections.now()

        def work(connection: Connection) -> int:
            found = numbered(connection, tournament)
            if found.state not in OVER:
                raise NotAllowed(f"{found.name} is {found.state}: only a finished or cancelled one can be reopened")
            values: dict[str, Any] = {"state": TournamentState.PAUSED.value, "finished": None, "revealed": False}
            commitment = found.commitment
            if root is not None:
                commitment = hashlib.sha256(root).hexdigest()
                values |= {"root": root, "seed_text": None, "salt": None, "commitment": commitment}
            connection.execute(update(t.tournaments).where(t.tournaments.c.id == tournament).values(values))
            told = journal.entry("reopened", now, commitment=commitment)
            journal.append(connection, tournament, [told])
            out = _matches_out(connection, tournament)
            _put_back(connection, found, set(out), now)
            _set_aside(connection, found, out, now)
            return count(connection, tournament).open

        return self._connections.write(work)


def _matches_out(connection: Connection, tournament: int) -> dict[int, str]:
    """The matches that cannot be played because a bot is out, by their ids, and why."""
    m, e, s = t.matches.c, t.entrants.c, t.seats.c
    whys: dict[int, str] = {}
    for name, ruling in out_after(read_rulings(connection, tournament)).items():
        query = select(m.id).join(t.seats, s.match_id == m.id).join(t.entrants, e.id == s.entrant_id)
        rows = connection.execute(query.where(e.tournament_id == tournament, e.name == name))
        whys |= {row.id: exclusion(ruling.kind, name, ruling.reason) for row in rows}
    return whys


def _set_aside(connection: Connection, found: Tournament, whys: Mapping[int, str], now: int) -> None:
    c = t.matches.c
    waiting = select(c.id, c.ordinal).where(c.tournament_id == found.id, c.state == MatchState.SCHEDULED.value)
    entries = []
    for row in connection.execute(waiting.order_by(c.ordinal)).all():
        if row.id in whys:
            told = {"state": MatchState.VOID.value, "reason": whys[row.id]}
            connection.execute(update(t.matches).where(c.id == row.id).values(**told, finished=now))
            entries.append(journal.entry("aside", now, match=row.ordinal, **told, started=None))
    journal.append(connection, found.id, entries)


def _put_back(connection: Connection, found: Tournament, out: Container[int], now: int) -> None:
    c = t.matches.c
    aside = select(c.id, c.ordinal, c.state, c.attempt).where(c.tournament_id == found.id, c.seed.is_(None))
    waiting = (c.state == MatchState.ABSENT.value) | ((c.state == MatchState.VOID.value) & (c.reason == CANCELLED))
    rows = [row for row in connection.execute(aside.where(waiting).order_by(c.ordinal)) if row.id not in out]
    entries = []
    for row in rows:
        # One that was being played had been dealt: its bots have seen cards.
        attempt = row.attempt + (row.state == MatchState.VOID)
        entries.append(journal.entry("again", now, match=row.ordinal, attempt=attempt))
        values = {"state": MatchState.SCHEDULED.value, "attempt": attempt, "reason": ""}
        fresh = values | {"started": None, "finished": None}
        connection.execute(update(t.matches).where(c.id == row.id).values(fresh))
    journal.append(connection, found.id, entries)
    forget(connection, found.id, [row.ordinal for row in rows])


def _last_addition(connection: Connection, found: Tournament) -> Addition:
    if found.state is TournamentState.RUNNING:
        raise NotAllowed(f"{found.name} is running: pause it before something is taken back")
    if found.state in OVER:
        raise NotAllowed(f"{found.name} is {found.state}: nothing can be taken back")
    added = _additions(connection, found.id)
    if not added or added[-1] is None:
        raise NotAllowed(
            f"{found.name} has nothing to take back: only what was added by a join or an extension can be, the last "
            "one first, and not beyond a ruling about a bot"
        )
    last = added[-1]
    m = t.matches.c
    touched = select(m.ordinal).where(m.tournament_id == found.id, m.ordinal >= last.first)
    begun = connection.execute(
        touched.where((m.state != MatchState.SCHEDULED.value) | (m.attempt > 1)).order_by(m.ordinal).limit(1)
    ).scalar()
    if begun is not None:
        raise NotAllowed(f"match {found.name}/{begun} has begun: what was added last cannot be taken back any more")
    return last


def _additions(connection: Connection, tournament: int) -> list[Addition | None]:
    """What was added to the schedule and not taken back, in order; None where a bot was taken out."""
    c = t.journal.c
    # Quotes inside a text are escaped, so these are found in no name.
    kinds = [c.entry.like(f'%"kind":"{kind}"%') for kind in (*ADDED, "scheduled", "undone", "ruling")]
    found: list[Addition | None] = []
    why: dict[str, Any] = {}
    for (text,) in connection.execute(select(c.entry).where(c.chain == tournament, or_(*kinds)).order_by(c.number)):
        entry = json.loads(text)
        if entry["kind"] in ADDED:
            why = entry
        elif entry["kind"] == "undone":
            found.pop()
        elif entry["kind"] == "ruling":
            found += [None] if entry["bot"] else []
            why = {}
        elif why and entry["first"]:
            bots = tuple(one["name"] for one in why.get("entrants", ()))
            found.append(Addition(entry["first"], entry["matches"], bots))
    return found
