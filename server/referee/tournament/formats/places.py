"""The order of a tournament by the count of its own format, without those who were disqualified."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from referee.tournament.formats.bracket import Bracket, BracketTable
from referee.tournament.formats.format import Field, Format, SettledRound


def places(
    format: Format, field: Field, settled: Sequence[SettledRound], disqualified: Collection[int]
) -> list[tuple[int, ...]]:
    """Groups of entrants that share a place, best first; those who were disqualified share the last."""
    groups = [tuple(one for one in group if one not in disqualified) for group in format.places(field, settled)]
    last = tuple(sorted(disqualified))
    return [group for group in (*groups, last) if group]


def advanced(bracket: Bracket | None, settled: Sequence[SettledRound]) -> dict[tuple[int, int], tuple[int, ...]]:
    """Who went through, by the number of the round and of the table (from 0); empty where nobody can."""
    decided = (
        {}
        if bracket is None
        else {
            frozenset(slot.entrant for slot in table.slots): through(table)
            for stage in bracket.stages
            for table in stage.tables
        }
    )
    return {
        (round.number, place): decided[frozenset(table.seats)]
        for round in settled
        for place, table in enumerate(round.tables)
        if decided.get(frozenset(table.seats))
    }


def through(table: BracketTable) -> tuple[int, ...]:
    """Who goes on from a table of a bracket; empty while it is open."""
    return table.places[: table.advance]
