"""Further rounds after any schedule: those who are behind play first, until no entrant is more than a match behind."""

from __future__ import annotations

from collections.abc import Iterator

from referee.tournament.schedule.draw import Groups, MeetingHistory
from referee.tournament.schedule.seating import seat_table


def catch_up(
    history: MeetingHistory, sat: list[list[int]], rounds: int | None, number: int
) -> Iterator[list[tuple[int, ...]]]:
    """So many rounds from `number` on; without `rounds`, until no entrant is behind.

    `sat` counts how often each entrant has had each seat.
    """
    n, k = history.n, history.k
    # A table of one needs no other entrants, so all can catch up in full.
    allowed = 0 if k == 1 else 1
    while rounds is None or rounds > 0:
        most = max(history.matches)
        behind = [entrant for entrant, matches in enumerate(history.matches) if matches < most - allowed]
        if rounds is None and not behind:
            return
        groups = history.draw(number, short_round(history, behind) if behind else n // k)
        history.play(groups)
        yield seat_round(groups, sat)
        number += 1
        rounds = None if rounds is None else rounds - 1


def short_round(history: MeetingHistory, behind: list[int]) -> int:
    """At how many tables a round is played while these entrants are behind.

    Few tables make those behind meet each other more than the rest, many tables less. Somebody
    behind should find others who are in a share (behind - 1) / (n - 1) of the k - 1 other seats, as in
    a round of everybody. That asks for a fraction of a table; the meetings so far say whether to
    round it up or down. At least one entrant must sit out, or none catches up.
    """
    n, k, late = history.n, history.k, len(behind)
    tables = late * (n - 1) // ((n - 1) + (k - 1) * (late - 1))
    among = sum(history.meetings[a][b] for a in behind for b in behind)
    outside = sum(sum(history.meetings[a]) for a in behind) - among
    if among * (n - late) > outside * (late - 1):
        tables += 1
    return max(1, min(max(tables, -(-late // k)), (n - 1) // k))


def seat_round(groups: Groups, sat: list[list[int]]) -> list[tuple[int, ...]]:
    """Seats for the tables of a round, so that each entrant has each seat as nearly equally often as can be."""
    seated = [seat_table(group, sat) for group in groups]
    for table in seated:
        for seat, entrant in enumerate(table):
            sat[entrant][seat] += 1
    return seated
