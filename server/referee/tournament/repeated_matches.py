"""Matches that repeat another one move by move: the same bots in the same seats, the same moves, the same scores.

Where a game has no chance, or hardly any, bots without dice of their own play one match again and again. Each counts as
a result, and ratings grow sure of something that was seen once. Random openings help (`referee.rules.openings`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.openings import OPENINGS, openings_of
from referee.store import NewSnapshot, SnapshotKind, StoredMatch, StoreError, TournamentState
from referee.store.errors import DamagedRow

if TYPE_CHECKING:
    from referee.store import Store

LOOKED_AT = 2000
"""Matches of a tournament that are compared, the first ones: repeats show early."""
AT_ONCE = 200
EVERY = -1
"""However many results there are."""
VERSION = "1"
"""Of this count, as snapshots note it."""
FROM = 20
"""While matches are played they are compared once there are so many, and whenever there are twice as many."""


def warning(store: Store, tournament: str) -> str:
    """How many matches repeat another one, in a sentence; empty if none does."""
    return Repeats(store, store.tournaments.get(tournament).id).told(EVERY, now=True)


class Repeats:
    """Follows a tournament; each record is read once. Belongs to one thread at a time."""

    def __init__(self, store: Store, tournament: int, *, keep: bool = True) -> None:
        """With `keep`, what was counted is stored."""
        self._store = store
        self._keeps = keep
        self._tournament = tournament
        self._prints: dict[int, bytes] = {}
        """By match: equal for matches that were played alike."""
        self._compared = 0
        self._kept: tuple[int, int] | None = None
        """What another look has stored: how many matches were compared, and how many of them differ."""

    def told(self, results: int, *, now: bool) -> str:
        """How many matches repeat another one, in a sentence; empty if none does.

        There are so many `results`; unless it is wanted `now`, what was found a little earlier may do.
        """
        if results != self._compared if now else results >= max(FROM, 2 * self._compared):
            self._compared = results
            self._kept = self._recall() if results >= LOOKED_AT else None
            if self._kept is None:
                self._read()
        looked, different = self._kept or self.counted
        if looked == different:
            return ""
        return (
            f"{looked - different:,} of {looked:,} matches repeat another one move by move and tell nothing new: "
            "the ratings are less sure than they look; --openings K makes matches differ"
        )

    @property
    def counted(self) -> tuple[int, int]:
        """How many matches were compared, and how many of them differ."""
        return len(self._prints), len(set(self._prints.values()))

    def count_anew(self) -> tuple[int, int]:
        """The same from the records, whatever is stored of it."""
        self._prints = {}
        self._keeps = False
        self._read()
        return self.counted

    def _recall(self) -> tuple[int, int] | None:
        found = self._store.snapshots.fitting(self._tournament, SnapshotKind.REPEATS, VERSION)
        return None if found is None else (found.value[0], found.value[1])

    def _keep(self, last: StoredMatch, rulings: int) -> None:
        """Store what was found in the first matches, once none of them is open; who plays has other things to do."""
        store, number, through = self._store, self._tournament, (last.ordinal or 0) + 1
        first_open = store.matches.first_open(number)
        running = store.tournaments.get(number).state is TournamentState.RUNNING
        if running or (first_open is not None and first_open < through):
            return
        entrants, aside = len(store.tournaments.entrants(number)), through - LOOKED_AT
        kept = NewSnapshot(
            SnapshotKind.REPEATS, through, entrants, LOOKED_AT, aside, rulings, VERSION, list(self.counted)
        )
        with suppress(StoreError):  # a file that may only be read: it is counted again next time
            store.snapshots.keep(number, kept)

    def _read(self) -> None:
        """Take in the matches that are new; those that count no longer are forgotten."""
        rulings = self._store.rulings.count(self._tournament)
        count = 0
        known, self._prints = self._prints, {}
        matches = islice(self._store.matches.results_in_schedule_order(self._tournament), LOOKED_AT)
        while some := list(islice(matches, AT_ONCE)):
            count += len(some)
            try:
                records = self._store.matches.records([match.id for match in some if match.id not in known])
            except DamagedRow:  # standings can be shown all the same; `verify` names it
                continue
            for match in some:
                if match.id in known:
                    self._prints[match.id] = known[match.id]
                elif match.id in records:
                    bots, scores = [seat.name for seat in match.seats], [seat.score for seat in match.seats]
                    played = _played(records[match.id])
                    if played is not None:
                        told = json.dumps([bots, scores, *played])
                        self._prints[match.id] = sha256(told.encode()).digest()
            if self._keeps and count == LOOKED_AT:
                self._keep(some[-1], rulings)


def _played(data: bytes) -> list[Any] | None:
    """What was played; None if this is no record."""
    try:
        record = json.loads(data).get("record", {})
        return [record.get("moves"), *_opening(record)]
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _opening(record: dict[str, Any]) -> Iterator[str]:
    """The position in which the bots took over, where it was drawn: it is not among the moves."""
    options = record.get("options", {})
    if OPENINGS in options and openings_of(game := registry.find(record["game"]), options):
        state = game.begin(record["players"], options, Seeded(bytes.fromhex(record["seed"])))
        yield state.view_bytes(None).hex()
