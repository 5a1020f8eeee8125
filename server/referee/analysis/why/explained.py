"""A match explained for one seat: its decisions with their values, its luck, and the decisions that cost most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from referee.analysis.replay.recorded import Forfeited, RecordedMatch
from referee.analysis.why.luck import LuckOfMatch
from referee.analysis.why.positions import Choice, Position, Setting, Valued, states_of
from referee.analysis.why.rollouts import Mean
from referee.rules.game import Seat, State
from referee.rules.views import View, to_value

MOST_SHOWN = 60
"""Legal moves of one decision that are told with their values; more of them are only counted."""


@dataclass(frozen=True, slots=True)
class CostlyChoice:
    """A decision of the seat that was not the best: how much it cost, and what would have been better."""

    number: int
    kind: str
    played: Choice
    better: Choice

    @property
    def cost(self) -> Valued:
        """Ranks lost, and points lost (below zero in a game where the lowest score wins)."""
        behind = self.played.behind
        return Valued(behind.rank, Mean(-behind.score.value, behind.score.error))

    @property
    def sure(self) -> bool:
        """Whether chance in the rollouts alone would hardly make it look this bad."""
        return self.weight > 0

    @property
    def weight(self) -> float:
        """The cost that is certain enough: less one standard error, in ranks, or in points for a player alone."""
        return self.played.cost.value - self.played.cost.error

    def sentence(self) -> str:
        """What happened here, for people."""
        rank, score = self.cost.rank, self.cost.score
        ranks = f"{rank.value:.2f} ± {1.96 * rank.error:.2f} ranks" if (rank.value or rank.error) else ""
        points = f"{abs(score.value):.1f} ± {1.96 * score.error:.1f} points"
        lost = "lost" if score.value >= 0 else "gained"
        about = f"{ranks}, {points} {lost}" if ranks else f"{points} {lost}"
        return f"'{self.played.move}' where '{self.better.move}' was better: {about} on average"


@dataclass(frozen=True, slots=True)
class Explained:
    """What a match was about for one seat."""

    match: RecordedMatch
    setting: Setting
    positions: tuple[Position, ...]
    luck: LuckOfMatch

    @property
    def seat(self) -> Seat:
        return self.setting.seat

    @property
    def forfeited(self) -> Forfeited | None:
        """Where the seat stopped playing: what was done for it afterwards is no choice of its own."""
        ends = [one for one in self.match.incidents if isinstance(one, Forfeited) and one.seat == self.seat]
        return ends[0] if ends else None

    @property
    def rollouts(self) -> int:
        """Of all positions together."""
        return sum(position.rollouts for position in self.positions)

    def decisions(self) -> list[Position]:
        """The positions in which the seat itself chose among several moves: what the referee played is no choice."""
        asked = [one for one in self.positions if one.played]
        return [
            one for before, one in enumerate(asked) if one.choices and self.match.by_bot(self.seat, one.number, before)
        ]

    def costly(self) -> list[CostlyChoice]:
        """All decisions in which another move was better, the most expensive first."""
        return costly_choices(self.decisions(), states_of(self.setting.yardstick, self.match.record), self.seat)

    def costliest(self, most: int = 3) -> list[CostlyChoice]:
        """The decisions that cost most, as far as the rollouts can tell."""
        return [one for one in self.costly() if one.sure][:most]

    def view(self, number: int) -> View:
        """What the seat saw at a decision."""
        return self._states()[number][0].view(self.seat)

    def board(self, number: int, width: int = 80, *, colour: bool = False, ascii: bool = False) -> list[str]:
        """The position of a decision as the seat saw it, drawn."""
        view = self.view(number)
        return self.match.game.drawing(view, width, names=self.match.names, colour=colour, ascii=ascii)

    def happened(self, number: int) -> list[str]:
        """What the decision of this number brought about, in words, as the seat could see it."""
        states = self._states()
        state, moves = states[number]
        after = state.copy()
        after.play(moves)
        return self.match.game.told(after.view(None), names=self.match.names)

    def luckiest(self, most: int = 3) -> list[tuple[int, Mean]]:
        """The decisions after which luck changed most, good and bad, with the ranks (alone: points) gained."""
        steps = [(one.number, one.rank if self.match.players > 1 else one.score) for one in self.luck.steps]
        steps.sort(key=lambda one: (one[1].error - abs(one[1].value), one[0]))
        return [(number, mean) for number, mean in steps[:most]]

    def to_value(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        ending = self.match.ending
        seat = self.seat
        return {
            "match": self.match.match,
            "game": self.match.game.name,
            "seat": seat,
            "name": self.match.names[seat],
            "names": list(self.match.names),
            "rank": ending.ranks[seat],
            "score": ending.scores[seat],
            "yardstick": self.setting.yardstick.name,
            "rollouts": self.setting.rollouts,
            "seed": self.setting.seed,
            "rollouts_in_all": self.rollouts,
            "forfeited": self.forfeited.decision if self.forfeited else None,
            "expected": _valued(self.luck.expected),
            "luck": {"ranks": _round(self.luck.rank), "points": _round(self.luck.score)},
            "without_luck": _valued(self.luck.adjusted)
            | {
                "rank_interval": [_round(end) for end in self.luck.rank_interval],
                "score_interval": [_round(end) for end in self.luck.score_interval],
            },
            "costliest": [self._costly(one) for one in self.costliest()],
            "decisions": [self._decision(position) for position in self.decisions()],
            "steps": [
                {
                    "decision": step.number,
                    "ranks": _mean(step.rank),
                    "points": _mean(step.score),
                    "events": self.happened(step.number),
                }
                for step in self.luck.steps
            ],
        }

    def _costly(self, one: CostlyChoice) -> dict[str, Any]:
        return {
            "decision": one.number,
            "kind": one.kind,
            "played": one.played.move,
            "better": one.better.move,
            "cost": _mean(one.played.cost),
            "ranks": _mean(one.cost.rank),
            "points": _mean(one.cost.score),
            "sentence": one.sentence(),
            "view": to_value(self.view(one.number)),
        }

    def _decision(self, position: Position) -> dict[str, Any]:
        played = next(choice for choice in position.choices if choice.move == position.played)
        shown = position.choices[:MOST_SHOWN]
        return {
            "decision": position.number,
            "kind": kind_of(self._states()[position.number][0], self.seat, position.played),
            "played": position.played,
            "yardstick": position.yardstick,
            "cost": _mean(played.cost),
            "error": {"ranks": _mean(played.behind.rank), "points": _mean(_negated(played.behind.score))},
            "moves": [
                {"move": choice.move, "rollouts": choice.rollouts} | _valued(choice.value)
                for choice in (*shown, *([] if played in shown else [played]))
            ],
            "moves_in_all": position.legal,
        }

    def _states(self) -> list[tuple[State[Any], Any]]:
        if not _LATEST or _LATEST[0][0] is not self.match:
            _LATEST[:] = [(self.match, states_of(self.setting.yardstick, self.match.record))]
        return _LATEST[0][1]


def costly_choices(
    positions: Sequence[Position], states: Sequence[tuple[State[Any], Any]], seat: Seat
) -> list[CostlyChoice]:
    """The decisions among these positions in which another move was better, the most expensive first."""
    found = []
    for position in positions:
        played = next(choice for choice in position.choices if choice.move == position.played)
        if played is not position.choices[0]:
            kind = kind_of(states[position.number][0], seat, position.played)
            found.append(CostlyChoice(position.number, kind, played, position.choices[0]))
    return sorted(found, key=lambda one: (-one.weight, one.number))


_LATEST: list[tuple[RecordedMatch, list[tuple[State[Any], Any]]]] = []
"""The positions of the match that was looked at last; with the match itself, so that no other can be taken for it."""


def kind_of(state: State[Any], seat: Seat, move: str) -> str:
    """What kind of decision it was: the view's `question` in a word, or the first word of the moves."""
    view = state.view(seat)
    if isinstance(view, Message):
        field = view.DESCRIPTOR.fields_by_name.get("question")
        if field is not None and field.enum_type is not None:
            name: str = field.enum_type.values_by_number[view.question].name  # type: ignore[attr-defined]
            return name.removeprefix("QUESTION_").lower().replace("_", " ")
    elif isinstance(view.get("question"), str):
        return str(view["question"])
    verbs = dict.fromkeys(verb_of(state.format(one)) for one in state.legal(seat).moves)
    return " or ".join(verbs) if 1 < len(verbs) <= 4 else "move"


def verb_of(move: str) -> str:
    """The first word of a move."""
    return move.split()[0] if move.split() else move


def _negated(mean: Mean) -> Mean:
    return Mean(-mean.value if mean.value else 0.0, mean.error)


def _valued(value: Valued) -> dict[str, Any]:
    return {"rank": _mean(value.rank), "score": _mean(value.score)}


def _mean(mean: Mean) -> dict[str, float]:
    return {"value": _round(mean.value), "error": _round(mean.error)}


def _round(value: float) -> float:
    return round(value, 4) + 0.0
