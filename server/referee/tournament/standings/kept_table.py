"""The table of a tournament that is over, kept as it is shown: showing it again need not rate anything.

It is stored at the end of `referee run`, or when somebody has looked at it, with the head of the hash chain that it
belongs to. Whatever is stored of the tournament later moves the head, and then it is not used any more.
`store/quick_look.py` reads it, `verify` computes it again.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from referee.chain_head import ChainHead
from referee.store import NewSnapshot, SnapshotKind, StoreError, Tournament
from referee.store.quick_look import TABLE_SETTINGS
from referee_leaderboard.standings import Standings, State

if TYPE_CHECKING:
    from referee.store import Store

OVER = (State.FINISHED, State.CANCELLED)


def keep(store: Store, tournament: Tournament, standings: Standings, before: ChainHead) -> None:
    """Store a table that was computed since `before` was the head, unless it is the same as the stored one."""
    number = tournament.id
    # With the same head before and after, nothing was stored while it was computed.
    if standings.state not in OVER or (standings.head.entries, standings.head.hash) != before:
        return
    total = store.tournaments.counts(number).total
    value = standings.to_json_value()
    found = store.snapshots.fitting(number, SnapshotKind.TABLE, TABLE_SETTINGS, total)
    if found is not None and found.value == value:
        return
    finished, aside = standings.matches_done - standings.matches_set_aside, standings.matches_set_aside
    new = NewSnapshot(
        SnapshotKind.TABLE,
        total,
        len(standings.rows),
        finished,
        aside,
        store.rulings.count(number),
        TABLE_SETTINGS,
        value,
    )
    with suppress(StoreError):  # a file that may only be read, a full disk: it is computed again next time
        store.snapshots.keep(number, new)
