"""Every opening from all seats: a format whose tables are each played in every rotation of the seats, on one opening.

In a game without chance a random opening may favour a seat. So each table that a format draws becomes a block of k
matches, one for every rotation of its seats, all of them on the same opening. To the format the block is one table
again: its ranks follow from the points by rank of all its matches. What a format plays in blocks of its own (the
tables of a knock-out, the two matches of a comparison) stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from referee.rules.chance import Chance
from referee.tournament.formats.format import (
    Drawn,
    DrawnTable,
    Field,
    Finished,
    Forecast,
    Format,
    SettledRound,
    SettledTable,
    Waiting,
)
from referee.tournament.formats.tally import halves_by_rank

if TYPE_CHECKING:
    from referee.tournament.formats.bracket import Bracket

FIRST_DEAL = 1 << 20
"""The deals of these blocks are numbered from here on; formats number those of their own blocks from 1."""


@dataclass(frozen=True, slots=True)
class AllSeats(Format):
    """A format with every table in every rotation of its seats."""

    inner: Format

    def check(self, entrants: int, players: int) -> None:
        self.inner.check(entrants, players)

    def next(self, field: Field, played: Sequence[SettledRound], chance: Chance) -> Drawn | Waiting | Finished:
        drawn = self.inner.next(field, self._seen(played), chance)
        if not isinstance(drawn, Drawn):
            return drawn
        tables: list[DrawnTable] = []
        size = self.inner.turned
        for number, table in enumerate(drawn.tables):
            if table.deal:
                tables.append(table)
            elif size:
                tables.append(replace(table, deal=FIRST_DEAL + number // size))
            else:
                tables += rotations(table, FIRST_DEAL + number)
        return replace(drawn, tables=tuple(tables))

    def _seen(self, played: Sequence[SettledRound]) -> Sequence[SettledRound]:
        return played if self.inner.turned else folded(played)

    def forecast(self, entrants: int, players: int) -> Forecast | None:
        lasts = self.inner.forecast(entrants, players)
        if lasts is None or self.inner.turned:
            return lasts
        least, most = (
            players * (matches - turned) + turned for matches, turned in zip(lasts.matches, lasts.turned, strict=True)
        )
        return Forecast(lasts.rounds, (least, most), (least, most))

    def places(self, field: Field, played: Sequence[SettledRound]) -> list[tuple[int, ...]]:
        return self.inner.places(field, self._seen(played))

    def own_count(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float] | None:
        return self.inner.own_count(field, self._seen(played))

    def tie_breaks(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float] | None:
        return self.inner.tie_breaks(field, self._seen(played))

    def verdict(self, field: Field, played: Sequence[SettledRound], names: Sequence[str]) -> str:
        return self.inner.verdict(field, self._seen(played), names)

    def stands(self) -> bool:
        return self.inner.stands()

    def bracket(self, field: Field, played: Sequence[SettledRound]) -> Bracket | None:
        return self.inner.bracket(field, self._seen(played))


def rotations(table: DrawnTable, deal: int) -> list[DrawnTable]:
    """A table once for each rotation of its seats, all on the same deal."""
    count = len(table.seats)
    return [
        DrawnTable(
            table.seats[turn:] + table.seats[:turn], f"{table.why}; match {turn + 1} of {count} on one opening", deal
        )
        for turn in range(count)
    ]


def folded(played: Sequence[SettledRound]) -> list[SettledRound]:
    """Rounds as the format drew them: a block of rotations is one table."""
    return [
        replace(round, tables=tuple(_tables(round.tables)), otherwise=tuple(folded(round.otherwise)))
        for round in played
    ]


def _tables(tables: Sequence[SettledTable]) -> list[SettledTable]:
    blocks = [list(block) for _, block in groupby(tables, key=lambda table: table.deal)]
    return [table for block in blocks for table in ([_one(block)] if block[0].deal >= FIRST_DEAL else block)]


def _one(block: Sequence[SettledTable]) -> SettledTable:
    """What a block comes to: ranks by the points of all its matches that have a result, scores added up."""
    seats = block[0].seats
    results = [table for table in block if table.ranks is not None]
    if not results:
        absent = {table.seats[seat] for table in block for seat in table.absent}
        return SettledTable(seats, None, absent=frozenset(seat for seat, one in enumerate(seats) if one in absent))
    halves, scores = dict.fromkeys(seats, 0), dict.fromkeys(seats, 0.0)
    forfeits = dict.fromkeys(seats, 0)
    for table in results:
        assert table.ranks is not None
        for seat, (one, points) in enumerate(zip(table.seats, halves_by_rank(table.ranks), strict=True)):
            halves[one] += points
            scores[one] += table.scores[seat] if table.scores else 0.0
            forfeits[one] += seat in table.forfeited
    ranks = tuple(1 + sum(other > halves[one] for other in halves.values()) for one in seats)
    forfeited = frozenset(seat for seat, one in enumerate(seats) if forfeits[one] == len(results))
    return SettledTable(seats, ranks, tuple(scores[one] for one in seats), forfeited)
