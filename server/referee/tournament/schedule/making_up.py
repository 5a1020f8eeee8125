"""Matches in place of those that were lost when a bot was taken out, so that the others lose as little as possible.

In a balanced schedule the matches of a bot that is out are lost to everybody at its tables. So further rounds are drawn
among those who are in, in which those play who have lost most, until none of them has lost more than one match. A full
schedule needs none: without the bot it is the full schedule of the others. All of it is a pure function of what is
stored, and `referee verify` computes it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from referee.store import SeatedMatch
from referee.tournament.schedule.catching_up import catch_up, seat_round
from referee.tournament.schedule.draw import MeetingHistory
from referee.tournament.schedule.pairing import Pairing


def make_up(
    kind: str, matches: Sequence[SeatedMatch], n: int, k: int, out: frozenset[int], lost: frozenset[int]
) -> list[Pairing]:
    """What to append after a bot was taken out of a schedule of n entrants, and the matches `lost` with it."""
    inside = [entrant for entrant in range(n) if entrant not in out]
    if kind == "full" or len(inside) < k or not lost:
        return []
    history, sat = _history(matches, inside, k)
    # Who has lost most plays first: matches are counted from what each of them had before.
    missing = [0] * n
    for ordinal in lost:
        for entrant in matches[ordinal].seats:
            missing[entrant] += 1
    history.matches = [-missing[entrant] for entrant in inside]
    number = 1 + max((match.round for match in matches), default=0)
    allowed = 0 if k == 1 else 1
    rounds: list[list[tuple[int, ...]]] = []
    while short := sum(matches < -allowed for matches in history.matches):
        groups = history.draw(number + len(rounds), min(-(-short // k), len(inside) // k))
        history.play(groups)
        rounds.append(seat_round(groups, sat))
    return _numbered(rounds, inside, number)


def extend_without(
    kind: str, matches: Sequence[SeatedMatch], n: int, k: int, out: frozenset[int], before: int
) -> list[Pairing]:
    """What to append when entrants from `before` on have joined, and others are out."""
    inside = [entrant for entrant in range(n) if entrant not in out]
    number = 1 + max((match.round for match in matches), default=0)
    if len(inside) < k:
        return []
    if kind == "full":
        fresh = [table for table in combinations(range(len(inside)), k) if inside[table[-1]] >= before]
        return _numbered([[table[turn:] + table[:turn] for table in fresh] for turn in range(k)], inside, number)
    history, sat = _history(matches, inside, k)
    return _numbered(list(catch_up(history, sat, None, number)), inside, number)


def further_rounds(matches: Sequence[SeatedMatch], n: int, k: int, out: frozenset[int], rounds: int) -> list[Pairing]:
    """So many further rounds of a balanced schedule from which some entrants are out."""
    inside = [entrant for entrant in range(n) if entrant not in out]
    if len(inside) < k:
        return []
    number = 1 + max((match.round for match in matches), default=0)
    history, sat = _history(matches, inside, k)
    return _numbered(list(catch_up(history, sat, rounds, number)), inside, number)


def _history(matches: Sequence[SeatedMatch], inside: list[int], k: int) -> tuple[MeetingHistory, list[list[int]]]:
    """What those who are in have played or will play, numbered among themselves."""
    place = {entrant: number for number, entrant in enumerate(inside)}
    history = MeetingHistory(len(inside), k)
    sat = [[0] * k for _ in inside]
    for match in matches:
        if not match.counts:
            continue
        history.play([[place[entrant] for entrant in match.seats if entrant in place]])
        for seat, entrant in enumerate(match.seats):
            if entrant in place:
                sat[place[entrant]][seat] += 1
    return history, sat


def _numbered(rounds: list[list[tuple[int, ...]]], inside: list[int], first: int) -> list[Pairing]:
    return [
        Pairing(number, table, tuple(inside[place] for place in seats))
        for number, tables in enumerate(rounds, first)
        for table, seats in enumerate(tables, 1)
    ]
