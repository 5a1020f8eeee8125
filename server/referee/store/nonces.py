"""The nonces of a tournament's entrants in the store: committed to first, then told once, before the first match."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from sqlalchemy import Connection, insert, select, update

from referee.store import journal
from referee.store import tables as t
from referee.store.connections import Connections
from referee.store.errors import NotAllowed, Unknown
from referee.store.values import DrawnNonce, NonceDraw


class Nonces:
    """The draws of all tournaments."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def draws(self, tournament: int) -> tuple[NonceDraw, ...]:
        """The draws of a tournament in their order, the entrants by position."""
        query = (
            select(
                t.nonces.c.draw, t.nonces.c.first_ordinal, t.entrants.c.name, t.nonces.c.commitment, t.nonces.c.nonce
            )
            .join(t.entrants, t.entrants.c.id == t.nonces.c.entrant_id)
            .where(t.nonces.c.tournament_id == tournament)
            .order_by(t.nonces.c.draw, t.entrants.c.position)
        )
        with self._connections.readers.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(
            NonceDraw(draw, first, tuple(DrawnNonce(row.name, row.commitment, row.nonce) for row in group))
            for (draw, first), group in groupby(rows, key=lambda row: (row.draw, row.first_ordinal))
        )

    def commit(self, tournament: int, draw: NonceDraw) -> None:
        """Note who takes part in the draw at the start, before any nonce is told; refused once it has started."""

        now = self._connections.now()

        def work(connection: Connection) -> None:
            _check_not_started(connection, tournament)
            add_draw(connection, tournament, draw, now)

        self._connections.write_beside(work)

    def tell(self, tournament: int, draw: int, nonces: Mapping[str, str]) -> None:
        """Note the nonces of a draw, by the entrants' names; refused once the tournament has started."""

        now = self._connections.now()

        def work(connection: Connection) -> None:
            _check_not_started(connection, tournament)
            numbers = _numbers(connection, tournament)
            c = t.nonces.c
            for name, nonce in nonces.items():
                mine = (c.tournament_id == tournament, c.draw == draw, c.entrant_id == numbers[name])
                connection.execute(update(t.nonces).where(*mine).values(nonce=nonce))
            _note_nonces(connection, tournament, draw, nonces, now)

        self._connections.write_beside(work)


def add_draw(connection: Connection, tournament: int, draw: NonceDraw, now: int, *, told: bool = False) -> None:
    """Store a draw inside the caller's transaction; `told`: with its nonces, which are fixed then."""
    numbers = _numbers(connection, tournament)
    if missing := [entrant.name for entrant in draw.entrants if entrant.name not in numbers]:
        raise Unknown(f"{missing[0]} does not play in this tournament and can give no nonce")
    connection.execute(
        insert(t.nonces),
        [
            {
                "tournament_id": tournament,
                "draw": draw.draw,
                "first_ordinal": draw.first,
                "entrant_id": numbers[entrant.name],
                "commitment": entrant.commitment,
                "nonce": entrant.nonce,
            }
            for entrant in draw.entrants
        ],
    )
    promised = [{"name": entrant.name, "commitment": entrant.commitment} for entrant in draw.entrants]
    noted = journal.entry("commitments", now, draw=draw.draw, first=draw.first, entrants=promised)
    journal.append(connection, tournament, [noted])
    if told:
        given = {entrant.name: entrant.nonce for entrant in draw.entrants if entrant.nonce}
        _note_nonces(connection, tournament, draw.draw, given, now)


def _note_nonces(connection: Connection, tournament: int, draw: int, nonces: Mapping[str, str], now: int) -> None:
    journal.append(connection, tournament, [journal.entry("nonces", now, draw=draw, nonces=dict(nonces))])


def _numbers(connection: Connection, tournament: int) -> dict[str, int]:
    c = t.entrants.c
    rows = connection.execute(select(c.name, c.id).where(c.tournament_id == tournament))
    return {row.name: row.id for row in rows}


def _check_not_started(connection: Connection, tournament: int) -> None:
    c = t.tournaments.c
    row = connection.execute(select(c.name, c.started).where(c.id == tournament)).first()
    if row is None:
        raise Unknown(f"there is no tournament number {tournament}")
    if row.started is not None:
        raise NotAllowed(f"{row.name} has started: its nonces are fixed")
