"""Mirrored (duplicate) deals: how sure a score difference is with them, and how sure it would be without.

A mirrored block is the same bots on the same deal in every rotation of the seats. In the mean over a block the luck of
the deal and of the seat cancels out; what remains varies less from block to block than single matches do. For every
pair of bots both intervals are computed from the same matches: from the block means, and as if all matches had been
independent. Intervals are Student's, for there may be few blocks. How much narrower mirrored deals make them in the
long run is an estimate as well and has an interval of its own (a jackknife over the blocks). A forfeited seat's points
are not its bot's: pairs with such a seat are left out of the block.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from referee.match.result import Termination
from referee.store import Store, StoredMatch
from referee.tournament.plan import Plan
from referee.tournament.statistics.distributions import student_reach

LEAST_BLOCKS = 3
"""Blocks that it takes to tell how much narrower the interval became."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How many points one bot is ahead of another per match, with both half-widths of the 95 % interval."""

    bot: str
    other: str
    points: float
    mirrored: float
    independent: float
    blocks: int
    narrower: float
    """By what share the standard error became smaller: 0.4 is 40 %; negative: it became larger."""
    narrower_low: float | None = None
    narrower_high: float | None = None
    """The 95 % interval of that share; None if it cannot be told."""


def differences(store: Store, tournament: str) -> list[Difference]:
    """All pairs of bots that met in at least two whole blocks, in the order of their names."""
    found = store.tournaments.get(tournament)
    plan = Plan.of(found)
    if not plan.mirror:
        return []
    return between(_blocks(store.matches.results_in_schedule_order(found.id), plan.players))


def between(blocks: Iterable[Sequence[dict[str, int]]]) -> list[Difference]:
    """The same from blocks of scores: a block is a list of matches, a match the score of each bot that finished it."""
    found: dict[tuple[str, str], list[list[float]]] = {}
    for block in blocks:
        finished = set(block[0]).intersection(*block)
        for bot, other in combinations(sorted(finished), 2):
            found.setdefault((bot, other), []).append([float(scores[bot] - scores[other]) for scores in block])
    return [_difference(*pair, gaps) for pair, gaps in sorted(found.items()) if len(gaps) > 1]


def _difference(bot: str, other: str, blocks: Sequence[Sequence[float]]) -> Difference:
    """What the score differences of one pair say, match by match in blocks."""
    means = [math.fsum(gaps) / len(gaps) for gaps in blocks]
    singles = [gap for gaps in blocks for gap in gaps]
    mirrored, independent = _variance(means) / len(means), _variance(singles) / len(singles)
    narrower = 1 - math.sqrt(mirrored / independent) if independent else 0.0
    low, high = _how_sure(blocks) or (None, None)
    return Difference(
        bot,
        other,
        math.fsum(means) / len(means),
        student_reach(len(means) - 1) * math.sqrt(mirrored),
        student_reach(len(singles) - 1) * math.sqrt(independent),
        len(blocks),
        narrower,
        low,
        high,
    )


def _how_sure(blocks: Sequence[Sequence[float]]) -> tuple[float, float] | None:
    """From where to where the share lies by which the standard error became smaller."""
    number = len(blocks)
    if number < LEAST_BLOCKS:
        return None
    centre = math.fsum(math.fsum(gaps) for gaps in blocks) / sum(map(len, blocks))
    centred = [[gap - centre for gap in gaps] for gaps in blocks]
    sums = [_Sums.of([math.fsum(gaps) / len(gaps)], gaps) for gaps in centred]
    whole = _Sums(*(math.fsum(column) for column in zip(*sums, strict=True)))
    ratio = whole.log_ratio()
    without = [_Sums(*(all_ - own for all_, own in zip(whole, one, strict=True))).log_ratio() for one in sums]
    if not all(map(math.isfinite, (ratio, *without))):
        return None
    middle = math.fsum(without) / number
    error = math.sqrt((number - 1) / number * math.fsum((one - middle) ** 2 for one in without))
    reach = student_reach(number - 1) * error
    return 1 - math.exp((ratio + reach) / 2), 1 - math.exp((ratio - reach) / 2)


class _Sums(NamedTuple):
    """Numbers, sums and sums of squares of block means and of single matches."""

    blocks: float
    means: float
    mean_squares: float
    matches: float
    gaps: float
    gap_squares: float

    @classmethod
    def of(cls, means: Sequence[float], gaps: Sequence[float]) -> _Sums:
        return cls(
            len(means),
            math.fsum(means),
            math.fsum(one * one for one in means),
            len(gaps),
            math.fsum(gaps),
            math.fsum(one * one for one in gaps),
        )

    def log_ratio(self) -> float:
        """The logarithm of the variance of the mean with mirrored deals, against that with independent ones."""
        mirrored = self.mean_squares - self.means**2 / self.blocks
        independent = self.gap_squares - self.gaps**2 / self.matches
        if min(mirrored, independent) <= 1e-12 * self.gap_squares:  # nothing but rounding
            return -math.inf
        weights = self.matches * (self.matches - 1) / (self.blocks * (self.blocks - 1))
        return math.log(mirrored / independent * weights)


def _blocks(results: Iterable[StoredMatch], players: int) -> Iterable[list[dict[str, int]]]:
    """Whole blocks, in schedule order; one with a match that has no result is passed over."""
    block: list[dict[str, int]] = []
    number = -1
    for match in results:
        assert match.ordinal is not None
        if match.ordinal // players != number:
            number, block = match.ordinal // players, []
        finished = [seat for seat in match.seats if seat.fault in (None, Termination.FINISHED.word)]
        block.append({seat.name: seat.score or 0 for seat in finished})
        if len(block) == players:
            yield block


def _variance(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
