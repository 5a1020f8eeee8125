"""The rounds that a format draws while its tournament runs: stored with their matches in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from referee.store import journal
from referee.store import tables as t
from referee.store.connections import Connections, plain
from referee.store.schedule_rows import extend_schedule, round_row
from referee.store.tournaments import count, numbered
from referee.store.values import NewRound, NewTable, StoredMatch, StoredRound, TournamentState


class _Table:
    """A table of a round as a schedule has it."""

    __slots__ = ("round", "seats", "table")

    def __init__(self, round: int, table: int, seats: tuple[int, ...]) -> None:
        self.round = round
        self.table = table
        self.seats = seats


class Rounds:
    """The drawn rounds of all tournaments."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def add(self, tournament: int, drawn: NewRound) -> StoredRound | None:
        """Store the next round with its matches; None if what it was drawn from is no longer so.

        That is: matches are open, a round, an entrant or a ruling has come meanwhile, or the tournament does not run.
        """
        now = self._connections.now()

        def work(connection: Connection) -> StoredRound | None:
            found = numbered(connection, tournament)
            if found.state is not TournamentState.RUNNING or count(connection, tournament).open:
                return None
            names = _names(connection, tournament)
            if len(names) != drawn.entrants or _count(connection, t.rulings, tournament) != drawn.rulings:
                return None
            if _count(connection, t.rounds, tournament) != drawn.number - 1:
                return None
            stored = StoredRound(
                drawn.number,
                _first(connection, tournament),
                plain(drawn.stage),
                drawn.byes,
                drawn.active,
                tuple(plain(table.why) for table in drawn.tables),
                tuple(table.deal for table in drawn.tables),
                now,
            )
            row = round_row(tournament, stored)
            connection.execute(insert(t.rounds).values(row))
            journal.append(connection, tournament, [_entry(row, names, now)])
            extend_schedule(connection, found, (), _tables(drawn.number, drawn.tables), now)
            return stored

        return self._connections.write(work)

    def all(self, tournament: int, after: int = 0) -> list[StoredRound]:
        """The rounds of a tournament in their order, from behind a number."""
        c = t.rounds.c
        query = select(t.rounds).where(c.tournament_id == tournament, c.number > after).order_by(c.number)
        with self._connections.readers.connect() as connection:
            return [_round(row) for row in connection.execute(query)]

    def latest(self, tournament: int, limit: int) -> list[StoredRound]:
        """The last so many rounds, in their order."""
        c = t.rounds.c
        query = select(t.rounds).where(c.tournament_id == tournament).order_by(c.number.desc()).limit(limit)
        with self._connections.readers.connect() as connection:
            return [_round(row) for row in connection.execute(query)][::-1]

    def count(self, tournament: int) -> int:
        """How many rounds were drawn."""
        with self._connections.readers.connect() as connection:
            return _count(connection, t.rounds, tournament)

    def stage(self, tournament: int) -> str:
        """What the last round is called; empty if none was drawn."""
        last = self.latest(tournament, 1)
        return last[0].stage if last else ""

    def reasons(self, matches: Sequence[StoredMatch]) -> list[str]:
        """Of each match why its bots meet; empty where no format drew it."""
        c = t.rounds.c
        rounds: dict[tuple[int | None, int | None], Row[Any] | None] = {}
        found = []
        with self._connections.readers.connect() as connection:
            for match in matches:
                key = (match.tournament, match.round)
                if match.tournament is None or match.round is None or match.ordinal is None:
                    found.append("")
                    continue
                if key not in rounds:
                    one = select(t.rounds).where(c.tournament_id == match.tournament, c.number == match.round)
                    rounds[key] = connection.execute(one).first()
                row = rounds[key]
                found.append("" if row is None else row.reasons[match.ordinal - row.first_ordinal])
        return found


def _entry(row: dict[str, Any], names: list[str], now: int) -> dict[str, Any]:
    return journal.entry(
        "round",
        now,
        round=row["number"],
        first=row["first_ordinal"],
        stage=row["stage"],
        byes=[names[position] for position in row["byes"]],
        active=[names[position] for position in row["active"]],
        tables=[{"why": why, "deal": deal} for why, deal in zip(row["reasons"], row["deals"], strict=True)],
    )


def _tables(number: int, tables: tuple[NewTable, ...]) -> list[_Table]:
    return [_Table(number, place, table.seats) for place, table in enumerate(tables, 1)]


def _names(connection: Connection, tournament: int) -> list[str]:
    c = t.entrants.c
    query = select(c.name).where(c.tournament_id == tournament).order_by(c.position)
    return [row.name for row in connection.execute(query)]


def _first(connection: Connection, tournament: int) -> int:
    last = select(func.max(t.matches.c.ordinal)).where(t.matches.c.tournament_id == tournament)
    highest = connection.execute(last).scalar()
    return 0 if highest is None else highest + 1


def _count(connection: Connection, table: Any, tournament: int) -> int:
    query = select(func.count()).select_from(table).where(table.c.tournament_id == tournament)
    return int(connection.execute(query).scalar_one())


def _round(row: Row[Any]) -> StoredRound:
    return StoredRound(
        row.number,
        row.first_ordinal,
        row.stage,
        tuple(row.byes),
        tuple(row.active),
        tuple(row.reasons),
        tuple(row.deals),
        row.created,
    )
