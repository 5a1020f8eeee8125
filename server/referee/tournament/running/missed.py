"""Matches that were set aside for want of a bot, and how they come back.

Absence at will must not pay: without a rule a bot could play the weak and be away when the strong are due. So what a
bot that has played here has missed by the end is played without it, and lost (`Plan.missed`). One that never came has
gained nothing, and its matches stay set aside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from referee.store import MatchState, NotAllowed, Store, StoredMatch
from referee.store.values import CANCELLED
from referee.tournament.running.schedule_window import LOOKAHEAD


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
