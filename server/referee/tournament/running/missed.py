"""Matches that were set aside for want of a bot, and how they come back.

Absence at will must not pay: without a rule a bot could play the weak and be away when the strong are due. So what a
bot that has played here has missed by the end is played without it, and lost (`Plan.missed`). One that never came has
gained nothing, and its matches stay set aside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

import structlog

from referee.store import MatchState, NotAllowed, Store, StoredMatch, Tournament
from referee.store.values import CANCELLED
from referee.threads import in_thread
from referee.tournament.formats.settled import absence
from referee.tournament.plan import LOST, Plan
from referee.tournament.running.schedule_window import LOOKAHEAD, Called, ScheduleWindow
from referee.tournament.standings.scorekeeper import Scorekeeper

log = structlog.get_logger()


class Missed:
    """The matches of one tournament that were set aside for want of a bot."""

    def __init__(
        self, store: Store, tournament: Tournament, plan: Plan, window: ScheduleWindow, scorekeeper: Scorekeeper
    ) -> None:
        self.matches = 0
        """How many there are."""
        self._store = store
        self._tournament = tournament
        self._plan = plan
        self._window = window
        self._scorekeeper = scorekeeper

    async def give_up(self, overdue: Sequence[Called]) -> None:
        """Set matches aside that have waited too long for a bot."""
        reasons = {match.id: absence([bot for bot in bots if bot in self._window.absent]) for match, bots in overdue}
        await in_thread(self._store.matches.set_all_aside, reasons, MatchState.ABSENT)
        self.matches += len(overdue)
        for match, _ in overdue:
            assert match.ordinal is not None
            self._scorekeeper.skip(match.ordinal)

    async def call_back(self, first: int) -> None:
        """A bot is there again: matches from that ordinal on whose bots are all there go back into the schedule.

        The ordinal is where the last round of a format begins: that earlier matches were not played is part of what a
        further round was drawn from. Those of a bot that is out stay set aside too.
        """
        if not self.matches:
            return
        absent = set(self._window.absent)

        def back() -> list[int]:
            return put_all_back(self._store, playable_again(self._store, self._tournament.id, absent, first))

        if ordinals := await in_thread(back):
            self._is_back(ordinals)

    async def write_off(self) -> bool:
        """Nothing else is left to play: whether matches go back that bots have missed which have played here before.

        They are played without them and lost, where the plan says so. Formats have rules of their own for absence.
        """
        if self._plan.missed != LOST or self._plan.format or not self.matches:
            return False
        absent = frozenset(self._window.absent)

        def back() -> tuple[frozenset[str], list[int]]:
            gone, found = missed_at_will(self._store, self._tournament.id, absent)
            return gone, put_all_back(self._store, found)

        gone, ordinals = await in_thread(back)
        if not ordinals:
            return False
        log.warning(
            "bots that have played here stay away: their matches are played without them and lost",
            tournament=self._tournament.name,
            bots=", ".join(sorted(gone)),
            matches=len(ordinals),
        )
        self._window.given_up = gone
        self._is_back(ordinals)
        return True

    def _is_back(self, ordinals: Sequence[int]) -> None:
        self.matches -= len(ordinals)
        self._window.put_back(min(ordinals))
        self._scorekeeper.reload()


def missed_at_will(store: Store, tournament: int, absent: frozenset[str]) -> tuple[frozenset[str], list[StoredMatch]]:
    """Which of those that are not there have played here, and the matches set aside for want of none but them.

    At least one bot of each of these matches is there, and none is out by a ruling.
    """
    seen: set[str] = set()
    for match in store.matches.results_in_schedule_order(tournament):
        seen.update(seat.name for seat in match.seats if seat.decisions)
        if absent <= seen:
            break
    gone = absent & seen
    out = store.rulings.out(tournament).keys()
    found = []
    for match in store.matches.in_schedule_order(tournament, [MatchState.ABSENT]):
        names = {seat.name for seat in match.seats}
        missing = absent & names
        if missing and missing <= gone and len(missing) < len(names) and names.isdisjoint(out):
            found.append(match)
    return gone, found


def playable_again(store: Store, tournament: int, absent: Set[str], first: int) -> list[StoredMatch]:
    """Matches set aside, from that ordinal on, whose bots are all there and not out by a ruling."""
    away = absent | store.rulings.out(tournament).keys()
    aside = store.matches.in_schedule_order(tournament, [MatchState.ABSENT], after=first - 1)
    return [match for match in aside if away.isdisjoint(seat.name for seat in match.seats)]


def put_all_back(store: Store, found: Sequence[StoredMatch]) -> list[int]:
    """Put matches that no bot has seen back into the schedule, and tell their ordinals."""
    for first in range(0, len(found), LOOKAHEAD):
        put_back(store, {match.id: False for match in found[first : first + LOOKAHEAD]})
    return [match.ordinal for match in found if match.ordinal is not None]


def put_back(store: Store, matches: Mapping[int, bool]) -> int:
    """Put matches back into the schedule, True for those to be dealt anew; void if the tournament is over.

    Returns how many are in the schedule again: one that a ruling has made void stays so.
    """
    try:
        return store.matches.put_back(matches, void=False)
    except NotAllowed:
        store.matches.set_all_aside(dict.fromkeys(matches, CANCELLED), MatchState.VOID)
        return 0
