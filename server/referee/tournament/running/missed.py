"""Absence at will: matches of bots that have played in a tournament and then stay away from the others.

Without a rule a bot could play the weak and be away when the strong are due. So what such a bot has missed by the end
is played without it, and lost (`Plan.missed`). One that never came has gained nothing, and its matches stay set aside.
"""

from __future__ import annotations

from referee.store import MatchState, Store, StoredMatch


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
