"""Matches claimed and records read, as tests of the store want them: several at a time, in schedule order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from referee.store import MatchState, Store, StoredMatch


def claim_next(store: Store, tournament: int, limit: int = 1) -> list[StoredMatch]:
    """Start the next scheduled matches of a tournament, those that can be started."""
    waiting = list(islice(store.matches.in_schedule_order(tournament, [MatchState.SCHEDULED]), limit))
    claims = [store.matches.claim_later(match.id) for match in waiting]
    return [store.matches.get(match.id) for match, claim in zip(waiting, claims, strict=True) if claim.result()]


def records_of(store: Store, tournament: int | None) -> Iterator[tuple[StoredMatch, bytes]]:
    """The finished matches of a tournament (None: practice), each with its record."""
    for match in store.matches.in_schedule_order(tournament, [MatchState.FINISHED]):
        record = store.matches.record(match.id)
        assert record is not None
        yield match, record
