"""Draws the next round of a tournament when all tables are settled, and stores it before any of its matches starts.

What a round is drawn from is stored: results, who is in, and the root. So it does not matter when it is drawn, or by
which process: one that was killed before it stored its round draws the same again.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import structlog

from referee.rules.chance import Seeded
from referee.store import NewRound, NewTable, StoredRound, Tournament
from referee.tournament.formats.format import Drawn, Field, Finished, Format, SettledRound, Waiting
from referee.tournament.plan import Plan
from referee.tournament.running.rounds import RoundsSoFar
from referee.tournament.seeds import draw_seed

if TYPE_CHECKING:  # `verify` of a folder draws rounds again without a store, and so without SQLAlchemy
    from referee.store import Store

log = structlog.get_logger()


class Drawing:
    """Draws the rounds of one tournament that is being played."""

    def __init__(self, store: Store, tournament: Tournament, plan: Plan, root: bytes) -> None:
        self._store = store
        self._tournament = tournament
        self._root = root
        self._rounds = RoundsSoFar(store, tournament, plan)
        self._why = ""
        """Why no round was drawn, the last time that it was asked for."""

    def next(self, present: Collection[str]) -> StoredRound | Waiting | Finished | None:
        """Draw a round and store it; Finished if there is none, None if things have changed meanwhile: look again.

        `present` are the bots that are there. A format without an end waits for as many as a table needs: it would
        draw one round after the other that is set aside, for ever.
        """
        rounds = self._rounds
        rounds.read()
        if len(rounds.settled) < len(rounds.drawn):
            return None
        number = len(rounds.drawn) + 1
        field = rounds.field
        here = sum(rounds.names[one] in present for one in field.active)
        drawn: Drawn | Waiting | Finished
        if here < field.players and rounds.format.forecast(field.entrants, field.players) is None:
            drawn = Waiting(f"{here} of the {field.players} bots that a table needs are there")
        else:
            drawn = draw(rounds.format, field, rounds.settled, self._root, self._tournament.name)
        if not isinstance(drawn, Drawn):
            if drawn.why != self._why:
                log.info("no further round", tournament=self._tournament.name, why=drawn.why)
            self._why = drawn.why
            return drawn
        self._why = ""
        tables = tuple(NewTable(table.seats, table.why, table.deal) for table in drawn.tables)
        stored = self._store.rounds.add(
            self._tournament.id,
            NewRound(
                number,
                drawn.stage,
                tables,
                drawn.byes,
                tuple(sorted(field.active)),
                field.entrants,
                rounds.rulings,
            ),
        )
        if stored is not None:
            self._log(stored, drawn)
        return stored

    def _log(self, stored: StoredRound, drawn: Drawn) -> None:
        name, names = self._tournament.name, self._rounds.names
        byes = ", ".join(names[one] for one in drawn.byes)
        log.info(
            "a round is drawn",
            tournament=name,
            round=stored.number,
            stage=stored.stage,
            tables=stored.matches,
            byes=byes,
        )
        for ordinal, table in enumerate(drawn.tables, stored.first):
            bots = ", ".join(names[one] for one in table.seats)
            log.info("a table", match=f"{name}/{ordinal}", bots=bots, why=table.why)


def draw(
    format: Format, field: Field, settled: list[SettledRound], root: bytes, tournament: str
) -> Drawn | Waiting | Finished:
    """The round after these: what anyone can compute who knows the results and the root."""
    drawn = format.next(field, settled, Seeded(draw_seed(root, tournament, len(settled) + 1)))
    if isinstance(drawn, Drawn) and not drawn.tables:
        return Finished("no table can be drawn")
    return drawn
