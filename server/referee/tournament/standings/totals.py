"""Totals of a scoreboard: what is counted of results, in whatever order they come.

Per bot: matches, wins, ranks, scores, faults and their kinds, first places and seats. Per pair of bots: meetings, and
who was better. Over all bots: whether the seats are alike. A result can be taken back, and the whole written as plain
JSON and read again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from referee.tournament.standings.score import Score
from referee.tournament.statistics.seats_alike import SeatsAlike
from referee_leaderboard.crosstable import Crosstable
from referee_leaderboard.seats import SeatCount, Seats

LARGEST_CROSSTABLE = 128
"""Bots up to which the crosstable is made; a larger one is unreadable and costs time."""
SUMS = ("matches", "wins", "ranks", "scores", "faults")


class BotTotals:
    """What one bot has done."""

    __slots__ = ("fault_kinds", "faults", "firsts", "matches", "ranks", "scores", "seats", "wins")

    def __init__(self, players: int) -> None:
        self.matches = self.wins = self.ranks = self.scores = self.faults = 0
        self.firsts: Counter[int] = Counter()  # first places by how many shared them
        self.fault_kinds: Counter[str] = Counter()
        self.seats = [SeatCount() for _ in range(players)]

    @property
    def draws(self) -> int:
        """First places that were shared."""
        return sum(times for sharing, times in self.firsts.items() if sharing > 1)


class Totals:
    """Results in, counts out."""

    def __init__(self, players: int) -> None:
        self._players = players
        self.bots: list[str] = []
        """In the order of entry."""
        self.lines: dict[str, BotTotals] = {}
        self.matches = 0
        self._place: dict[str, int] = {}
        self._meetings: list[list[int]] = []
        self._better: list[list[int]] = []
        self._equal: list[list[int]] = []
        self._seats_alike = SeatsAlike(players)

    def join(self, bot: str) -> bool:
        """A further bot; False if it is there already."""
        if bot in self._place:
            return False
        self._place[bot] = len(self.bots)
        self.bots.append(bot)
        self.lines[bot] = BotTotals(self._players)
        for square in (self._meetings, self._better, self._equal):
            if len(self.bots) > LARGEST_CROSSTABLE:
                square.clear()
                continue
            for row in square:
                row.append(0)
            square.append([0] * len(self.bots))
        return True

    def add(self, score: Score, block: int, times: int = 1) -> None:
        """Count a result, which belongs to a block of matches on one deal; with −1 times it is taken back."""
        places = [self._place[bot] for bot in score.bots]
        first = score.ranks.count(1)
        self.matches += times
        self._seats_alike.add(score.ranks, block, times)
        for seat, bot in enumerate(score.bots):
            rank, line = score.ranks[seat], self.lines[bot]
            line.matches += times
            if rank == 1:
                line.wins += times
                line.firsts[first] += times
            line.ranks += times * rank
            line.scores += times * score.scores[seat]
            if fault := score.faults[seat]:
                line.faults += times
                line.fault_kinds[fault] += times
            line.seats[seat].add(rank, first, times)
            if not self._meetings:
                continue
            own = places[seat]
            for place, other in zip(places, score.ranks, strict=True):
                if place != own:
                    self._meetings[own][place] += times
                    if rank < other:
                        self._better[own][place] += times
                    elif rank == other:
                        self._equal[own][place] += times

    def of(self, bot: str) -> dict[str, int]:
        """What is summed up of a bot: matches, wins, ranks, scores and faults."""
        line = self.lines[bot]
        return {name: getattr(line, name) for name in SUMS}

    def crosstable(self) -> Crosstable:
        """Who met whom, without bots that have no result once others have one; empty for very many bots."""
        if not self._meetings:
            return Crosstable()
        met = [place for place, bot in enumerate(self.bots) if self.lines[bot].matches or not self.matches]
        squares = [
            tuple(tuple(square[row][column] for column in met) for row in met)
            for square in (self._meetings, self._better, self._equal)
        ]
        return Crosstable(tuple(self.bots[place] for place in met), *squares)

    def seats(self) -> Seats:
        """Per bot and seat, per seat, and whether any seat is better."""
        records, totals = [], [SeatCount() for _ in range(self._players)]
        for bot in self.bots:
            for seat, count in enumerate(self.lines[bot].seats):
                if count.matches:
                    records.append(count.record(bot, seat))
                    totals[seat].merge(count)
        # The luck of a mirrored deal stays in its seat: a block says of a seat what one match does.
        together = self.matches / max(1, self._seats_alike.observations)
        overall = tuple(count.total(seat, together) for seat, count in enumerate(totals) if count.matches)
        return Seats(tuple(records), overall, self._seats_alike.p_value)

    def value(self, blocks: Collection[int]) -> dict[str, Any]:
        """All of it as plain JSON; `blocks` may still get further matches."""
        return {
            "bots": list(self.bots),
            "matches": self.matches,
            "lines": [_line_value(self.lines[bot]) for bot in self.bots],
            "squares": [[list(row) for row in square] for square in (self._meetings, self._better, self._equal)],
            "seats_alike": self._seats_alike.value(blocks),
        }

    def restore(self, value: Mapping[str, Any]) -> None:
        """Begin with a value that was written by `value`."""
        for bot, line in zip(value["bots"], value["lines"], strict=True):
            self.join(bot)
            _restore_line(self.lines[bot], line)
        self.matches = value["matches"]
        self._meetings, self._better, self._equal = ([list(row) for row in square] for square in value["squares"])
        self._seats_alike.restore(value["seats_alike"])


def _line_value(line: BotTotals) -> list[Any]:
    seats = [[seat.matches, seat.ranks, _pairs(seat.firsts)] for seat in line.seats]
    return [*(getattr(line, name) for name in SUMS), _pairs(line.firsts), _pairs(line.fault_kinds), seats]


def _restore_line(line: BotTotals, value: Sequence[Any]) -> None:
    *sums, firsts, kinds, seats = value
    for name, sum_ in zip(SUMS, sums, strict=True):
        setattr(line, name, sum_)
    line.firsts = Counter(dict(firsts))
    line.fault_kinds = Counter(dict(kinds))
    line.seats = [SeatCount(matches, ranks, Counter(dict(first))) for matches, ranks, first in seats]


def _pairs(counts: Counter[Any]) -> list[list[Any]]:
    """Without what was counted and taken back."""
    return [[counted, times] for counted, times in sorted(counts.items()) if times]
