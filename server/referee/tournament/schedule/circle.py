"""The circle method: a round-robin of two seats, in which each pair of bots meets once in each seat.

With an odd number of entrants they all stand on the circle and in each round one of them, a
different one each time, sits out. With an even number the last entrant is the pivot: it stays in
the middle and plays the one who would sit out. A lap is as many rounds as there are places on the
circle and every pair meets once in it; the next lap is the same with the seats exchanged. So two
laps give every pair two meetings and every entrant the same number of matches in either seat.
"""

from __future__ import annotations


def circle_round(n: int, number: int) -> list[tuple[int, int]]:
    """The tables of round `number` (from 1) of the circle method for n ≥ 2 entrants."""
    places = n if n % 2 else n - 1
    lap, turn = divmod(number - 1, places)
    tables: list[tuple[int, int]] = []
    if n % 2 == 0:
        tables.append((n - 1, turn) if turn % 2 == 0 else (turn, n - 1))
    for step in range(1, (places + 1) // 2):
        ahead, behind = (turn + step) % places, (turn - step) % places
        # Alternating by the distance from the turn makes each entrant alternate seats from round to round.
        tables.append((ahead, behind) if step % 2 else (behind, ahead))
    return [(second, first) for first, second in tables] if lap % 2 else tables
