"""Seats: who of a table sits in which seat, so that each bot has each seat equally often.

Two ways. `seat_block` seats several rounds at once and is exact: each stretch of k matches of an
entrant takes each of the k seats once, so at no moment do two seats of an entrant differ by more
than one. It colours the edges of a bipartite graph (tables on one side, stretches of k matches of
one entrant on the other, seats as colours), which always works because no node has more than k
edges. `seat_table` seats one table at a time from what has been sat so far; it copes with any
past, and comes within a seat or so of the exact way.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.tournament.schedule.draw import Groups


def seat_block(rounds: Sequence[Groups], k: int) -> list[list[tuple[int, ...]]]:
    """Seat all tables of these rounds; every entrant must play a multiple of k matches in them."""
    table_seats: list[list[int]] = []
    stretch_seats: list[list[int]] = []
    entrant_of: list[int] = []
    open_stretch: dict[int, int] = {}
    played: dict[int, int] = {}
    for groups in rounds:
        for group in groups:
            table = len(table_seats)
            table_seats.append([-1] * k)
            for entrant in group:
                if played.get(entrant, 0) % k == 0:
                    open_stretch[entrant] = len(stretch_seats)
                    stretch_seats.append([-1] * k)
                    entrant_of.append(entrant)
                played[entrant] = played.get(entrant, 0) + 1
                _colour(table, open_stretch[entrant], table_seats, stretch_seats)
    seated = iter([tuple(entrant_of[stretch] for stretch in seats) for seats in table_seats])
    return [[next(seated) for _ in groups] for groups in rounds]


def seat_table(group: Sequence[int], sat: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Seat one table, given how often each entrant has sat in each seat (`sat[entrant][seat]`).

    Starts from the order given and exchanges two seats while that makes the seats of one of them more even.
    """
    seats = list(group)
    size = len(seats)
    improved = True
    while improved:
        improved = False
        for low in range(size):
            for high in range(low + 1, size):
                a, b = sat[seats[low]], sat[seats[high]]
                # Sitting once more where one has sat c times adds 2c + 1 to the sum of squares.
                if a[high] + b[low] < a[low] + b[high]:
                    seats[low], seats[high] = seats[high], seats[low]
                    improved = True
    return tuple(seats)


def _colour(table: int, stretch: int, table_seats: list[list[int]], stretch_seats: list[list[int]]) -> None:
    """Give one more entrant of a table a seat, moving others along an alternating path if need be."""
    at_table, at_stretch = table_seats[table], stretch_seats[stretch]
    for seat, taken in enumerate(at_table):
        if taken < 0 and at_stretch[seat] < 0:
            at_table[seat], at_stretch[seat] = stretch, table
            return
    free_here = at_table.index(-1)
    free_there = at_stretch.index(-1)
    # From the stretch, walk the edges that hold the two seats in turn and exchange the two seats on
    # them. The walk cannot come back to this table, where `free_here` is free, so afterwards that
    # seat is free on both sides.
    path: list[tuple[int, int, int]] = []
    at, on_table, seat = stretch, False, free_here
    while True:
        following = (table_seats if on_table else stretch_seats)[at][seat]
        if following < 0:
            break
        path.append((at, following, seat) if on_table else (following, at, seat))
        at, on_table, seat = following, not on_table, free_there if seat == free_here else free_here
    for edge_table, edge_stretch, seat in path:
        table_seats[edge_table][seat] = stretch_seats[edge_stretch][seat] = -1
    for edge_table, edge_stretch, seat in path:
        other = free_there if seat == free_here else free_here
        table_seats[edge_table][other] = edge_stretch
        stretch_seats[edge_stretch][other] = edge_table
    at_table[free_here], at_stretch[free_here] = stretch, table
