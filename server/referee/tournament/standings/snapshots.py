"""Rating snapshots of one tournament: where a scoreboard begins, so that standings need not rate every result again.

Every so many matches in schedule order the board of the settled beginning is stored (`store/snapshots.py` says when a
stored one fits). A board that begins with one and takes the results behind it is the same, to the last bit, as one that
took all of them. Order-free ratings take seconds for a long tournament and are stored when they are worked out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import astuple
from hashlib import sha256
from typing import TYPE_CHECKING

from referee.store import NewSnapshot, SnapshotKind, StoreError
from referee.tournament.plan import NONE_SHARED, Plan, deals_across
from referee.tournament.standings.boards import empty_board, rating_settings
from referee.tournament.standings.scoreboard import Ranked, Scoreboard
from referee_leaderboard.json_value import decode, encode
from referee_leaderboard.strengths import Strengths

if TYPE_CHECKING:
    from referee.store import Store

EVERY = 1000
"""Matches, in schedule order, between two snapshots: about a tenth of a second to rate."""
AT_THE_END = 100
"""Matches beyond the last snapshot that are worth another one when no more are played for now."""
VERSION = 4
"""Of the computation: to be raised when the same results lead to another board or other strengths."""


class Snapshots:
    """The snapshots of one tournament, for one board at a time."""

    def __init__(
        self, store: Store, tournament: int, plan: Plan, shared_deals: Mapping[int, int] = NONE_SHARED
    ) -> None:
        """`shared_deals` as for `deal`; it may grow as rounds are drawn."""
        self.writes = True
        """Whether what is worked out is stored: not while another program plays the tournament."""
        self._store = store
        self._tournament = tournament
        self._plan = plan
        self._shared_deals = shared_deals
        self._every = EVERY
        self._settings = settings_digest(plan)
        self._rulings: int | None = None
        """How many rulings there were when the board began; None if it is not known."""
        self._noted = 0
        """Where the last snapshot is."""

    def begin(self) -> Scoreboard:
        """A board with the entrants of now that begins at the last snapshot that fits, or with nothing."""
        store, number = self._store, self._tournament
        # First, so that a ruling in between is one that is not known.
        self._rulings = store.rulings.count(number)
        names = [entrant.name for entrant in store.tournaments.entrants(number)]
        found = store.snapshots.fitting(number, SnapshotKind.BOARD, self._settings)
        board = empty_board(self._plan, (), self._shared_deals, self)
        self._noted = 0
        if found is not None and found.value["totals"]["bots"] == names[: found.entrants]:
            board.restore(found.value, found.through)
            self._noted = found.through
        for name in names:
            board.join(name)
        return board

    def keep_at_the_end(self, board: Scoreboard) -> None:
        """The same when no more matches are played for now: fewer of them are worth a snapshot then."""
        self.keep(board, min(self._every, AT_THE_END))

    def keep(self, board: Scoreboard, beyond: int | None = None) -> None:
        """Store where the board is, if it has come far enough since the last snapshot."""
        settled = board.settled
        if self._rulings is None or settled - self._noted < (self._every if beyond is None else beyond):
            return
        value = board.value(deals_across(self._plan, settled, self._shared_deals))
        finished = value["totals"]["matches"]
        self._noted = settled
        self._store_one(SnapshotKind.BOARD, settled, len(board.bots), finished, settled - finished, value)

    def results(self, before: int) -> Mapping[int, Ranked]:
        """The results before a place, for a board that began there."""
        return self._store.matches.ranks_before(self._tournament, before)

    def strengths(self, through: int, entrants: int) -> Strengths | None:
        """Order-free ratings that were stored, if they fit."""
        if through < self._every:
            return None
        found = self._store.snapshots.fitting(self._tournament, SnapshotKind.STRENGTHS, self._settings, through)
        if found is None or found.entrants != entrants:
            return None
        return decode(Strengths, found.value, "strengths")

    def keep_strengths(self, through: int, entrants: int, aside: int, found: Strengths) -> None:
        """Store order-free ratings that took long."""
        if self._rulings is not None and through >= self._every:
            self._store_one(SnapshotKind.STRENGTHS, through, entrants, found.matches, aside, encode(found))

    def _store_one(
        self, kind: SnapshotKind, through: int, entrants: int, finished: int, aside: int, value: object
    ) -> None:
        if not self.writes or self._rulings is None:
            return
        new = NewSnapshot(kind, through, entrants, finished, aside, self._rulings, self._settings, value)
        with suppress(StoreError):  # a file that may only be read, a full disk: it is computed again next time
            self._store.snapshots.keep(self._tournament, new)


def settings_digest(plan: Plan) -> str:
    """What a snapshot depends on besides the results and the entrants."""
    shared = [bool(plan.mirror), bool(plan.hosted), bool(plan.format)]
    noted = [VERSION, *astuple(rating_settings(plan)), plan.players, *shared]
    return sha256(json.dumps(noted).encode()).hexdigest()
