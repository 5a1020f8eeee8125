"""The scoreboard of one tournament: takes results as they come, shows standings as if they had come in schedule order.

Ratings are kept by `OrderedRatings`, counts by `Totals`. A board can begin where an earlier one was noted (`value`,
`restore`); it then asks its `Memory` for what it has not seen itself.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any, Protocol

from referee.tournament.ratings import Belief, RatingSettings, VersionMark
from referee.tournament.ratings.in_schedule_order import OrderedRatings
from referee.tournament.standings.score import Score, outcome
from referee.tournament.standings.totals import Totals
from referee_leaderboard.crosstable import Crosstable
from referee_leaderboard.seats import Seats, split
from referee_leaderboard.standings import FaultKind, Outcome, Standing, VersionRating
from referee_leaderboard.strengths import Strengths

STRENGTHS_FROM, STRENGTHS_EVERY = 100, 2
"""While matches are played, strengths are worked out once so many from the first on are settled, and whenever there are
twice as many as the last time: they cost processor time that the matches want."""
EARLY_FROM, EARLY_EVERY = 10, 1.25
"""The same where strengths order the table."""

Ranked = tuple[tuple[str, ...], tuple[int, ...]]
"""The bots of a result and their ranks, by seat."""


class Memory(Protocol):
    """Where a board finds what it has not seen or worked out itself."""

    def results(self, before: int) -> Mapping[int, Ranked]:
        """The results of the matches before a place in the schedule."""
        ...

    def strengths(self, through: int, entrants: int) -> Strengths | None:
        """Order-free ratings by all results before a place, if they are known."""
        ...

    def keep_strengths(self, through: int, entrants: int, aside: int, found: Strengths) -> None:
        """They have been worked out now; so many matches before that place were set aside."""
        ...


def strengths_place(settled: int, *, early: bool = False) -> int:
    """How many matches, from the first on, strengths rest on while others are played; 0 if there are too few.

    `early`: they order the table, so they are worked out sooner and more often.
    """
    place, every = (EARLY_FROM, EARLY_EVERY) if early else (STRENGTHS_FROM, STRENGTHS_EVERY)
    if settled < place:
        return 0
    while int(place * every) <= settled:
        place = int(place * every)
    return place


class Scoreboard:
    """Results in, standings out."""

    def __init__(
        self,
        settings: RatingSettings,
        bots: Sequence[str],
        players: int,
        deal: Callable[[int], int] = lambda own: own,
        memory: Memory | None = None,
    ) -> None:
        """`deal` tells which matches are played on the same deal, and so belong together."""
        self._settings = settings
        self._deal = deal
        self._memory = memory
        self._players = players
        self._totals = Totals(players)
        self._ratings = OrderedRatings(settings)
        self._results: dict[int, Ranked] = {}
        self._unseen = 0
        """Results before this place are not in `_results`: the board began there."""
        self._ahead: dict[int, Score] = {}
        """Results beyond the first open match, at least."""
        self._strengths: tuple[tuple[int, int, int], Strengths] = ((0, 0, 0), Strengths())
        self._ranks: dict[str, int] = {}
        self._previous: dict[str, int] = {}
        self.latest: deque[Outcome] = deque(maxlen=12)
        self.aside = 0
        """Matches that have no result, because they were set aside."""
        for bot in bots:
            self.join(bot)

    @property
    def matches(self) -> int:
        """Results on the board."""
        return self._totals.matches

    @property
    def bots(self) -> Sequence[str]:
        """Who is on the board, in the order of entry."""
        return self._totals.bots

    @property
    def settled(self) -> int:
        """How many matches, from the first of the schedule on, are on the board without a gap."""
        return self._ratings.settled

    def join(self, bot: str) -> None:
        """A further bot, at the prior."""
        if self._totals.join(bot):
            self._ratings.enter(bot)

    def add(self, score: Score) -> None:
        """Take in the result of a match; a second time changes nothing."""
        if self._ratings.has(score.ordinal):
            return
        self.latest.appendleft(outcome(score))
        self._totals.add(score, self._deal(score.ordinal))
        self._ratings.add(score.ordinal, score.bots, score.ranks, score.versions)
        self._results[score.ordinal] = (score.bots, score.ranks)
        if score.ordinal >= self._ratings.settled:
            self._ahead[score.ordinal] = score
            if len(self._ahead) > 64 + 2 * self._ratings.beyond:
                self._drop_settled()

    def skip(self, ordinal: int) -> None:
        """This match will have no result: it was set aside."""
        if not self._ratings.has(ordinal):
            self.aside += 1
            self._ratings.skip(ordinal)

    def rows(self, absent: Mapping[str, float | None] | None = None, *, final: bool = False) -> tuple[Standing, ...]:
        """The standings, best first; `absent` tells who is away, and for how long.

        Each names the rank that the bot held when the order was last another one. There is none before the first
        result, where all are level, and none in `final` standings: they are where the bots ended, not a moment.
        """
        absent = absent or {}
        ratings = self._ratings.ratings()
        table = {rating.bot: rating for rating in ratings.table()}
        lines, bots = self._totals.lines, self._totals.bots
        solo = self._players == 1

        def key(bot: str) -> tuple[float, ...]:
            line, rating = lines[bot], table[bot]
            mean = line.scores / line.matches if line.matches else float("-inf")
            return (mean,) if solo else (rating.exposed, rating.mu)

        keys = {bot: tuple(-part for part in key(bot)) for bot in bots}
        ordered = sorted(bots, key=lambda bot: (keys[bot], bot))
        places = sorted(keys.values())
        ranks = {bot: 1 + bisect_left(places, keys[bot]) for bot in bots}
        if ranks != self._ranks and self.matches:
            self._previous, self._ranks = self._ranks, ranks
        return tuple(
            Standing(
                rank=ranks[bot],
                bot=bot,
                mu=table[bot].mu,
                sigma=table[bot].sigma,
                matches=(line := lines[bot]).matches,
                wins=line.wins,
                mean_rank=line.ranks / line.matches if line.matches else None,
                faults=line.faults,
                mean_score=line.scores / line.matches if line.matches else None,
                previous_rank=None if final else self._previous.get(bot),
                absent=bot in absent,
                absent_seconds=absent.get(bot),
                wins_split=split(line.firsts),
                draws=line.draws,
                fault_kinds=_kinds(line.fault_kinds),
                versions=tuple(VersionRating(*mark) for mark in ratings.versions.get(bot, ())),
            )
            for bot in ordered
        )

    def digest(self) -> str:
        """A fingerprint of the standings: equal exactly if every bot's rating and counts are equal to the last bit."""
        table = sorted(self._ratings.ratings().table(), key=lambda rating: rating.bot)
        rows = [
            [rating.bot, rating.mu.hex(), rating.sigma.hex(), *self.totals(rating.bot).values()] for rating in table
        ]
        return sha256("".join(json.dumps(row) + "\n" for row in rows).encode()).hexdigest()

    def totals(self, bot: str) -> dict[str, int]:
        """What is summed up of a bot: matches, wins, ranks, scores and faults."""
        return self._totals.of(bot)

    def crosstable(self) -> Crosstable:
        """Who met whom; empty for very many bots."""
        return self._totals.crosstable()

    def seats(self) -> Seats:
        """Per bot and seat, per seat, and whether any seat is better."""
        return self._totals.seats()

    def strengths(self, *, now: bool, early: bool = False) -> Strengths:
        """Order-free ratings: of all results if they are wanted `now`, else of those before `strengths_place`."""
        if self._players == 1 or len(self.bots) < 2 or not self.matches:
            return Strengths()
        through = self._ratings.end if now else strengths_place(self.settled, early=early)
        if not through:
            return Strengths()
        matches = self.matches if now else -1
        key = (through, len(self.bots), matches)
        if self._strengths[0] != key:
            self._strengths = (key, self._work_out_strengths(through, now=now))
        return self._strengths[1]

    def strengths_before(self, through: int, entrants: int) -> Strengths:
        """Order-free ratings of the results before a place, by the first so many bots."""
        from referee.tournament.statistics.strengths import strengths  # numpy: only where it is used

        chosen = {ordinal: result for ordinal, result in self._all_results().items() if ordinal < through}
        blocks = [self._deal(ordinal) for ordinal in chosen]
        return strengths(list(chosen.values()), self.bots[:entrants], self._settings, blocks)

    def value(self, blocks: Collection[int]) -> dict[str, Any]:
        """Ratings and totals of the settled beginning of the schedule, as plain JSON.

        `blocks` names the deals on which matches on both sides of `settled` are played.
        """
        self._drop_settled()
        for ordinal, score in self._ahead.items():
            self._totals.add(score, self._deal(ordinal), -1)
        try:
            beliefs, versions = self._ratings.settled_beliefs(), self._ratings.settled_versions()
            told = {"versions": [[list(mark) for mark in versions.get(bot, ())] for bot in self.bots]}
            return {
                "ratings": [list(beliefs[bot]) for bot in self.bots],
                "totals": self._totals.value(blocks),
                **(told if self._settings.version_sigma else {}),
            }
        finally:
            for ordinal, score in self._ahead.items():
                self._totals.add(score, self._deal(ordinal))

    def restore(self, value: Mapping[str, Any], settled: int) -> None:
        """Begin, as an empty board, with a value of the first so many matches."""
        self._totals.restore(value["totals"])
        beliefs = {bot: Belief(*belief) for bot, belief in zip(self.bots, value["ratings"], strict=True)}
        told = zip(self.bots, value.get("versions", ()), strict=False)
        versions = {bot: tuple(VersionMark(*mark) for mark in marks) for bot, marks in told if marks}
        self._ratings.begin_at(settled, beliefs, versions)
        self._unseen = settled
        self.aside = settled - self.matches

    def _work_out_strengths(self, through: int, *, now: bool) -> Strengths:
        memory, entrants = self._memory, len(self.bots)
        if memory is not None and (known := memory.strengths(through, entrants)) is not None:
            return known
        found = self.strengths_before(through, entrants)
        if memory is not None:
            memory.keep_strengths(through, entrants, self.aside if now else through - found.matches, found)
        return found

    def _all_results(self) -> dict[int, Ranked]:
        if self._unseen and self._memory is not None:
            self._results = {**self._memory.results(self._unseen), **self._results}
            self._unseen = 0
        return self._results

    def _drop_settled(self) -> None:
        settled = self._ratings.settled
        self._ahead = {ordinal: score for ordinal, score in self._ahead.items() if ordinal >= settled}


def _kinds(counts: Counter[str]) -> tuple[FaultKind, ...]:
    """The most frequent first."""
    found = sorted(((times, kind) for kind, times in counts.items() if times), key=lambda one: (-one[0], one[1]))
    return tuple(FaultKind(kind, times) for times, kind in found)
