"""Where a bot loses most, over many matches: its costs by kind of decision, and its luck summed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from referee.analysis.why.explained import CostlyChoice, Explained, kind_of, verb_of
from referee.analysis.why.positions import states_of


@dataclass(frozen=True, slots=True)
class Habit:
    """One kind of decision: how often it came, and what the choices in it cost altogether."""

    kind: str
    decisions: int
    """How often the bot had a choice of this kind."""
    costly: int
    """How often another move was better, by more than chance in the rollouts explains."""
    ranks: float
    points: float
    """Lost by the choices that were surely not the best, in all."""
    typical: tuple[tuple[str, str, int], ...]
    """What was done, what was better, and how often: the first words of the moves."""


@dataclass(frozen=True, slots=True)
class Habits:
    """A bot over many matches."""

    bot: str
    matches: tuple[Explained, ...]
    kinds: tuple[Habit, ...]
    """Those that cost most first."""
    luck_rank: float
    luck_score: float
    mean_rank: float
    rank_without_luck: float
    rank_error: float

    def to_value(self) -> dict[str, Any]:
        first = self.matches[0]
        return {
            "bot": self.bot,
            "game": first.match.game.name,
            "matches": [one.match.match for one in self.matches],
            "yardstick": first.setting.yardstick.name,
            "rollouts": first.setting.rollouts,
            "seed": first.setting.seed,
            "mean_rank": round(self.mean_rank, 4),
            "mean_rank_without_luck": round(self.rank_without_luck, 4),
            "mean_rank_without_luck_error": round(self.rank_error, 4),
            "luck": {"ranks": round(self.luck_rank, 4), "points": round(self.luck_score, 4)},
            "kinds": [
                {
                    "kind": habit.kind,
                    "decisions": habit.decisions,
                    "costly": habit.costly,
                    "ranks": round(habit.ranks, 4),
                    "points": round(habit.points, 4),
                    "typical": [
                        {"played": played, "better": better, "times": times} for played, better, times in habit.typical
                    ],
                }
                for habit in self.kinds
            ],
            "by_match": [
                {
                    "match": one.match.match,
                    "seat": one.seat,
                    "rank": one.match.ending.ranks[one.seat],
                    "luck": {"ranks": round(one.luck.rank, 4), "points": round(one.luck.score, 4)},
                    "rank_without_luck": round(one.luck.adjusted.rank.value, 4),
                    "costliest": [
                        {"decision": costly.number, "sentence": costly.sentence()} for costly in one.costliest()
                    ],
                }
                for one in self.matches
            ],
        }


def habits(bot: str, matches: Sequence[Explained]) -> Habits:
    """What the explained matches of a bot have in common; there is at least one."""
    asked: Counter[str] = Counter()
    costly: dict[str, list[CostlyChoice]] = {}
    for one in matches:
        states = states_of(one.setting.yardstick, one.match.record)
        for position in one.decisions():
            asked[kind_of(states[position.number][0], one.seat, position.played)] += 1
        for choice in one.costly():
            if choice.sure:
                costly.setdefault(choice.kind, []).append(choice)
    kinds = [_habit(kind, asked[kind], costly.get(kind, [])) for kind in asked]
    count = len(matches)
    return Habits(
        bot,
        tuple(matches),
        tuple(sorted(kinds, key=lambda habit: (-habit.ranks, -habit.points, habit.kind))),
        sum(one.luck.rank for one in matches),
        sum(one.luck.score for one in matches),
        sum(one.match.ending.ranks[one.seat] for one in matches) / count,
        sum(one.luck.adjusted.rank.value for one in matches) / count,
        sqrt(sum(one.luck.adjusted.rank.error**2 for one in matches)) / count,
    )


def _habit(kind: str, decisions: int, costly: Sequence[CostlyChoice]) -> Habit:
    pairs = Counter((verb_of(one.played.move), verb_of(one.better.move)) for one in costly)
    typical = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))[:3]
    return Habit(
        kind,
        decisions,
        len(costly),
        sum(one.cost.rank.value for one in costly),
        sum(one.cost.score.value for one in costly),
        tuple((played, better, times) for (played, better), times in typical),
    )
