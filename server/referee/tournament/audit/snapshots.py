"""Snapshots of a database compared with what the replayed results lead to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.store import SnapshotKind, StoredSnapshot
from referee.store.quick_look import TABLE_SETTINGS
from referee.tournament.audit.audited import AuditedTournament
from referee.tournament.audit.replay import DoesNotHold
from referee.tournament.plan import Plan, deals_across
from referee.tournament.standings.boards import empty_board
from referee.tournament.standings.score import Score
from referee.tournament.standings.scoreboard import Scoreboard
from referee.tournament.standings.snapshots import settings_digest
from referee_leaderboard.json_value import encode

CLOSE = 1e-3
"""By how much numbers of order-free ratings may differ from machine to machine; they are told with four digits."""


class SnapshotCheck:
    """Hears of every result in schedule order, and looks at each snapshot when its place is reached."""

    def __init__(self, audited: AuditedTournament, plan: Plan, shared_deals: Mapping[int, int]) -> None:
        self._audited = audited
        self._plan = plan
        self._shared_deals = shared_deals
        stored = [] if audited.snapshots is None else audited.snapshots()
        settings = settings_digest(plan)
        self._wrong = [(each.kind, each.through, each.wrong) for each in stored if each.wrong]
        # One that was made with other settings, as by another version of this program, is never used.
        sound = [
            each.snapshot
            for each in stored
            if each.snapshot is not None and not each.wrong and each.snapshot.settings == settings
        ]
        self._boards = sorted((each for each in sound if each.kind is SnapshotKind.BOARD), key=lambda one: -one.through)
        self._repeats = [
            each.snapshot for each in stored if each.snapshot is not None and each.kind == SnapshotKind.REPEATS
        ]
        self._tables = [
            each.snapshot for each in stored if each.snapshot is not None and each.kind == SnapshotKind.TABLE
        ]
        self._strengths = [each for each in sound if each.kind is SnapshotKind.STRENGTHS]
        # Bots that joined later are on no earlier snapshot.
        smaller = {each.entrants for each in self._boards if each.entrants < len(audited.entrants)}
        self._smaller = {number: empty_board(plan, audited.entrants[:number], shared_deals) for number in smaller}

    def reach(self, ordinal: int, board: Scoreboard) -> None:
        """All results before this place are on the board, and none behind it."""
        while self._boards and self._boards[-1].through <= ordinal:
            snapshot = self._boards.pop()
            own = self._smaller.get(snapshot.entrants, board)
            value = own.value(deals_across(self._plan, snapshot.through, self._shared_deals))
            if (snapshot.finished, snapshot.value) != (value["totals"]["matches"], value):
                self._differs(snapshot)

    def add(self, score: Score) -> None:
        """A result, for the boards of fewer entrants."""
        if self._boards:
            for board in self._smaller.values():
                if set(board.bots).issuperset(score.bots):
                    board.add(score)

    def skip(self, ordinal: int) -> None:
        """A match without a result, which leaves no gap on the boards of fewer entrants either."""
        for board in self._smaller.values():
            board.skip(ordinal)

    def end(self, board: Scoreboard) -> None:
        """All results are on the board; DoesNotHold if a snapshot is wrong."""
        self.reach(board.settled, board)
        for snapshot in self._boards:
            self._differs(snapshot)
        for snapshot in self._strengths:
            found = board.strengths_before(snapshot.through, snapshot.entrants)
            if found.matches != snapshot.finished or not _close(encode(found), snapshot.value):
                self._differs(snapshot)
        for snapshot in self._repeats:
            if self._audited.repeats is not None and snapshot.value != list(self._audited.repeats()):
                self._differs(snapshot)
        for snapshot in self._tables:
            if self._audited.table is not None and snapshot.settings == TABLE_SETTINGS:
                shown = self._audited.table()
                # With another head it is of another moment, and never used.
                if snapshot.value.get("head") == shown["head"] and not _close(shown, snapshot.value):
                    self._differs(snapshot)
        if self._wrong and self._audited.snapshots is not None:
            # While matches are played, a ruling may have dropped what was read before.
            there = {(each.kind, each.through) for each in self._audited.snapshots()}
            for kind, through, why in self._wrong:
                if (kind, through) in there:
                    raise DoesNotHold(f"{self._audited.name}: the snapshot ({kind}) before match {through} {why}")

    def _differs(self, snapshot: StoredSnapshot) -> None:
        self._wrong.append((snapshot.kind.value, snapshot.through, "is not what the results lead to"))


def _close(found: Any, wanted: Any) -> bool:
    """Whether two plain values are the same, but for the last digits of numbers."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(_close(found[key], wanted[key]) for key in found)
    if isinstance(found, list) and isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(_close, found, wanted))
    if isinstance(found, float) and isinstance(wanted, int | float):
        return abs(found - wanted) < CLOSE
    return bool(found == wanted)
