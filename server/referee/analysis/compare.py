"""Is the new bot better than the old one? Paired matches, and a verdict that stays honest however often one looks.

Matches are played in blocks. All matches of a block are dealt the same cards, and both bots sit in every seat once:
against the same opponents in the same seats, the new bot in place of the old one; without opponents, against each
other in exchanged seats. A block gives one paired difference for each of rank, win share and score. Blocks are drawn
independently, so the differences are a fair sample, and a confidence sequence (`tournament/statistics`) says after
every block where their mean lies.

Rank decides, as in the ratings: the new bot is better once the interval of its gain in rank is above zero, worse once
it is below. A forfeited match counts as it does everywhere: behind all who finished.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from referee.hosting.simulation import win_shares
from referee.match.clock import TimeControl
from referee.match.result import Ending, Termination
from referee.rules.chance import Seeded
from referee.tournament.running.played import Played
from referee.tournament.running.venue import Fixture
from referee.tournament.seeds import match_seed
from referee.tournament.statistics import ApproximateSequence, ConfidenceSequence, Evidence, Interval

SERIES = "compare"
"""The name under which the matches are dealt and called: compare/17."""


class Side(Enum):
    """Which of the two bots sits in a seat."""

    NEW = "new"
    OLD = "old"


class Lineup(NamedTuple):
    """Who sits where in one match, and in which seats the two bots are."""

    bots: tuple[str, ...]
    sides: tuple[Side | None, ...]


@dataclass(frozen=True, slots=True)
class Design:
    """Which matches make up a block. All names are different: one bot in several seats has several names."""

    players: int
    new: tuple[str, ...]
    """The names of the new bot; without opponents one for each seat that it takes at the same table."""
    old: tuple[str, ...]
    opponents: tuple[str, ...] = ()
    """At least one fewer than there are players, or none at all."""

    @property
    def matches_per_block(self) -> int:
        return 2 * self.players if self.opponents else 2

    def block(self, seed: bytes) -> list[Lineup]:
        """The matches of the block that is dealt from this seed."""
        if not self.opponents:
            return [self._against_each_other(first) for first in (Side.NEW, Side.OLD)]
        others = tuple(Seeded(seed).order("opponents", self.opponents)[: self.players - 1])
        return [self._against(others, seat, side) for seat in range(self.players) for side in (Side.NEW, Side.OLD)]

    def _against(self, others: Sequence[str], seat: int, side: Side) -> Lineup:
        """One of the two in this seat, and the others round the table from there."""
        turn = self.players - seat
        bots = ((self.new if side is Side.NEW else self.old)[0], *others)
        sides = (side, *(None for _ in others))
        return Lineup(bots[turn:] + bots[:turn], sides[turn:] + sides[:turn])

    def _against_each_other(self, first: Side) -> Lineup:
        """The two bots in every other seat."""
        second = Side.OLD if first is Side.NEW else Side.NEW
        sides = tuple(second if seat % 2 else first for seat in range(self.players))
        names = {Side.NEW: iter(self.new), Side.OLD: iter(self.old)}
        return Lineup(tuple(next(names[side]) for side in sides), sides)


class ComparisonVerdict(Enum):
    """What is known."""

    BETTER = "better"
    WORSE = "worse"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class SideAccount:
    """How one of the two bots has fared: sums over its seats."""

    seats: int = 0
    ranks: float = 0.0
    wins: float = 0.0
    scores: float = 0.0
    faults: Counter[str] = field(default_factory=Counter)
    """How often it forfeited, by the word for it."""
    last_fault: str = ""

    def add(self, ending: Ending, seat: int) -> None:
        self.seats += 1
        self.ranks += ending.ranks[seat]
        self.wins += win_shares(ending.ranks)[seat]
        self.scores += ending.scores[seat]
        self.fault(ending, seat)

    def fault(self, ending: Ending, seat: int) -> None:
        how = ending.terminations[seat]
        if how is not Termination.FINISHED:
            self.faults[how.word] += 1
            self.last_fault = ending.texts[seat]

    @property
    def useless(self) -> bool:
        """Whether it has not finished a single match."""
        return self.seats > 0 and self.faults.total() == self.seats


@dataclass(frozen=True, slots=True)
class Measured:
    """One measure of both bots: their means, and the interval of the difference, new minus old."""

    new: float
    old: float
    interval: Interval

    @property
    def difference(self) -> float:
        return self.new - self.old


class Comparison:
    """What the blocks so far say. `add` each block in the order in which blocks were drawn, none left out."""

    def __init__(self, players: int, confidence: float = 0.95) -> None:
        self.players = players
        self.confidence = confidence
        self.blocks = 0
        self.matches = 0
        self.verdict = ComparisonVerdict.UNKNOWN
        self.accounts = {side: SideAccount() for side in Side}
        self.others: dict[str, SideAccount] = {}
        """The opponents, by name."""
        self._alpha = (1 - confidence) / 2
        self._better = Evidence(0.0, -1.0, 1.0)
        self._worse = Evidence(0.0, -1.0, 1.0)
        self._gain = ConfidenceSequence(-1.0, 1.0, confidence)
        self._wins = ConfidenceSequence(-1.0, 1.0, confidence)
        self._scores = ApproximateSequence(confidence)

    def add(self, block: Sequence[tuple[Lineup, Ending]]) -> None:
        """Take in how the matches of the next block ended."""
        seats: dict[Side, list[tuple[Ending, int]]] = {side: [] for side in Side}
        for lineup, ending in block:
            for seat, side in enumerate(lineup.sides):
                if side is not None:
                    seats[side].append((ending, seat))
                    self.accounts[side].add(ending, seat)
                else:
                    self.others.setdefault(lineup.bots[seat], SideAccount()).add(ending, seat)
        self.matches += len(block)
        new, old = ([_outcome(ending, seat) for ending, seat in seats[side]] for side in Side)
        rank, win, score = (_mean(column_new) - _mean(column_old) for column_new, column_old in _columns(new, old))
        self.take(-rank / (self.players - 1), win, score)

    def take(self, gain: float, wins: float, score: float) -> None:
        """Take in the paired differences of one block, new minus old.

        `gain` is how much better the rank is, as a share of what is possible: from −1 to 1.
        """
        self.blocks += 1
        self._better.add(gain)
        self._worse.add(-gain)
        self._gain.add(gain)
        self._wins.add(wins)
        self._scores.add(score)
        if self.verdict is ComparisonVerdict.UNKNOWN:
            if self._better.refutes(self._alpha):
                self.verdict = ComparisonVerdict.BETTER
            elif self._worse.refutes(self._alpha):
                self.verdict = ComparisonVerdict.WORSE

    @property
    def rank(self) -> Measured:
        """Mean ranks: less is better."""
        low, high = self._gain.interval
        reach = self.players - 1
        return self._measured("ranks", Interval(-high * reach, -low * reach))

    @property
    def win_share(self) -> Measured:
        """Shares of wins: a first place that is shared counts as its share."""
        return self._measured("wins", self._wins.interval)

    @property
    def score(self) -> Measured:
        """Mean scores; their interval is an approximation for long series, and infinite for short ones."""
        return self._measured("scores", self._scores.interval)

    def _measured(self, name: str, interval: Interval) -> Measured:
        new, old = (getattr(account, name) / max(1, account.seats) for account in self.accounts.values())
        return Measured(new, old, interval)


@dataclass(frozen=True, slots=True)
class Series:
    """The fixtures of a comparison: every block of a design, dealt from a root."""

    design: Design
    game: str
    options: Mapping[str, Any]
    control: TimeControl
    root: bytes = field(repr=False)
    fresh: bool = False

    def fixtures(self, blocks: int) -> Iterator[Fixture]:
        """The matches of so many blocks, one after the other."""
        number = 0
        for block in range(blocks):
            seed = match_seed(self.root, SERIES, block, 0)
            for lineup in self.design.block(seed):
                yield Fixture(
                    f"{SERIES}/{number}",
                    self.game,
                    lineup.bots,
                    self.options,
                    seed,
                    self.control,
                    SERIES,
                    block,
                    self.fresh,
                )
                number += 1


async def compared(
    comparison: Comparison, series: Series, results: AsyncGenerator[tuple[Fixture, Played], None]
) -> AsyncIterator[Comparison]:
    """Take in results in the order of the series; yields the comparison after every block, until it knows."""
    block: list[tuple[Lineup, Ending]] = []
    async with aclosing(results):
        async for fixture, played in results:
            lineups = series.design.block(fixture.seed)
            block.append((lineups[len(block)], played.ending))
            if len(block) == len(lineups):
                comparison.add(block)
                block = []
                yield comparison
                if comparison.verdict is not ComparisonVerdict.UNKNOWN:
                    return


def _outcome(ending: Ending, seat: int) -> tuple[float, float, float]:
    return ending.ranks[seat], win_shares(ending.ranks)[seat], ending.scores[seat]


def _columns(
    new: Sequence[tuple[float, ...]], old: Sequence[tuple[float, ...]]
) -> Iterator[tuple[tuple[float, ...], tuple[float, ...]]]:
    return zip(zip(*new, strict=True), zip(*old, strict=True), strict=True)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
