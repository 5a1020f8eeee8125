"""Why bots forfeited matches of a tournament: how they ended, the referee's sentence, and a match to look at."""

from __future__ import annotations

import json
from dataclasses import dataclass

from referee.match.result import Ending
from referee.store import Store
from referee.store.values import FaultySeat


@dataclass(frozen=True, slots=True)
class FaultReason:
    """One kind of fault of one bot."""

    bot: str
    termination: str
    """The word for how it ended: `timeout`."""
    matches: int
    """In how many matches."""
    match: str
    """The first of them in the schedule."""
    text: str
    """What the referee said in that match."""


def fault_reasons(store: Store, tournament: str) -> list[FaultReason]:
    """One for each bot and kind of fault, in the order of the bots' names and most frequent first.

    Reads the records of the matches that are named and no others.
    """
    found = store.tournaments.get(tournament)
    first: dict[tuple[str, str], FaultySeat] = {}
    count: dict[tuple[str, str], int] = {}
    for seat in store.matches.faulty_seats(found.id):
        kind = (seat.name, seat.fault)
        first.setdefault(kind, seat)
        count[kind] = count.get(kind, 0) + 1
    reasons = []
    for (bot, termination), seat in first.items():
        record = store.matches.record(seat.match)
        text = Ending.from_value(json.loads(record)).texts[seat.seat] if record is not None else ""
        match = f"{tournament}/{seat.ordinal}"
        reasons.append(FaultReason(bot, termination, count[bot, termination], match, text))
    return sorted(reasons, key=lambda reason: (reason.bot, -reason.matches, reason.termination))
