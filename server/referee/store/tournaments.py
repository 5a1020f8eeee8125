"""Tournaments: created with their whole schedule, then led from state to state."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from referee.store import tables as t
from referee.store.bots import check_name
from referee.store.connections import Desk, plain
from referee.store.errors import NameTaken, NotAllowed, Unknown
from referee.store.schedule_rows import extend_schedule, settings_json
from referee.store.values import (
    Counts,
    Entrant,
    NewEntrant,
    NewTournament,
    Pairing,
    Secret,
    Tournament,
    TournamentState,
)

NEXT = {
    TournamentState.CREATED: {TournamentState.RUNNING, TournamentState.CANCELLED},
    TournamentState.RUNNING: {TournamentState.PAUSED, TournamentState.FINISHED, TournamentState.CANCELLED},
    TournamentState.PAUSED: {TournamentState.RUNNING, TournamentState.FINISHED, TournamentState.CANCELLED},
    TournamentState.FINISHED: set[TournamentState](),
    TournamentState.CANCELLED: set[TournamentState](),
}
"""The states that may follow each state."""

OVER = (TournamentState.FINISHED, TournamentState.CANCELLED)


class Tournaments:
    """The tournaments, their entrants and their schedules."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def create(self, new: NewTournament, entrants: Sequence[NewEntrant], schedule: Iterable[Pairing]) -> Tournament:
        """Store a tournament, its entrants and its whole schedule at once: all of it or nothing."""
        check_name(new.name, "A tournament's name")
        now = self._desk.now()
        row = {
            "name": new.name,
            "game": new.game,
            "game_version": new.game_version,
            "players": new.players,
            "settings": settings_json(new.settings),
            "state": TournamentState.CREATED.value,
            "commitment": hashlib.sha256(new.root).hexdigest(),
            "root": new.root,
            "revealed": False,
            "seed_text": None if new.seed_text is None else plain(new.seed_text),
            "salt": new.salt,
            "created": now,
        }

        def work(connection: Connection) -> Tournament:
            if _find(connection, new.name) is not None:
                raise NameTaken(f"A tournament named {new.name} exists already: choose another name.")
            connection.execute(insert(t.tournaments).values(row))
            made = _named(connection, new.name)
            extend_schedule(connection, made, entrants, schedule, now)
            return made

        return self._desk.write(work)

    def extend(self, tournament: int, entrants: Sequence[NewEntrant], schedule: Iterable[Pairing]) -> Tournament:
        """Let bots join and append further matches; what was scheduled before stays as it is."""
        now = self._desk.now()

        def work(connection: Connection) -> Tournament:
            found = _numbered(connection, tournament)
            if found.state in OVER:
                raise NotAllowed(f"{found.name} is {found.state}: nobody can join it any more.")
            extend_schedule(connection, found, entrants, schedule, now)
            return found

        return self._desk.write(work)

    def find(self, name: str) -> Tournament | None:
        with self._desk.readers.connect() as connection:
            row = _find(connection, name)
            return None if row is None else _tournament(row)

    def get(self, key: str | int) -> Tournament:
        """The tournament of that name or number; unknown ones are refused."""
        with self._desk.readers.connect() as connection:
            return _named(connection, key) if isinstance(key, str) else _numbered(connection, key)

    def all(self) -> list[Tournament]:
        """All tournaments, oldest first."""
        with self._desk.readers.connect() as connection:
            return [_tournament(row) for row in connection.execute(select(t.tournaments).order_by(t.tournaments.c.id))]

    def entrants(self, tournament: int) -> list[Entrant]:
        """The entrants by position."""
        query = select(t.entrants).where(t.entrants.c.tournament_id == tournament).order_by(t.entrants.c.position)
        with self._desk.readers.connect() as connection:
            return [_entrant(row) for row in connection.execute(query)]

    def set_state(self, tournament: int, state: TournamentState, *, reveal: bool = False) -> bool:
        """Lead a tournament to another state; False when it is there already, refused when it cannot go there.

        With `reveal` the root of a tournament that is over then is published at the same moment.
        """
        now = self._desk.now()

        def work(connection: Connection) -> bool:
            found = _numbered(connection, tournament)
            if found.state is state:
                return False
            if state not in NEXT[found.state]:
                raise NotAllowed(f"{found.name} is {found.state} and cannot become {state}.")
            values: dict[str, object] = {"state": state.value}
            if state is TournamentState.RUNNING and found.started is None:
                values["started"] = now
            if state in OVER:
                values["finished"] = now
                values["revealed"] = reveal
            if state is TournamentState.FINISHED and (left := count(connection, tournament).open):
                raise NotAllowed(f"{found.name} still has {left} matches to play: it cannot be finished.")
            connection.execute(update(t.tournaments).where(t.tournaments.c.id == tournament).values(values))
            return True

        return self._desk.write(work)

    def counts(self, tournament: int) -> Counts:
        """How many matches are in each state."""
        with self._desk.readers.connect() as connection:
            return count(connection, tournament)

    def root(self, tournament: int) -> bytes:
        """The secret from which the deals follow: for the one who deals, nobody else."""
        return self.secret(tournament).root

    def secret(self, tournament: int) -> Secret:
        """The root with the text and the salt behind it: for the host, nobody else."""
        c = t.tournaments.c
        with self._desk.readers.connect() as connection:
            row = connection.execute(select(c.root, c.seed_text, c.salt).where(c.id == tournament)).first()
        if row is None:
            raise Unknown(f"There is no tournament number {tournament}.")
        return Secret(bytes(row.root), row.seed_text, None if row.salt is None else bytes(row.salt))


def count(connection: Connection, tournament: int) -> Counts:
    """How many matches of a tournament are in each state, as this connection sees them."""
    c = t.matches.c
    query = select(c.state, func.count()).where(c.tournament_id == tournament).group_by(c.state)
    return Counts(**{row[0]: row[1] for row in connection.execute(query)})


def _find(connection: Connection, name: str) -> Row[Any] | None:
    return connection.execute(select(t.tournaments).where(t.tournaments.c.name == plain(name))).first()


def _named(connection: Connection, name: str) -> Tournament:
    row = _find(connection, name)
    if row is None:
        raise Unknown(f"There is no tournament named {name}.")
    return _tournament(row)


def _numbered(connection: Connection, tournament: int) -> Tournament:
    row = connection.execute(select(t.tournaments).where(t.tournaments.c.id == tournament)).first()
    if row is None:
        raise Unknown(f"There is no tournament number {tournament}.")
    return _tournament(row)


def _tournament(row: Row[Any]) -> Tournament:
    return Tournament(
        id=row.id,
        name=row.name,
        game=row.game,
        game_version=row.game_version,
        players=row.players,
        settings=row.settings,
        state=TournamentState(row.state),
        commitment=row.commitment,
        root=bytes(row.root) if row.revealed else None,
        repeatable=row.seed_text is not None and row.salt is None,
        seed_text=row.seed_text if row.revealed else None,
        salt=bytes(row.salt) if row.revealed and row.salt is not None else None,
        created=row.created,
        started=row.started,
        finished=row.finished,
    )


def _entrant(row: Row[Any]) -> Entrant:
    return Entrant(row.id, row.position, row.bot_id, row.name, row.version_id, row.joined)
