"""Earlier rounds as a format takes them: from what is stored of each match, whether in a database or in a journal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from referee.store import MatchState, StoredMatch, StoredRound
from referee.tournament.formats.format import SettledRound, SettledTable

NOT_THERE = " not there"
_FINISHED = "finished"


def absence(bots: Sequence[str]) -> str:
    """Why a match was set aside for want of these bots."""
    return ", ".join(bots) + NOT_THERE


def missing_from(reason: str) -> frozenset[str]:
    """The bots for want of which a match was set aside, from what `absence` wrote."""
    return frozenset(reason.removesuffix(NOT_THERE).split(", ")) if reason.endswith(NOT_THERE) else frozenset()


def settled_table(
    seats: tuple[int, ...],
    names: Sequence[str],
    state: str,
    ranks: Sequence[int],
    scores: Sequence[int],
    words: Sequence[str],
    reason: str,
    deal: int,
) -> SettledTable:
    """A table and what became of it; everything by seat, results empty without one."""
    if state == MatchState.FINISHED:
        forfeited = frozenset(seat for seat, word in enumerate(words) if word != _FINISHED)
        return SettledTable(seats, tuple(ranks), tuple(map(float, scores)), forfeited, deal=deal)
    away: frozenset[int] = frozenset()
    if state == MatchState.ABSENT:
        missing = missing_from(reason)
        away = frozenset(seat for seat, name in enumerate(names) if name in missing)
    return SettledTable(seats, None, absent=away, deal=deal)


def settled_round(
    drawn: StoredRound, matches: Mapping[int, StoredMatch], not_yet_annulled: Collection[int] = ()
) -> SettledRound:
    """A stored round, all of whose matches are settled; `matches` by ordinal.

    `not_yet_annulled` are matches that count as they did before they were annulled: that is stored as well.
    """
    tables = tuple(
        _stored_table(matches[ordinal], deal, ordinal in not_yet_annulled)
        for ordinal, deal in enumerate(drawn.deals, drawn.first)
    )
    return SettledRound(drawn.number, tables, drawn.byes, frozenset(drawn.active))


def _stored_table(match: StoredMatch, deal: int, not_yet_annulled: bool) -> SettledTable:
    seats: Any = match.seats
    over = not_yet_annulled or match.state is MatchState.FINISHED
    return settled_table(
        tuple(seat.position for seat in seats),
        [seat.name for seat in seats],
        MatchState.FINISHED.value if over else match.state.value,
        [seat.rank for seat in seats] if over else (),
        [seat.score for seat in seats] if over else (),
        [seat.fault or _FINISHED for seat in seats] if over else (),
        match.reason,
        deal,
    )
