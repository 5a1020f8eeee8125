"""Ladder: a competition without end, in which bots come and go and meet those who are about as strong.

In every round each active bot plays `quota` matches, as far as the tables come out even.

- Who sits out: no bot twice in a row or twice in a round, and no newcomer if that can be avoided; of the others, those
  whose last time is longest ago.
- Newcomers (fewer than `newcomer` matches) are put at tables first. Each table is filled up by expected information,
  and then bots are exchanged between tables while that adds to it.
- The expected information of a pair is what a match between them is expected to tell about the difference of their
  skills: much between neighbours above and below, whose match is open, and between bots of whom little is known;
  little between bots that are far apart. As much as the most there is in the round is taken off for each meeting of
  the two in the last rounds, and for each stretch of `reach` places between the two beyond the first. As many rounds
  are remembered as it takes to meet twice as many others as are in reach. So a bot meets its neighbours above and below
  in turn, no few bots at the top play among themselves alone, and a leader from whose matches nothing can be learnt
  meets as many others as anybody.
- A bot that was absent is left in peace for a round, then for two, four, at most eight, until it plays again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.rules.chance import Chance
from referee.tournament.formats.format import (
    Drawn,
    DrawnTable,
    Field,
    Finished,
    Forecast,
    Format,
    SettledRound,
    Waiting,
)
from referee.tournament.formats.ladder_past import LadderPast, Season, past_of, put_back
from referee.tournament.formats.seeding import listed
from referee.tournament.ratings import RatingSettings
from referee.tournament.ratings.trueskill_update import Belief
from referee.tournament.schedule.draw import Groups, exchange, greedy
from referee.tournament.schedule.pairing import ScheduleError
from referee.tournament.schedule.seating import seat_table

REACH = 6
"""Times k-1 seats: how many places above and below are neighbours at most; never more than a third of the ladder."""

MOST_QUOTA = 1000
"""A round is drawn as a whole: more than this is a slip of the pen, and would hold the server up for minutes."""

_GRAIN = 1_000_000
"""Information is rounded to this fraction of the most there is, so that draws compare whole numbers."""


@dataclass(frozen=True, slots=True)
class Ladder(Format):
    """The settings of a ladder."""

    quota: int = 1
    """Matches of each bot in a round."""
    newcomer: int = 5
    """A bot with fewer matches than this is new."""
    season: int | None = None
    """Rounds of a season; None: a single season without end."""
    keep: float = 0.5
    """How much of its distance from the mean a rating keeps from one season to the next."""
    rounds: int | None = None
    """Rounds after which the ladder ends; None: never."""
    tau: float = 25.0 / 300
    """How much a skill may change from match to match: bots are changed by their authors."""
    draw_probability: float = 0.0
    """How often equal bots end level."""
    around: float | None = None
    """The mean of all with which a new season begins, that of a newcomer; None: the mean of the season before."""

    def check(self, entrants: int, players: int) -> None:
        """ScheduleError if it cannot be played; says what to change. A ladder may begin with few bots and wait."""
        if players < 2:
            raise ScheduleError("a ladder needs tables of at least 2: ask for more players per match")
        for name, value, least in (
            ("quota", self.quota, 1),
            ("newcomer", self.newcomer, 0),
            ("season", self.season, 1),
            ("rounds", self.rounds, 1),
        ):
            if value is not None and value < least:
                raise ScheduleError(f"{name} cannot be {value}: ask for at least {least}")
        if self.quota > MOST_QUOTA:
            raise ScheduleError(f"quota cannot be {self.quota:,}: ask for at most {MOST_QUOTA:,}")
        if not 0 <= self.keep <= 1:
            raise ScheduleError(f"keep cannot be {self.keep}: give a share from 0 (forget all) to 1 (forget nothing)")
        if self.around is not None and not math.isfinite(self.around):
            raise ScheduleError(f"around cannot be {self.around}: give a number, such as that of a newcomer")
        if not (math.isfinite(self.tau) and self.tau >= 0):
            raise ScheduleError(f"tau cannot be {self.tau}: give a number of at least 0")
        if not 0 <= self.draw_probability < 1:
            raise ScheduleError(f"draw_probability cannot be {self.draw_probability}: give a share from 0 to below 1")

    def forecast(self, entrants: int, players: int) -> Forecast | None:
        """None for a ladder without end; else what it lasts if as many bots stay in."""
        if self.rounds is None:
            return None
        return Forecast((self.rounds,) * 2, (self.rounds * self.quota * (entrants // players),) * 2)

    def ratings(self, field: Field, played: Sequence[SettledRound]) -> list[Belief]:
        """The ratings of all entrants after these rounds."""
        past = self._past(field, played)
        found = [past.belief(entrant) for entrant in range(field.entrants)]
        put_back(self._key(field), past)
        return found

    def own_count(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float]:
        return [belief.mu - 3 * belief.sigma for belief in self.ratings(field, played)]

    def places(self, field: Field, played: Sequence[SettledRound]) -> list[tuple[int, ...]]:
        """Active bots by μ − 3σ, then those who are not in; who is level shares a place."""
        past = self._past(field, played)
        level: dict[tuple[bool, float], list[int]] = {}
        for entrant in range(field.entrants):
            level.setdefault((entrant not in field.active, -past.exposed(entrant)), []).append(entrant)
        put_back(self._key(field), past)
        return [tuple(level[place]) for place in sorted(level)]

    def next(self, field: Field, played: Sequence[SettledRound], chance: Chance) -> Drawn | Waiting | Finished:
        """The next round; Waiting while too few bots are in."""
        if self.rounds is not None and len(played) >= self.rounds:
            return Finished(f"all {self.rounds} rounds are played", tuple(self.places(field, played)))
        if len(field.active) < field.players:
            return Waiting(f"{len(field.active)} bots are in and a table needs {field.players}")
        past = self._past(field, played)
        drawn = self._draw(field, past, chance)
        put_back(self._key(field), past)
        return drawn

    def _key(self, field: Field) -> tuple[Ladder, int]:
        return self, field.players

    def _past(self, field: Field, played: Sequence[SettledRound]) -> LadderPast:
        settings = RatingSettings(tau=self.tau, draw_probability=self.draw_probability)
        return past_of(self._key(field), settings, Season(self.season, self.keep, self.around), self.quota, played)

    def _draw(self, field: Field, past: LadderPast, chance: Chance) -> Drawn:
        number = len(past.rounds) + 1
        lots = chance.order("lots", sorted(field.active))
        ladder = sorted(lots, key=lambda entrant: -past.exposed(entrant))
        reach = max(1, min(REACH * (field.players - 1), (len(ladder) - 1) // 3))
        remembered = math.ceil(2 * reach / (field.players - 1))
        met = _recent_meetings(past.rounds[-remembered:])
        sat = [list(past.sat(entrant, field.players)) for entrant in range(field.entrants)]
        waited = {entrant for entrant in lots if number > 1 and past.sat_out(entrant) == number - 1}
        tables: list[DrawnTable] = []
        missed = dict.fromkeys(lots, 0)  # matches of this round that each bot has sat out
        for _ in range(self.quota):
            playing = self._playing(field, past, lots, waited, missed, number)
            for group in _tables(ladder, playing, self._new(past, playing), field.players, past, met, reach):
                seats = seat_table(group, sat)
                tables.append(DrawnTable(seats, self._why(group, ladder, past)))
                for seat, entrant in enumerate(seats):
                    sat[entrant][seat] += 1
                _note(met, group)
            waited = set(lots) - playing
            for entrant in waited:
                missed[entrant] += 1
        at_tables = {entrant for table in tables for entrant in table.seats}
        return Drawn(tuple(tables), self._stage(number), tuple(sorted(field.active - at_tables)))

    def _playing(
        self, field: Field, past: LadderPast, lots: list[int], waited: set[int], missed: Mapping[int, int], number: int
    ) -> set[int]:
        """Who plays: all that are not left in peace, but for those who are too many."""
        there = [entrant for entrant in lots if past.rests_until(entrant) <= number]
        if len(there) < field.players:
            there = sorted(lots, key=past.rests_until)[: field.players]
        first = sorted(
            there,
            key=lambda entrant: (
                -missed[entrant],
                entrant not in waited,
                min(past.matches(entrant), self.newcomer),
                -past.sat_out(entrant),
            ),
        )
        return set(first[: len(first) - len(first) % field.players])

    def _new(self, past: LadderPast, playing: set[int]) -> list[int]:
        """Newcomers, those with the fewest matches first."""
        new = [entrant for entrant in sorted(playing) if past.matches(entrant) < self.newcomer]
        return sorted(new, key=past.matches)

    def _stage(self, number: int) -> str:
        if self.season is None:
            return f"round {number}"
        season, within = divmod(number - 1, self.season)
        return f"season {season + 1}, round {within + 1} of {self.season}"

    def _why(self, group: Sequence[int], ladder: Sequence[int], past: LadderPast) -> str:
        places = sorted(ladder.index(entrant) + 1 for entrant in group)
        where = f"places {listed([str(place) for place in places])} of {len(ladder)} in the ladder"
        new = sum(past.matches(entrant) < self.newcomer for entrant in group)
        if new:
            return f"{where}, {'one' if new == 1 else new} of them new: newcomers are drawn first"
        return f"{where}, drawn for the most expected information among neighbours that have met little lately"


def information(one: Belief, two: Belief, beta: float) -> float:
    """What a match of two is expected to tell about the difference of their skills, in nats.

    The difference is believed to be normal with variance σ₁² + σ₂². A result is the sign of the difference plus the
    luck of both. Its Fisher information, at the believed difference, narrows the variance; half the logarithm of how
    much is what has been learnt.
    """
    unknown = one.sigma**2 + two.sigma**2
    spread = math.sqrt(2 * beta**2 + unknown)
    t = abs(one.mu - two.mu) / spread
    lose = 0.5 * math.erfc(t / math.sqrt(2))
    if lose < 1e-300:
        return 0.0
    density = math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
    return 0.5 * math.log1p(unknown * density**2 / (lose * (1 - lose)) / spread**2)


def _tables(
    ladder: list[int],
    playing: set[int],
    new: list[int],
    players: int,
    past: LadderPast,
    met: dict[tuple[int, int], int],
    reach: int,
) -> Groups:
    """Tables of those who play, newcomers seated first; from the top of the ladder down."""
    order = [entrant for entrant in ladder if entrant in playing]
    place = {entrant: at for at, entrant in enumerate(order)}
    beta = RatingSettings().beta
    beliefs = [past.belief(entrant) for entrant in order]
    told = {(a, b): information(beliefs[a], beliefs[b], beta) for a in range(len(order)) for b in range(a)}
    most = max(told.values()) or 1.0
    weights = [[0] * len(order) for _ in order]
    for (a, b), learnt in told.items():
        again = met.get((min(order[a], order[b]), max(order[a], order[b])), 0)
        # `order` goes down the ladder, so a - b is how many places of those who play lie between the two.
        far = max(0, a - b - reach) * _GRAIN // reach
        weights[a][b] = weights[b][a] = round(_GRAIN * (1 - learnt / most)) + again * _GRAIN + far
    first = [place[entrant] for entrant in new]
    rest = [at for at in range(len(order)) if at not in first]
    groups, _ = exchange([*greedy(first + rest, players, weights), []], weights, [0] * len(order))
    return [[order[at] for at in sorted(group)] for group in sorted(groups, key=min)]


def _recent_meetings(rounds: Sequence[SettledRound]) -> dict[tuple[int, int], int]:
    met: dict[tuple[int, int], int] = {}
    for settled in rounds:
        for table in settled.tables:
            if table.ranks is not None:
                _note(met, table.seats)
    return met


def _note(met: dict[tuple[int, int], int], table: Sequence[int]) -> None:
    for at, a in enumerate(table):
        for b in table[at + 1 :]:
            pair = (min(a, b), max(a, b))
            met[pair] = met.get(pair, 0) + 1
