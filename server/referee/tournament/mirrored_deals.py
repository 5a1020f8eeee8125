"""What mirrored deals are worth: how sure a score difference is with them, and how sure it would be without.

A mirrored block is the same bots on the same deal in every rotation of the seats. In the mean over a block the luck of
the deal and of the seat cancels out; what remains varies less from block to block than single matches do. For every
pair of bots both intervals are computed from the same matches: from the block means, and as if all matches had been
independent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from referee.store import Match, Store
from referee.tournament.plan import Plan

CONFIDENCE = 1.96
"""Standard errors on each side of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How many points one bot is ahead of another per match, with both half-widths of the 95 % interval."""

    bot: str
    other: str
    points: float
    mirrored: float
    independent: float
    blocks: int

    @property
    def narrower(self) -> float:
        """By what share the interval became narrower: 0.4 is 40 %; negative: it became wider."""
        return 1 - self.mirrored / self.independent if self.independent else 0.0


def differences(store: Store, tournament: str) -> list[Difference]:
    """All pairs of bots that met in at least two whole blocks, in the order of their names."""
    found = store.tournaments.get(tournament)
    plan = Plan.of(found)
    if not plan.mirror:
        return []
    return between(_blocks(store.matches.results_in_schedule_order(found.id), plan.players))


def between(blocks: Iterable[Sequence[dict[str, int]]]) -> list[Difference]:
    """The same from blocks of scores: a block is a list of matches, a match the score of each of its bots."""
    singles: dict[tuple[str, str], list[float]] = {}
    means: dict[tuple[str, str], list[float]] = {}
    for block in blocks:
        for bot, other in combinations(sorted(block[0]), 2):
            gaps = [float(scores[bot] - scores[other]) for scores in block]
            singles.setdefault((bot, other), []).extend(gaps)
            means.setdefault((bot, other), []).append(sum(gaps) / len(gaps))
    return [
        Difference(*pair, sum(values) / len(values), _half_width(values), _half_width(singles[pair]), len(values))
        for pair, values in sorted(means.items())
        if len(values) > 1
    ]


def _blocks(results: Iterable[Match], players: int) -> Iterable[list[dict[str, int]]]:
    """Whole blocks, in schedule order; one with a match that has no result is passed over."""
    block: list[dict[str, int]] = []
    number = -1
    for match in results:
        assert match.ordinal is not None
        if match.ordinal // players != number:
            number, block = match.ordinal // players, []
        block.append({seat.name: seat.score or 0 for seat in match.seats})
        if len(block) == players:
            yield block


def _half_width(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return CONFIDENCE * math.sqrt(variance / len(values))
