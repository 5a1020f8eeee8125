"""Moderation in the store: what the host decides about bots and matches, with everything that follows, at once.

A match that is annulled keeps its result and its record as evidence; it is void and counts for nothing. Matches of a
bot that is out will not be played. What is decided, why, and which matches it concerned is one entry of the journal.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from referee.store import journal
from referee.store import tables as t
from referee.store.connections import Connections, plain
from referee.store.errors import NotAllowed, Refused, Unknown
from referee.store.schedule_rows import (
    Further,
    extend_schedule,
    out_positions,
    read_rulings,
    ruling_row,
    seated_matches,
)
from referee.store.snapshots import forget
from referee.store.tournaments import OVER, numbered
from referee.store.values import (
    MatchState,
    Ruling,
    RulingKind,
    Tournament,
    annulment,
    exclusion,
    out_after,
)

OPEN = (MatchState.SCHEDULED, MatchState.PLAYING)


class Rulings:
    """The rulings of all tournaments."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def all(self, tournament: int) -> list[Ruling]:
        """In the order in which they were made."""
        with self._connections.readers.connect() as connection:
            return read_rulings(connection, tournament)

    def count(self, tournament: int) -> int:
        query = select(func.count()).select_from(t.rulings).where(t.rulings.c.tournament_id == tournament)
        with self._connections.readers.connect() as connection:
            return int(connection.execute(query).scalar_one())

    def rounds_before(self, tournament: int) -> list[int]:
        """Of each ruling, in their order: how many rounds had been drawn when it was made, as the journal tells."""
        c = t.journal.c
        told = or_(c.entry.contains('"kind":"round"'), c.entry.contains('"kind":"ruling"'))
        with self._connections.readers.connect() as connection:
            entries = connection.scalars(select(c.entry).where(c.chain == tournament, told).order_by(c.number)).all()
        found, rounds = [], 0
        for kind in (json.loads(entry)["kind"] for entry in entries):
            rounds += kind == "round"
            if kind == "ruling":
                found.append(rounds)
        return found

    def out(self, tournament: int) -> dict[str, Ruling]:
        """Who is out, and by which ruling."""
        return out_after(self.all(tournament))

    def bot(
        self, tournament: int, kind: RulingKind, bot: str, reason: str, *, annul: bool, further: Further | None
    ) -> Ruling:
        """Take a bot out of a tournament, or back into it.

        Its open matches are set aside, and with `annul` its results count no longer. `further` says which matches the
        others get instead.
        """
        now = self._connections.now()
        reason = _reason(reason)

        def work(connection: Connection) -> Ruling:
            found = numbered(connection, tournament)
            before = read_rulings(connection, tournament)
            entrant = _entrant(connection, found, bot)
            _check_bot(found, kind, bot, out_after(before))
            mine = [] if kind is RulingKind.RETURNED else _matches_of(connection, entrant.id)
            annulled = [row for row in mine if annul and row.state == MatchState.FINISHED]
            aside = [row for row in mine if row.state in OPEN and found.state not in OVER]
            ruling = _add(
                connection,
                found,
                len(before),
                kind,
                entrant,
                None,
                reason,
                annulled,
                [row.ordinal for row in aside],
                now,
            )
            why = exclusion(kind, bot, reason)
            c = t.matches.c
            entries = []
            for row in aside:
                values = {"state": MatchState.VOID.value, "reason": why, "finished": now}
                connection.execute(update(t.matches).where(c.id == row.id).values(values))
                told = {"state": MatchState.VOID.value, "reason": why, "started": row.started}
                entries.append(journal.entry("aside", now, match=row.ordinal, **told))
            journal.append(connection, tournament, entries)
            if further is not None and found.state not in OVER and kind is not RulingKind.RETURNED:
                lost = frozenset(row.ordinal for row in (*annulled, *aside))
                _schedule_further(connection, found, further, lost, now)
            return ruling

        return self._connections.write(work)

    def annul(self, tournament: int, match: int, reason: str) -> Ruling:
        """Make a result count no longer; it stays stored."""
        now = self._connections.now()
        reason = _reason(reason)

        def work(connection: Connection) -> Ruling:
            found = numbered(connection, tournament)
            row = _match(connection, found, match)
            if row.state != MatchState.FINISHED:
                raise NotAllowed(f"match {found.name}/{match} is {row.state}: only a finished one can be annulled")
            count = len(read_rulings(connection, tournament))
            return _add(connection, found, count, RulingKind.ANNULLED, None, match, reason, [row], [], now)

        return self._connections.write(work)

    def replay(self, tournament: int, match: int, reason: str) -> Ruling:
        """Schedule a match again on a new deal; the journal keeps what its former result was."""
        now = self._connections.now()
        reason = _reason(reason)

        def work(connection: Connection) -> Ruling:
            found = numbered(connection, tournament)
            row = _match(connection, found, match)
            before = read_rulings(connection, tournament)
            _check_replay(connection, found, row, out_after(before))
            ruling = _add(connection, found, len(before), RulingKind.REPLAYED, None, match, reason, [], [], now)
            values = {
                **{"state": MatchState.SCHEDULED.value, "attempt": row.attempt + 1, "seed": None, "reason": ""},
                **{"started": None, "finished": None},
            }
            connection.execute(update(t.matches).where(t.matches.c.id == row.id).values(values))
            nothing = {
                **{"rank": None, "score": None, "fault": None, "strikes": 0, "decisions": 0, "time_ms": 0},
                "version": None,
            }
            connection.execute(update(t.seats).where(t.seats.c.match_id == row.id).values(nothing))
            connection.execute(delete(t.records).where(t.records.c.match_id == row.id))
            connection.execute(delete(t.bot_logs).where(t.bot_logs.c.match_id == row.id))
            forget(connection, tournament, [match])
            return ruling

        return self._connections.write(work)


