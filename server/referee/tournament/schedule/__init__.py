"""Schedules: which bots meet at which table in which round, settled before the first match.

Two kinds. `full` plays every table of k out of n entrants in every rotation of its seats.
`balanced` plays a number of rounds in which each entrant plays at most once; any two entrants meet,
and each entrant sits in each seat, as nearly equally often as can be found; byes differ by at
most one.

A schedule is a list of pairings in order of play and a pure function of its settings, the same on
every machine. More rounds only ever append: the schedule for fewer rounds is a prefix. So does a bot
that joins: `extend` adds rounds after those already published and changes none of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, gcd

from referee.tournament.schedule.catching_up import catch_up, seat_round
from referee.tournament.schedule.circle import circle_round
from referee.tournament.schedule.draw import Groups, MeetingHistory
from referee.tournament.schedule.pairing import Pairing, ScheduleError
from referee.tournament.schedule.seating import seat_block

__all__ = [
    "KINDS",
    "MOST_MATCHES",
    "Pairing",
    "ScheduleError",
    "balanced",
    "build",
    "count",
    "extend",
    "full",
]

KINDS = ("full", "balanced")

MOST_MATCHES = 1_000_000
"""A schedule is held in memory and published whole; one longer than this is refused."""

_LONGEST_BLOCK = 64
"""Rounds that are seated at once. Beyond it, drawing a whole block for its first rounds takes too long."""


def build(kind: str, n: int, k: int, rounds: int | None = None) -> list[Pairing]:
    """The schedule of this kind; `rounds` belongs to `balanced` only."""
    _check(kind, n, k, rounds)
    return full(n, k) if rounds is None else balanced(n, k, rounds)


def count(kind: str, n: int, k: int, rounds: int | None = None) -> int:
    """How many matches `build` would schedule, without building them."""
    _check(kind, n, k, rounds)
    return comb(n, k) * k if rounds is None else rounds * (n // k)


def count_allowed(kind: str, n: int, k: int, rounds: int | None = None) -> int:
    """The same, refused where `build` would refuse so many."""
    matches = count(kind, n, k, rounds)
    _check_length(matches, _full_name(n, k) if rounds is None else f"a balanced schedule of {rounds:,} rounds")
    return matches


def full(n: int, k: int) -> list[Pairing]:
    """Every table of k out of n entrants, once in each of its k seat rotations.

    Round r holds all tables in lexicographic order, everybody r - 1 seats further along, so that
    after each round everybody has met everybody equally often.
    """
    count_allowed("full", n, k)
    return _rotations(combinations(range(n), k), k, first_round=1)


def balanced(n: int, k: int, rounds: int) -> list[Pairing]:
    """So many rounds in which each entrant plays at most once, all as even as can be found.

    Tables of two follow the circle method; tables of one are each entrant alone, every round.
    """
    count_allowed("balanced", n, k, rounds)
    if k == 1:
        played: list[list[tuple[int, ...]]] = [[(entrant,) for entrant in range(n)] for _ in range(rounds)]
    elif k == 2:
        played = [[*circle_round(n, number)] for number in range(1, rounds + 1)]
    else:
        played = _drawn(n, k, rounds)
    return _numbered(played, first_round=1)


def extend(kind: str, schedule: Sequence[Pairing], n: int, k: int, rounds: int | None = None) -> list[Pairing]:
    """What to append to a schedule so that n entrants, some of them new, play on.

    `full`: every table with at least one newcomer, in every rotation. `balanced`: so many further
    rounds, or without `rounds` as many as it takes until no entrant is more than a match behind. As
    long as one is, rounds are short: those behind play every round, filled up with those
    who have played least, at so many tables that newcomers meet each other and the others alike.
    """
    if kind == "full" or rounds is not None:
        _check(kind, n, k, rounds)
    else:
        _check(kind, n, k, rounds=1)
    before = _check_extended(schedule, n, k)
    last = max((pairing.round for pairing in schedule), default=0)
    if kind == "full":
        if len(schedule) != (comb(before, k) * k if before else 0):
            raise ScheduleError(
                f"the schedule to extend is not a full one of {before} bots at tables of {k}: extend it as balanced"
            )
        _check_length(count("full", n, k), _full_name(n, k))
        fresh = (table for table in combinations(range(n), k) if table[-1] >= before)
        return _rotations(fresh, k, first_round=last + 1)
    if rounds is not None:
        _check_length(len(schedule) + rounds * (n // k), f"a balanced schedule of {last + rounds:,} rounds")
        # Who has had only byes does not appear in a schedule: only the whole of it tells that no entrant is new.
        if last == 0 or list(schedule) == balanced(n, k, last):
            return balanced(n, k, last + rounds)[len(schedule) :]
    return _numbered(_further(schedule, n, k, rounds, last + 1), first_round=last + 1)


def _drawn(n: int, k: int, rounds: int) -> list[list[tuple[int, ...]]]:
    """Rounds of tables of three or more, block by block.

    A block is the fewest rounds after which everybody has played a multiple of k matches, which is
    what exact seating needs. The last block is drawn whole and then cut: hence the prefix property.
    """
    history = MeetingHistory(n, k)
    tables = n // k
    block = n // gcd(n, tables)
    sat = [[0] * k for _ in range(n)]
    played: list[list[tuple[int, ...]]] = []
    while len(played) < rounds:
        drawn: list[Groups] = []
        for _ in range(block if block <= _LONGEST_BLOCK else 1):
            groups = history.draw(len(played) + len(drawn) + 1, tables)
            history.play(groups)
            drawn.append(groups)
        if block <= _LONGEST_BLOCK:
            played.extend(seat_block(drawn, k))
        else:
            played.append(seat_round(drawn[0], sat))
    return played[:rounds]


def _further(
    schedule: Sequence[Pairing], n: int, k: int, rounds: int | None, number: int
) -> Iterator[list[tuple[int, ...]]]:
    """Further rounds after any schedule; without `rounds`, until no entrant is behind."""
    history = MeetingHistory(n, k)
    sat = [[0] * k for _ in range(n)]
    history.play(pairing.seats for pairing in schedule)
    for pairing in schedule:
        for seat, entrant in enumerate(pairing.seats):
            sat[entrant][seat] += 1
    return catch_up(history, sat, rounds, number)


def _rotations(tables: Iterator[tuple[int, ...]], k: int, first_round: int) -> list[Pairing]:
    held = list(tables)
    turned = ([table[turn:] + table[:turn] for table in held] for turn in range(k))
    return _numbered(turned if held else iter(()), first_round)


def _numbered(rounds: Iterator[list[tuple[int, ...]]] | list[list[tuple[int, ...]]], first_round: int) -> list[Pairing]:
    return [
        Pairing(number, table, seats)
        for number, tables in enumerate(rounds, first_round)
        for table, seats in enumerate(tables, 1)
    ]


def _check(kind: str, n: int, k: int, rounds: int | None) -> None:
    if kind not in KINDS:
        raise ScheduleError(f"there is no schedule called {kind!r}: choose {' or '.join(KINDS)}")
    if k < 1:
        raise ScheduleError(f"a table of {k} seats cannot be played at: ask for at least 1 player per match")
    if n < k:
        raise ScheduleError(f"{k} players per match need at least {k} bots, and there are {max(n, 0)}: enter more bots")
    if kind == "full" and rounds is not None:
        raise ScheduleError("a full schedule has as many rounds as it needs: leave out rounds, or choose balanced")
    if kind == "balanced" and rounds is None:
        raise ScheduleError("a balanced schedule needs to know how many rounds to play: give rounds")
    if rounds is not None and rounds < 1:
        raise ScheduleError(f"a schedule of {rounds} rounds has no matches: ask for at least 1 round")


def _full_name(n: int, k: int) -> str:
    return f"a full schedule of {n} bots at tables of {k}"


def _check_length(matches: int, what: str) -> None:
    if matches > MOST_MATCHES:
        instead = "choose balanced" if what.startswith("a full") else "ask for fewer rounds"
        raise ScheduleError(
            f"{what} has {matches:,} matches, more than the {MOST_MATCHES:,} a schedule may have: {instead}"
        )


def _check_extended(schedule: Sequence[Pairing], n: int, k: int) -> int:
    """How many entrants the schedule knows, once it is clear that it can be extended."""
    before = 0
    for pairing in schedule:
        if len(pairing.seats) != k:
            raise ScheduleError(
                f"the schedule to extend has {len(pairing.seats)} players at a table; it cannot go on with {k}"
            )
        before = max(before, 1 + max(pairing.seats))
    if before > n:
        raise ScheduleError(f"the schedule to extend has {before} bots already; it cannot go on with {n}")
    return before
