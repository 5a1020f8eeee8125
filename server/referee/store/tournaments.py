"""Tournaments in the store: created with their whole schedule, then led from state to state."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from referee.store import journal, outbox
from referee.store import tables as t
from referee.store.bots import check_name
from referee.store.connections import Connections, binary, plain
from referee.store.damage import damaged, sound
from referee.store.errors import NameTaken, NotAllowed, Unknown, no_tournament
from referee.store.nonces import add_draw
from referee.store.schedule_rows import (
    Further,
    Seen,
    by_position,
    check_seen,
    extend_schedule,
    out_positions,
    seated_matches,
    seen_now,
    settings_json,
)
from referee.store.taken_over import TakenMatch, TakenOver, take_over
from referee.store.values import (
    Counts,
    Entrant,
    NewEntrant,
    NewTournament,
    NonceDraw,
    ScheduledTable,
    Secret,
    Tournament,
    TournamentState,
)

STATES = frozenset(state.value for state in TournamentState)
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

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def create(
        self, new: NewTournament, entrants: Sequence[NewEntrant], schedule: Iterable[ScheduledTable]
    ) -> Tournament:
        """Store a tournament, its entrants and its whole schedule at once: all of it or nothing."""
        check_name(new.name, "a tournament's name")
        now = self._connections.now()
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
                raise NameTaken(f"a tournament named {new.name} exists already: choose another name")
            connection.execute(insert(t.tournaments).values(row))
            made = named_tournament(connection, new.name)
            told = journal.entry(
                "created",
                now,
                name=new.name,
                game=new.game,
                game_version=new.game_version,
                players=new.players,
                settings=row["settings"],
                commitment=row["commitment"],
                dealt=dealt(new.seed_text, new.salt),
            )
            journal.append(connection, made.id, [told])
            extend_schedule(connection, made, entrants, schedule, now)
            return made

        return self._connections.write(work)

    def extend(
        self,
        tournament: int,
        entrants: Sequence[NewEntrant],
        schedule: Iterable[ScheduledTable],
        draw: NonceDraw | None = None,
        further: Further | None = None,
        seen: Seen | None = None,
    ) -> Tournament:
        """Let bots join and append further matches; what was scheduled before stays as it is.

        The nonces of `draw` count from the first of these matches on. `further` works out the matches from what is
        stored at that moment. Outdated, if `seen` is no longer so.
        """
        now = self._connections.now()

        def work(connection: Connection) -> Tournament:
            found = numbered(connection, tournament)
            if found.state in OVER:
                raise NotAllowed(f"{found.name} is {found.state}: nobody can join it any more")
            if seen is not None:
                check_seen(connection, found, seen)
            tables = schedule
            if further is not None:
                number = len(by_position(connection, tournament)) + len(entrants)
                tables = further(
                    seated_matches(connection, tournament), number, out_positions(connection, tournament), frozenset()
                )
            first = extend_schedule(connection, found, entrants, tables, now)
            if draw is not None:
                add_draw(connection, tournament, replace(draw, first=first), now, told=True)
            return found

        return self._connections.write(work)

    def take_over(self, taken: TakenOver, matches: Iterable[TakenMatch]) -> None:
        """Store a tournament that was played elsewhere, as it was: all of it or nothing."""
        check_name(taken.name, "a tournament's name")
        now = self._connections.now()
        self._connections.write(lambda connection: take_over(connection, taken, matches, now))

    def find(self, name: str) -> Tournament | None:
        with self._connections.readers.connect() as connection:
            row = _find(connection, name)
            return None if row is None else _tournament(row)

    def get(self, key: str | int) -> Tournament:
        """The tournament of that name or number; unknown ones are refused."""
        with self._connections.readers.connect() as connection:
            return named_tournament(connection, key) if isinstance(key, str) else numbered(connection, key)

    def all(self) -> list[Tournament]:
        """All tournaments, oldest first."""
        with self._connections.readers.connect() as connection:
            return [_tournament(row) for row in connection.execute(select(t.tournaments).order_by(t.tournaments.c.id))]

    def entrants(self, tournament: int) -> list[Entrant]:
        """The entrants by position."""
        query = select(t.entrants).where(t.entrants.c.tournament_id == tournament).order_by(t.entrants.c.position)
        with self._connections.readers.connect() as connection:
            return [_entrant(row) for row in connection.execute(query)]

    def seen(self, tournament: int) -> Seen:
        """How it stands now, for who works out further matches."""
        with self._connections.readers.connect() as connection:
            return seen_now(connection, tournament)

    def set_state(self, tournament: int, state: TournamentState, *, reveal: bool = False) -> bool:
        """Lead a tournament to another state; False when it is there already, refused when it cannot go there.

        With `reveal` the root of a tournament that is over then is published at the same moment.
        """
        now = self._connections.now()

        def work(connection: Connection) -> bool:
            found = numbered(connection, tournament)
            if found.state is state:
                return False
            if state not in NEXT[found.state]:
                raise NotAllowed(f"{found.name} is {found.state} and cannot become {state}")
            values: dict[str, object] = {"state": state.value}
            if state is TournamentState.RUNNING and found.started is None:
                values["started"] = now
            if state in OVER:
                values["finished"] = now
                values["revealed"] = reveal
            if state is TournamentState.FINISHED and (left := count(connection, tournament).open):
                raise NotAllowed(f"{found.name} still has {left} matches to play: it cannot be finished")
            connection.execute(update(t.tournaments).where(t.tournaments.c.id == tournament).values(values))
            told = journal.entry("state", now, state=state.value)
            if state in OVER and reveal:
                told |= _revealed(connection, tournament)
            journal.append(connection, tournament, [told])
            _announce(connection, found, state, now)
            return True

        return self._connections.write(work)

    def counts(self, tournament: int) -> Counts:
        """How many matches are in each state."""
        with self._connections.readers.connect() as connection:
            return count(connection, tournament)

    def dealt_anew(self, tournament: int) -> int:
        """How many matches were dealt more than once."""
        c = t.matches.c
        query = select(func.count()).where(c.tournament_id == tournament, c.attempt > 1)
        with self._connections.readers.connect() as connection:
            return connection.execute(query).scalar_one()

    def root(self, tournament: int) -> bytes:
        """The secret from which the deals follow: for the one who deals only."""
        return self.secret(tournament).root

    def secret(self, tournament: int) -> Secret:
        """The root with the text and the salt behind it: for the host only."""
        c = t.tournaments.c
        with self._connections.readers.connect() as connection:
            row = connection.execute(select(c.root, c.seed_text, c.salt).where(c.id == tournament)).first()
        if row is None:
            raise Unknown(f"there is no tournament number {tournament}")
        return Secret(binary(row.root), row.seed_text, None if row.salt is None else binary(row.salt))


def _announce(connection: Connection, found: Tournament, state: TournamentState, now: int) -> None:
    """Tell the webhooks of a start or an end, in the transaction that stores it."""
    kind = _TOLD.get(state)
    if kind is None or (state is TournamentState.RUNNING and found.started is not None):
        return
    counts = count(connection, found.id)
    about = {"game": found.game, "matches": counts.total, "finished": counts.finished, "set_aside": counts.aside}
    outbox.put(connection, kind, {"tournament": found.name, **about}, now)


_TOLD = {
    TournamentState.RUNNING: outbox.STARTED,
    TournamentState.FINISHED: outbox.FINISHED,
    TournamentState.CANCELLED: outbox.CANCELLED,
}


def dealt(seed_text: str | None, salt: bytes | None) -> str:
    """What the deals follow from: a secret, a text with a secret salt, or a text alone."""
    return "secret" if seed_text is None else "repeatable" if salt is None else "salted"


def count(connection: Connection, tournament: int) -> Counts:
    """How many matches of a tournament are in each state, as this connection sees them."""
    c = t.matches.c
    query = select(c.state, func.count()).where(c.tournament_id == tournament).group_by(c.state)
    return Counts(**{row[0]: row[1] for row in connection.execute(query)})


def _revealed(connection: Connection, tournament: int) -> dict[str, Any]:
    """The root and what it follows from, as the journal publishes them."""
    c = t.tournaments.c
    row = connection.execute(select(c.root, c.seed_text, c.salt).where(c.id == tournament)).one()
    salt = "" if row.salt is None else binary(row.salt).hex()
    return {"root": binary(row.root).hex(), "seed_text": row.seed_text, "salt": salt}


def _find(connection: Connection, name: str) -> Row[Any] | None:
    return connection.execute(select(t.tournaments).where(t.tournaments.c.name == plain(name))).first()


def named_tournament(connection: Connection, name: str) -> Tournament:
    row = _find(connection, name)
    if row is None:
        raise Unknown(no_tournament(name))
    return _tournament(row)


def numbered(connection: Connection, tournament: int) -> Tournament:
    """The tournament of that number, as this connection sees it; unknown ones are refused."""
    row = connection.execute(select(t.tournaments).where(t.tournaments.c.id == tournament)).first()
    if row is None:
        raise Unknown(f"there is no tournament number {tournament}")
    return _tournament(row)


def _tournament(row: Row[Any]) -> Tournament:
    if sound(t.tournaments, row).state not in STATES:
        raise damaged(t.tournaments, row, "state", row.state)
    return Tournament(
        id=row.id,
        name=row.name,
        game=row.game,
        game_version=row.game_version,
        players=row.players,
        settings=row.settings,
        state=TournamentState(row.state),
        commitment=row.commitment,
        root=binary(row.root) if row.revealed else None,
        repeatable=row.seed_text is not None and row.salt is None,
        seed_text=row.seed_text if row.revealed else None,
        salt=binary(row.salt) if row.revealed and row.salt is not None else None,
        created=row.created,
        started=row.started,
        finished=row.finished,
    )


def _entrant(row: Row[Any]) -> Entrant:
    sound(t.entrants, row)
    return Entrant(row.id, row.position, row.bot_id, row.name, row.joined)
