"""Until it is known: matches are played until a question about the field is answered, or a budget is spent.

Questions: who is first, which bots are the top m, the whole order, which of two bots is better. Every two bots are
compared by *paired* values. A block is two matches of the same bots, in seats that are drawn evenly and then the other
way round, so that no seat can make one of two equal bots better; the value of a pair is the share of the two matches
in which one was ahead minus the share in which it was behind. Evidence that this is above zero in the mean is an
e-process (`statistics.betting`): the chance that it ever misleads is bounded however often one looks, and whoever was
chosen to play next. The error is divided among all ordered pairs of entrants, so that with the stated confidence *all*
claims that are ever made hold together. A bot that is better than a better one counts as better.

Where the next matches go: to pairs on which the question still hangs, more of them where the difference seems large,
for those are told soonest and put bots out of the question, and where little is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as setting
from itertools import combinations
from math import fsum, log
from typing import Any, ClassVar

from referee.rules.chance import Chance
from referee.tournament.formats.format import Drawn, DrawnTable, Field, Finished, Forecast, Format, SettledRound
from referee.tournament.formats.seeding import listed
from referee.tournament.schedule.pairing import ScheduleError
from referee.tournament.statistics.betting import log_money

FIRST, TOP, ORDER, PAIR = "first", "top", "order", "pair"
GROWTH, LEAST_BLOCKS = 10, 8
"""A round has a tenth of the matches played before it, but so many blocks at least, and one that seats each bot."""
BLOCK = 2
"""Matches in a block."""
CURIOSITY = 4.0
"""How many meetings count for little: the fewer there were, the more a pair is worth another."""

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Until(Format):
    """Play until the question is answered with this confidence, for at most so many matches."""

    turned: ClassVar[int] = BLOCK
    about: ClassVar[str] = "matches go where they tell most, until a question is answered: who is first, or the order"

    question: str = setting(default=FIRST, metadata={"help": "first, top, order or pair"})
    top: int = setting(default=1, metadata={"help": "for the question top: how many bots"})
    pair: tuple[int, ...] = setting(default=(), metadata={"help": "for the question pair: the two bots"})
    confidence: float = setting(default=0.95, metadata={"help": "how sure the answer has to be"})
    budget: int = setting(default=1000, metadata={"help": "the most matches"})

    def check(self, entrants: int, players: int) -> None:
        if players < 2:
            raise ScheduleError("bots are compared at tables of at least 2: ask for more players per match")
        if self.question not in (FIRST, TOP, ORDER, PAIR):
            raise ScheduleError(f"nothing is known of the question {self.question!r}: choose first, top, order or pair")
        if not 0.5 <= self.confidence < 1:
            raise ScheduleError(f"a confidence of {self.confidence} cannot be had: ask for 0.5 to 0.9999, as 0.95")
        if self.question == TOP and not 1 <= self.top < entrants:
            raise ScheduleError(
                f"the top {self.top} of {entrants} bots cannot be told from the rest: ask for 1 to {entrants - 1}"
            )
        if self.question == PAIR and (
            len(set(self.pair)) != 2 or len(self.pair) != 2 or not all(0 <= one < entrants for one in self.pair)
        ):
            raise ScheduleError("the question which of two is better needs two different bots of the tournament")
        if self.budget < BLOCK:
            raise ScheduleError(f"a budget of {self.budget} matches is less than one block of {BLOCK}: allow more")

    def next(self, field: Field, played: Sequence[SettledRound], chance: Chance) -> Drawn | Finished:
        known = Known(self, field, played)
        spent = _matches(played)
        if over := self._over(known, field, played, self._answer()):
            return Finished(over, tuple(self.places(field, played)))
        wanted = max(_first_round(len(field.active), field.players), spent // GROWTH // BLOCK)
        blocks = min((self.budget - spent) // BLOCK, wanted)
        tables: list[DrawnTable] = []
        drawn: Counter[Pair] = Counter()
        for _ in range(blocks):
            table, hangs = known.table(drawn, chance)
            drawn.update(combinations(sorted(table), 2))
            count = field.players * (field.players - 1) // 2
            why = f"the question hangs on {hangs} of the {count} pairs at this table"
            tables += [DrawnTable(seats, why) for seats in block(table)]
        return Drawn(tuple(tables), f"round {len(played) + 1}: {known.open_question()}")

    def _over(self, known: Known, field: Field, played: Sequence[SettledRound], answer: str) -> str:
        """Why no further round is drawn, with this answer if there is one; empty if one is."""
        spent = _matches(played)
        after = f"after {spent} of at most {self.budget} matches"
        if known.answered:
            return f"{answer} with {100 * self.confidence:.4g} % confidence, {after}"
        if len(field.active) < field.players or not known.open_pairs():
            return f"too few bots are left to answer the question, {after}"
        if (self.budget - spent) // BLOCK < 1:
            return f"the budget is spent and the question is open, {after}: {known.still_open()}"
        return ""

    def verdict(self, field: Field, played: Sequence[SettledRound], names: Sequence[str]) -> str:
        known = Known(self, field, played)
        return self._over(known, field, played, known.answer(names) if known.answered else "")

    def forecast(self, entrants: int, players: int) -> Forecast | None:
        first = min(self.budget // BLOCK, _first_round(entrants, players))
        return Forecast((1, max(1, self.budget // (first * BLOCK))), (first * BLOCK, self.budget - self.budget % BLOCK))

    def points(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float]:
        """The mean paired value of each entrant against those it met, from -1 to 1; 0 before its first block."""
        values = paired(field.entrants, played)
        found = []
        for one in range(field.entrants):
            means = [
                sum(value * times for value, times in counts.items()) / counts.total()
                for other in range(field.entrants)
                if (counts := values.get((one, other)))
            ]
            found.append(round(sum(means) / len(means), 9) if means else 0.0)
        return found

    def own_count(self, field: Field, played: Sequence[SettledRound]) -> Sequence[float]:
        return self.points(field, played)

    def places(self, field: Field, played: Sequence[SettledRound]) -> list[tuple[int, ...]]:
        points = self.points(field, played)
        known = Known(self, field, played)
        # What is known comes before what merely seems: a bot that beats more others stands higher.
        keys = [(len(known.better[one]) - len(known.worse[one]), points[one]) for one in range(field.entrants)]
        return [
            tuple(one for one in range(field.entrants) if keys[one] == key) for key in sorted(set(keys), reverse=True)
        ]

    def _answer(self) -> str:
        if self.question == PAIR:
            return "it is known which of the two is better"
        if self.question == ORDER:
            return "the whole order is known"
        return "the first is known" if self.question == FIRST else f"the top {self.top} are known"


def settings_of(text: str, names: Sequence[str], confidence: float, budget: int) -> dict[str, Any]:
    """The settings of this format from a question in words: `first known`, `top 3 known`, `order known`, `A > B`."""
    words = text.split()
    given: dict[str, Any] = {"name": "until", "confidence": confidence, "budget": budget}
    if ">" in text:
        ends = [part.strip() for part in text.split(">")]
        if len(ends) != 2 or any(end not in names for end in ends):
            raise ScheduleError(f"--until {text!r}: write the names of two bots of the tournament, 'A > B'")
        return {**given, "question": PAIR, "pair": [names.index(end) for end in ends]}
    if words in (["first", "known"], ["order", "known"]):
        return {**given, "question": words[0]}
    if len(words) == 3 and words[0] == "top" and words[2] == "known" and words[1].isdecimal():
        return {**given, "question": TOP, "top": int(words[1])}
    raise ScheduleError(
        f"--until {text!r} is not a question: ask 'first known', 'top 3 known', 'order known' or 'A > B'"
    )


def _matches(played: Sequence[SettledRound]) -> int:
    return sum(len(round.tables) for round in played)


def _first_round(bots: int, players: int) -> int:
    """Blocks of a round before there are many results."""
    return max(LEAST_BLOCKS, -(-bots // players))


def block(table: Sequence[int]) -> list[tuple[int, ...]]:
    """A table in these seats and the other way round."""
    return [tuple(table), tuple(table[::-1])]


def paired(entrants: int, played: Sequence[SettledRound]) -> dict[Pair, Counter[float]]:
    """For every ordered pair that met in a whole block: how often each value came, from -1 to 1."""
    found: dict[Pair, Counter[float]] = {}
    for round in played:
        at = 0
        while at < len(round.tables):
            table = round.tables[at].seats
            tables = round.tables[at : at + BLOCK]
            at += len(tables)
            ranks = [dict(zip(one.seats, one.ranks, strict=True)) for one in tables if one.ranks is not None]
            if len(ranks) < len(tables):
                continue  # a match was set aside
            for one, other in combinations(table, 2):
                total = sum((rank[one] < rank[other]) - (rank[one] > rank[other]) for rank in ranks)
                found.setdefault((one, other), Counter())[total / len(tables)] += 1
                found.setdefault((other, one), Counter())[-total / len(tables)] += 1
    return found


class Known:
    """What the results say so far: who is surely better than whom, and what is still open."""

    def __init__(self, format: Until, field: Field, played: Sequence[SettledRound]) -> None:
        self._format = format
        self._players = field.players
        self._bots = sorted(field.active)
        self._values = paired(field.entrants, played)
        every = 2 if format.question == PAIR else field.entrants * (field.entrants - 1)
        needed = log(every / (1 - format.confidence))
        self.better: dict[int, set[int]] = {one: set() for one in range(field.entrants)}
        """For each entrant those that it is surely better than."""
        for (one, other), counts in self._values.items():
            if log_money(dict(sorted(counts.items())), 0.0, -1.0) >= needed:
                self.better[one].add(other)
        if format.question != PAIR:
            self._follow()
        self.worse = {one: {other for other in self.better if one in self.better[other]} for one in self.better}

    def _follow(self) -> None:
        """A bot that is better than a better one is better too."""
        for middle in self.better:
            for beaten in self.better.values():
                if middle in beaten:
                    beaten |= self.better[middle]

    @property
    def answered(self) -> bool:
        if self._format.question == PAIR:
            one, other = self._format.pair
            return other in self.better[one] or one in self.better[other]
        if self._format.question == ORDER:
            return all(self._told(one, other) for one, other in combinations(self._bots, 2))
        inside, outside = self._settled()
        return len(inside) >= self._top or len(outside) >= len(self._bots) - self._top

    def answer(self, names: Sequence[str]) -> str:
        """What is known, with the names of the bots."""
        if self._format.question == PAIR:
            one, other = self._format.pair
            better, worse = (one, other) if other in self.better[one] else (other, one)
            return f"{names[better]} is better than {names[worse]}"
        if self._format.question == ORDER:
            order = sorted(self._bots, key=lambda one: -len(self.better[one] & set(self._bots)))
            return f"the order is {listed([names[one] for one in order])}"
        inside, outside = self._settled()
        top = inside if len(inside) >= self._top else set(self._bots) - outside
        told = listed([names[one] for one in sorted(top)])
        return f"{told} is the first" if self._format.question == FIRST else f"the top {self._top} are {told}"

    @property
    def _top(self) -> int:
        return 1 if self._format.question == FIRST else self._format.top

    def _told(self, one: int, other: int) -> bool:
        return other in self.better[one] or one in self.better[other]

    def _settled(self) -> tuple[set[int], set[int]]:
        """Bots that are surely among the top, and those that surely are not."""
        bots = set(self._bots)
        inside = {one for one in bots if len(self.better[one] & bots) >= len(bots) - self._top}
        outside = {one for one in bots if len(self.worse[one] & bots) >= self._top}
        return inside, outside

    def open_pairs(self) -> list[Pair]:
        """The pairs on which the question hangs."""
        if self._format.question == PAIR:
            one, other = sorted(self._format.pair)
            return [(one, other)] if one in self._bots and other in self._bots else []
        pairs = [pair for pair in combinations(self._bots, 2) if not self._told(*pair)]
        if self._format.question == ORDER:
            return pairs
        inside, outside = self._settled()
        # A bot that is out of the question puts no other bot out that a better one would not put out sooner.
        return [pair for pair in pairs if not inside.issuperset(pair) and outside.isdisjoint(pair)]

    def open_question(self) -> str:
        """What is not known yet, in a few words."""
        if self._format.question in (PAIR, ORDER):
            count = len(self.open_pairs())
            return "1 pair is not told apart" if count == 1 else f"{count} pairs are not told apart"
        inside, outside = self._settled()
        return f"{len(self._bots) - len(inside | outside)} bots may be among the top {self._top} or not"

    def still_open(self) -> str:
        """The same at the end, where no verifier compares the words."""
        if self._format.question != FIRST:
            return self.open_question()
        inside, outside = self._settled()
        return f"{len(self._bots) - len(inside | outside)} bots may be the first"

    def table(self, drawn: Mapping[Pair, int], chance: Chance) -> tuple[tuple[int, ...], int]:
        """The bots of the block that tells most, in drawn seats, and on how many of its pairs the question hangs."""
        worth = {pair: self._worth(pair) / (1 + drawn.get(pair, 0)) for pair in self.open_pairs()}
        order = chance.order("bots", self._bots)
        place = {bot: at for at, bot in enumerate(order)}
        first = max(worth, key=lambda pair: (worth[pair], -place[pair[0]], -place[pair[1]]))
        seated = list(first)
        while len(seated) < self._players:
            rest = [bot for bot in order if bot not in seated]
            seated.append(
                max(rest, key=lambda bot: (fsum(worth.get(_pair(bot, other), 0.0) for other in seated), -place[bot]))
            )
        hangs = sum(_pair(one, other) in worth for one, other in combinations(seated, 2))
        return tuple(chance.order("seats", sorted(seated))), hangs

    def _worth(self, pair: Pair) -> float:
        """What another meeting of these two is worth: how fast their difference is told, and how little is known."""
        counts = self._values.get(pair, Counter[float]())
        met = counts.total()
        gap = sum(value * times for value, times in counts.items()) / (met + 2)
        return gap * gap + 1 / (CURIOSITY + met)


def _pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)
