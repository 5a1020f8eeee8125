"""The scoreboard of one tournament: takes results as they come, shows standings as if they had come in schedule order.

Ratings are the ladder's affair. Counts of matches, wins, ranks, faults, meetings and seats do not depend on order.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from referee.match.result import Termination
from referee.tournament.ratings import RatingSettings
from referee.tournament.ratings.in_schedule_order import Ladder
from referee_leaderboard.crosstable import Crosstable
from referee_leaderboard.seats import SeatRecord, Seats, SeatTotal
from referee_leaderboard.standings import Outcome, Standing

LARGEST_CROSSTABLE = 128
"""Bots up to which everybody is shown against everybody; a larger square nobody could read, and all would pay for."""


@dataclass(frozen=True, slots=True)
class Score:
    """One result, as far as standings go; everything by seat. `faults` are empty texts where the seat finished."""

    ordinal: int
    match: str
    round: int
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    faults: tuple[str, ...]
    reason: str = "finished"

    @classmethod
    def of(
        cls,
        tournament: str,
        ordinal: int,
        round: int,
        bots: tuple[str, ...],
        ranks: tuple[int, ...],
        scores: tuple[int, ...],
        codes: Iterable[str | None],
        reason: str,
    ) -> Score:
        """The result of a match of this tournament; `codes` tell how each seat ended, as the store spells it."""
        faults = tuple(["" if code in (None, _FINISHED) else code for code in codes])
        return cls(ordinal, f"{tournament}/{ordinal}", round, bots, ranks, scores, faults, reason)


_FINISHED = Termination.FINISHED.code


class _Line:
    """What one bot has done."""

    __slots__ = ("faults", "matches", "ranks", "scores", "seats", "wins")

    def __init__(self, players: int) -> None:
        self.matches = self.wins = self.ranks = self.scores = self.faults = 0
        self.seats = [[0, 0, 0] for _ in range(players)]  # matches, wins, ranks by seat


class Scoreboard:
    """Results in, standings out."""

    def __init__(self, settings: RatingSettings, bots: Sequence[str], players: int) -> None:
        self._settings = settings
        self._players = players
        self._bots: list[str] = []
        self._place: dict[str, int] = {}
        self._lines: dict[str, _Line] = {}
        self._meetings: list[list[int]] = []
        self._better: list[list[int]] = []
        self._equal: list[list[int]] = []
        self._ladder = Ladder(settings)
        self._ranks: dict[str, int] = {}
        self._previous: dict[str, int] = {}
        self.latest: deque[Outcome] = deque(maxlen=12)
        self.matches = 0
        """Results on the board."""
        self.aside = 0
        """Matches that have none, because they were set aside."""
        for bot in bots:
            self.join(bot)

    def join(self, bot: str) -> None:
        """A further bot, at the prior."""
        if bot in self._place:
            return
        self._place[bot] = len(self._bots)
        self._bots.append(bot)
        self._lines[bot] = _Line(self._players)
        for square in (self._meetings, self._better, self._equal):
            if len(self._bots) > LARGEST_CROSSTABLE:
                square.clear()
                continue
            for row in square:
                row.append(0)
            square.append([0] * len(self._bots))
        self._ladder.enter(bot)

    def add(self, score: Score) -> None:
        """Take in the result of a match; a second time changes nothing."""
        if self._ladder.has(score.ordinal):
            return
        self.matches += 1
        self.latest.appendleft(outcome(score))
        self._count(score)
        self._ladder.add(score.ordinal, score.bots, score.ranks)

    def skip(self, ordinal: int) -> None:
        """This match will have no result: it was set aside."""
        if not self._ladder.has(ordinal):
            self.aside += 1
            self._ladder.skip(ordinal)

    def rows(self, absent: Mapping[str, float] | None = None) -> tuple[Standing, ...]:
        """The standings, best first; `absent` tells who is away, and for how long."""
        absent = absent or {}
        table = {rating.bot: rating for rating in self._ladder.ratings().table()}
        solo = self._players == 1

        def key(bot: str) -> tuple[float, ...]:
            line, rating = self._lines[bot], table[bot]
            mean = line.scores / line.matches if line.matches else float("-inf")
            return (mean,) if solo else (rating.exposed, rating.mu)

        keys = {bot: tuple(-part for part in key(bot)) for bot in self._bots}
        ordered = sorted(self._bots, key=lambda bot: (keys[bot], bot))
        places = sorted(keys.values())
        ranks = {bot: 1 + bisect_left(places, keys[bot]) for bot in self._bots}
        if ranks != self._ranks:
            self._previous, self._ranks = self._ranks, ranks
        return tuple(
            Standing(
                rank=ranks[bot],
                bot=bot,
                mu=table[bot].mu,
                sigma=table[bot].sigma,
                matches=(line := self._lines[bot]).matches,
                wins=line.wins,
                mean_rank=line.ranks / line.matches if line.matches else None,
                faults=line.faults,
                mean_score=line.scores / line.matches if line.matches else None,
                previous_rank=self._previous.get(bot),
                absent=bot in absent,
                absent_seconds=absent.get(bot),
            )
            for bot in ordered
        )

    def digest(self) -> str:
        """A fingerprint of the standings: equal exactly if every bot's rating and counts are equal to the last bit."""
        table = sorted(self._ladder.ratings().table(), key=lambda rating: rating.bot)
        rows = [
            [
                rating.bot,
                rating.mu.hex(),
                rating.sigma.hex(),
                line.matches,
                line.wins,
                line.ranks,
                line.scores,
                line.faults,
            ]
            for rating in table
            for line in [self._lines[rating.bot]]
        ]
        return sha256("".join(json.dumps(row) + "\n" for row in rows).encode()).hexdigest()

    def crosstable(self) -> Crosstable:
        if not self._meetings:
            return Crosstable()
        squares = [tuple(tuple(row) for row in square) for square in (self._meetings, self._better, self._equal)]
        return Crosstable(tuple(self._bots), *squares)

    def seats(self) -> Seats:
        records, totals = [], [[0, 0] for _ in range(self._players)]
        for bot in self._bots:
            for seat, (matches, wins, ranks) in enumerate(self._lines[bot].seats):
                if matches:
                    records.append(SeatRecord(bot, seat, matches, wins, ranks / matches))
                    totals[seat][0] += matches
                    totals[seat][1] += wins
        overall = tuple(SeatTotal(seat, matches, wins) for seat, (matches, wins) in enumerate(totals) if matches)
        return Seats(tuple(records), overall)

    def _count(self, score: Score) -> None:
        places = [self._place[bot] for bot in score.bots]
        for seat, bot in enumerate(score.bots):
            rank, line = score.ranks[seat], self._lines[bot]
            line.matches += 1
            line.wins += rank == 1
            line.ranks += rank
            line.scores += score.scores[seat]
            line.faults += bool(score.faults[seat])
            mine = line.seats[seat]
            mine[0] += 1
            mine[1] += rank == 1
            mine[2] += rank
            if not self._meetings:
                continue
            own = places[seat]
            for place, other in zip(places, score.ranks, strict=True):
                if place != own:
                    self._meetings[own][place] += 1
                    self._better[own][place] += rank < other
                    self._equal[own][place] += rank == other


def outcome(score: Score) -> Outcome:
    """A result as it is shown among the latest."""
    return Outcome(score.match, score.round, score.bots, score.ranks, score.scores, score.reason, score.faults)
