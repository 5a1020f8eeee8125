"""Simulated fields with known strengths, played until a question is answered, or for a length fixed before."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations, permutations
from math import sqrt
from statistics import NormalDist

from referee.rules.chance import Seeded
from referee.tournament.formats.format import Drawn, Field, Finished, SettledRound, SettledTable
from referee.tournament.formats.until import BLOCK, FIRST, ORDER, Known, Until, block


def field_of(bots: int, players: int) -> Field:
    return Field(bots, players, frozenset(range(bots)))


def play(
    dice: random.Random, strengths: Sequence[float], seats: Sequence[int], first_seat: float = 0.0
) -> SettledTable:
    """One match: each bot shows its strength and noise of width 1; the first seat may be worth something."""
    shown = [dice.gauss(strengths[bot], 1) for bot in seats]
    shown[0] += first_seat
    return SettledTable(tuple(seats), tuple(1 + sum(other > own for other in shown) for own in shown))


def until(
    format: Until, strengths: Sequence[float], players: int, seed: str, first_seat: float = 0.0
) -> tuple[Known, list[SettledRound], Finished]:
    """A tournament to its end."""
    dice, field = random.Random(seed), field_of(len(strengths), players)
    played: list[SettledRound] = []
    while True:
        drawn = format.next(field, played, Seeded(f"{seed} {len(played)}".encode()))
        if isinstance(drawn, Finished):
            return Known(format, field, played), played, drawn
        assert isinstance(drawn, Drawn)
        tables = tuple(play(dice, strengths, table.seats, first_seat) for table in drawn.tables)
        played.append(SettledRound(len(played) + 1, tables, active=field.active))


def matches(played: Sequence[SettledRound]) -> int:
    return sum(len(round.tables) for round in played)


def is_wrong(known: Known, strengths: Sequence[float]) -> bool:
    """Whether any claim that one bot is better than another is false."""
    return any(strengths[one] <= strengths[other] for one, beaten in known.better.items() for other in beaten)


def fixed(question: str, strengths: Sequence[float], players: int, blocks: int, seed: str) -> bool:
    """Whether a round-robin of so many blocks for every table answers, by ordinary intervals with the same error."""
    dice, bots = random.Random(seed), range(len(strengths))
    values: dict[tuple[int, int], list[float]] = {pair: [] for pair in permutations(bots, 2)}
    for table in combinations(bots, players):
        for _ in range(blocks):
            settled = [play(dice, strengths, seats) for seats in block(table)]
            for one, other in combinations(table, 2):
                value = 0.0
                for match in settled:
                    assert match.ranks is not None
                    mine, theirs = (match.ranks[match.seats.index(bot)] for bot in (one, other))
                    value += ((mine < theirs) - (mine > theirs)) / BLOCK
                values[one, other].append(value)
                values[other, one].append(-value)
    reach = NormalDist().inv_cdf(1 - 0.05 / (len(strengths) * (len(strengths) - 1)))
    better = {pair for pair, series in values.items() if _above_zero(series, reach)}
    for middle in bots:
        better |= {(one, other) for one in bots for other in bots if {(one, middle), (middle, other)} <= better}
    if question == ORDER:
        return all((one, other) in better or (other, one) in better for one, other in combinations(bots, 2))
    assert question == FIRST
    return sum(any((one, other) in better for one in bots) for other in bots) == len(strengths) - 1


def _above_zero(series: Sequence[float], reach: float) -> bool:
    mean = sum(series) / len(series)
    spread = sum((value - mean) ** 2 for value in series) / max(1, len(series) - 1)
    return mean > reach * sqrt(spread / len(series)) > 0


def blocks_needed(question: str, strengths: Sequence[float], players: int, series: int, share: float = 0.9) -> int:
    """The least number of blocks for every table with which this share of the series answers."""
    low, high = 1, 2
    while not _enough(question, strengths, players, high, series, share):
        low, high = high, 2 * high
    while high - low > max(1, low // 20):
        middle = (low + high) // 2
        if _enough(question, strengths, players, middle, series, share):
            high = middle
        else:
            low = middle
    return high


def _enough(question: str, strengths: Sequence[float], players: int, blocks: int, series: int, share: float) -> bool:
    return (
        sum(fixed(question, strengths, players, blocks, f"fixed {number}") for number in range(series))
        >= share * series
    )
