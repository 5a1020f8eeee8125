"""The past of a ladder: ratings, byes, absences and seats after so many rounds, taken in round by round.

Ratings are TrueSkill's (`ratings/trueskill_update.py`), in the order of rounds and tables. They are a function of the
rounds alone. Because a ladder has no end, the past that was last asked for is kept: the next round then costs as much
as its own tables, not as much as all before it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from referee.tournament.formats.format import SettledRound, SettledTable
from referee.tournament.ratings import DRAW_FLOOR, RatingSettings
from referee.tournament.ratings.trueskill_update import Belief, Skill

LONGEST_REST = 8
"""Rounds that a bot which is absent again and again sits out at most before it is tried again."""


@dataclass(frozen=True, slots=True)
class Season:
    """How long seasons are, and how much of a rating is kept from one to the next."""

    rounds: int | None
    keep: float
    around: float | None = None
    """The mean that all have at its beginning; None: the one that they have."""


class LadderPast:
    """What is known of every entrant; grows by one round at a time."""

    def __init__(self, settings: RatingSettings, season: Season, quota: int) -> None:
        self._prior = Belief(settings.mu, settings.sigma)
        self._skill = Skill(settings.beta, settings.tau, max(settings.draw_probability, DRAW_FLOOR))
        self._season = season
        self._quota = quota
        self.rounds: list[SettledRound] = []
        self._beliefs: dict[int, Belief] = {}
        self._matches: dict[int, int] = {}
        self._sat: dict[int, list[int]] = {}
        self._sat_out: dict[int, int] = {}
        self._absences: dict[int, tuple[int, int]] = {}

    def belief(self, entrant: int) -> Belief:
        """What is believed of its skill."""
        return self._beliefs.get(entrant, self._prior)

    def exposed(self, entrant: int) -> float:
        """μ − 3σ: by this the ladder is ordered."""
        belief = self.belief(entrant)
        return belief.mu - 3 * belief.sigma

    def matches(self, entrant: int) -> int:
        """Matches with a result."""
        return self._matches.get(entrant, 0)

    def sat(self, entrant: int, players: int) -> list[int]:
        """How often it has sat in each seat."""
        return self._sat.get(entrant, [0] * players)

    def sat_out(self, entrant: int) -> int:
        """The last round in which it was active and played less than its quota; 0 if there is none."""
        return self._sat_out.get(entrant, 0)

    def rests_until(self, entrant: int) -> int:
        """The round in which a bot that was absent is drawn again: later the more often it was absent in a row."""
        last, in_a_row = self._absences.get(entrant, (0, 0))
        return last + min(2 ** (in_a_row - 1), LONGEST_REST) + 1 if in_a_row else 0

    def take(self, settled: SettledRound) -> None:
        """Take in the next round."""
        number = len(self.rounds) + 1
        played: dict[int, int] = {}
        for table in settled.tables:
            self._take_table(table, number)
            for entrant in table.seats:
                played[entrant] = played.get(entrant, 0) + 1
        for entrant in settled.active:
            if played.get(entrant, 0) < self._quota:
                self._sat_out[entrant] = number
        self.rounds.append(settled)
        if self._season.rounds and number % self._season.rounds == 0:
            self._reset()

    def _take_table(self, table: SettledTable, number: int) -> None:
        for seat, entrant in enumerate(table.seats):
            if seat in table.absent:
                self._absences[entrant] = (number, self._absences.get(entrant, (0, 0))[1] + 1)
            else:
                self._absences.pop(entrant, None)
        if table.ranks is None:
            return
        after = self._skill.update([self.belief(entrant) for entrant in table.seats], table.ranks)
        for seat, (entrant, belief) in enumerate(zip(table.seats, after, strict=True)):
            self._beliefs[entrant] = belief
            self._matches[entrant] = self.matches(entrant) + 1
            self._sat.setdefault(entrant, [0] * len(table.seats))[seat] += 1

    def _reset(self) -> None:
        """A new season: every μ moves towards the mean of all, every variance towards that of a newcomer.

        The mean of all is not kept by TrueSkill's updates. From season to season it would go ever further away from
        that of a newcomer, who would then join at the top or at the bottom.
        """
        if not self._beliefs:
            return
        mean = math.fsum(belief.mu for belief in self._beliefs.values()) / len(self._beliefs)
        keep = self._season.keep
        begins = mean if self._season.around is None else self._season.around
        for entrant, (mu, sigma) in self._beliefs.items():
            kept, prior = keep * keep, self._prior.sigma
            variance = kept * sigma * sigma + (1 - kept) * prior * prior
            self._beliefs[entrant] = Belief(begins + keep * (mu - mean), math.sqrt(variance))


_KEPT: dict[Hashable, LadderPast] = {}
_MOST_KEPT = 8


def past_of(
    key: Hashable, settings: RatingSettings, season: Season, quota: int, played: Sequence[SettledRound]
) -> LadderPast:
    """The past after these rounds; the caller gives it back with `put_back` when it has looked at it."""
    past = _KEPT.pop(key, None)  # a second caller meanwhile finds none, and computes its own
    if past is None or len(past.rounds) > len(played) or any(a != b for a, b in zip(past.rounds, played, strict=False)):
        past = LadderPast(settings, season, quota)
    for settled in played[len(past.rounds) :]:
        past.take(settled)
    return past


def put_back(key: Hashable, past: LadderPast) -> None:
    """Keep a past for the next one that asks with the same key."""
    _KEPT[key] = past
    while len(_KEPT) > _MOST_KEPT:
        _KEPT.pop(next(iter(_KEPT)), None)