def _schedule_further(
    connection: Connection, found: Tournament, further: Further, lost: frozenset[int], now: int
) -> None:
    entrants = connection.execute(
        select(func.count()).select_from(t.entrants).where(t.entrants.c.tournament_id == found.id)
    ).scalar_one()
    matches = seated_matches(connection, found.id)
    tables = list(further(matches, entrants, out_positions(connection, found.id), lost))
    if tables:
        extend_schedule(connection, found, (), tables, now)


def _reason(text: str) -> str:
    if not text.strip():
        raise Refused("a ruling needs a reason: say in a sentence why")
    return plain(text)


def _check_bot(found: Tournament, kind: RulingKind, bot: str, out: dict[str, Ruling]) -> None:
    if kind is RulingKind.RETURNED:
        if bot not in out:
            raise NotAllowed(f"{bot} plays in {found.name} and need not return")
        if out[bot].kind is RulingKind.DISQUALIFIED:
            raise NotAllowed(f"{bot} was disqualified from {found.name} and cannot return")
    elif bot in out and (kind, out[bot].kind) != (RulingKind.DISQUALIFIED, RulingKind.WITHDRAWN):
        raise NotAllowed(f"{bot} is {out[bot].kind} already: {out[bot].reason}")
    if found.state in OVER and kind is not RulingKind.DISQUALIFIED:
        raise NotAllowed(f"{found.name} is {found.state}: nobody can leave it or come back any more")


def _check_replay(
    connection: Connection, found: Tournament, row: Row[*tuple[Any, ...]], out: dict[str, Ruling]
) -> None:
    name = f"{found.name}/{row.ordinal}"
    if found.state in OVER:
        raise NotAllowed(f"{found.name} is {found.state} and its deals are published: annul match {name} instead")
    if row.state in OPEN:
        raise NotAllowed(f"match {name} is {row.state}: it has no result that could be replaced")
    c = t.rounds.c
    last = connection.execute(select(func.max(c.number)).where(c.tournament_id == found.id)).scalar()
    if last is not None and row.round != last:
        raise NotAllowed(f"round {row.round + 1} was drawn from the result of match {name}: annul it instead")
    names = connection.execute(
        select(t.entrants.c.name)
        .join(t.seats, t.seats.c.entrant_id == t.entrants.c.id)
        .where(t.seats.c.match_id == row.id)
    )
    if gone := [each.name for each in names if each.name in out]:
        raise NotAllowed(f"{gone[0]} is {out[gone[0]].kind} and cannot play match {name} again")


def _add(
    connection: Connection,
    found: Tournament,
    before: int,
    kind: RulingKind,
    entrant: Row[*tuple[Any, ...]] | None,
    match: int | None,
    reason: str,
    annulled: Sequence[Row[*tuple[Any, ...]]],
    aside: Sequence[int],
    now: int,
) -> Ruling:
    """The row, the entry, and the matches that are annulled."""
    bot = "" if entrant is None else entrant.name
    ruling = Ruling(before + 1, kind, bot, match, reason, tuple(each.ordinal for each in annulled), tuple(aside), now)
    row = ruling_row(found.id, ruling, None if entrant is None else entrant.id)
    connection.execute(insert(t.rulings).values(row))
    told = {"ruling": kind.value, "bot": bot, "match": match, "reason": reason}
    told |= {"annulled": row["annulled"], "aside": row["aside"]}
    journal.append(connection, found.id, [journal.entry("ruling", now, **told)])
    for each in annulled:
        values = {"state": MatchState.VOID.value, "reason": annulment(kind, bot, reason)}
        connection.execute(update(t.matches).where(t.matches.c.id == each.id).values(values))
    forget(connection, found.id, ruling.annulled)
    return ruling


def _entrant(connection: Connection, found: Tournament, bot: str) -> Row[*tuple[Any, ...]]:
    c = t.entrants.c
    row = connection.execute(select(c.id, c.name).where(c.tournament_id == found.id, c.name == plain(bot))).first()
    if row is None:
        raise Unknown(
            f"there is no bot named {bot} in {found.name}: 'referee tournament show {found.name}' lists its bots"
        )
    return row


def _match(connection: Connection, found: Tournament, match: int) -> Row[*tuple[Any, ...]]:
    c = t.matches.c
    query = select(c.id, c.ordinal, c.round, c.state, c.attempt, c.started)
    row = connection.execute(query.where(c.tournament_id == found.id, c.ordinal == match)).first()
    if row is None:
        raise Unknown(f"there is no match {found.name}/{match}: 'referee matches {found.name}' lists them")
    return row


def _matches_of(connection: Connection, entrant: int) -> Sequence[Row[*tuple[Any, ...]]]:
    c = t.matches.c
    query = select(c.id, c.ordinal, c.state, c.started).join(t.seats, t.seats.c.match_id == c.id)
    return connection.execute(query.where(t.seats.c.entrant_id == entrant).order_by(c.ordinal)).all()
