"""The value of one position of a match: of going on as the yardstick would, and of each legal move of the seat.

With many legal moves not all are tried equally often (successive halving): every move gets a few rollouts, the better
half of them some more, until few are left, which get as many as were asked for. The move that was made and the one the
yardstick would make are always among those. Of more than 24 moves only some are tried: those that the yardstick likes
best, and every second or third of the list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp
from typing import Any

from referee.analysis.why.prices import Prices, cost, prices_of, slopes_of
from referee.analysis.why.rollouts import Deals, Mean, RolloutResult, outcome_of, play_out
from referee.analysis.why.yardstick import Yardstick
from referee.rules.game import Seat, State
from referee.rules.record import Record, read_moves

FINALISTS = 3
"""So many moves are tried as often as was asked for."""
FIRST_STAGE = 2
"""Rollouts that every legal move gets at least."""
LIKELY = 6
"""Of many moves, so many that the yardstick likes best are tried further in any case."""
MOST_TRIED = 24
"""Of very many moves, those and others spread evenly over the list are tried, so many in all."""
NEIGHBOURS = 6
"""Positions within this part of a match have much of a say in the price of a point."""
REDEALS = 12
"""How often a position is dealt anew until the others could have made the moves that they made."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is measured and how: the answer depends on nothing else."""

    yardstick: Yardstick
    seat: Seat
    rollouts: int
    seed: int

    @property
    def fewer(self) -> int:
        """Rollouts of a position in which the seat has no choice: its value only tells luck."""
        return max(4, self.rollouts // 2)


@dataclass(frozen=True, slots=True)
class Valued:
    """A rank and a score to be expected (or a difference of two), with their standard errors."""

    rank: Mean
    score: Mean

    @classmethod
    def of(cls, outcomes: Sequence[RolloutResult]) -> Valued:
        return cls(Mean.of([one.rank for one in outcomes]), Mean.of([one.score for one in outcomes]))

    @classmethod
    def difference(cls, ours: Sequence[RolloutResult], theirs: Sequence[RolloutResult]) -> Valued:
        """Between outcomes on the same deals."""
        pairs = list(zip(ours, theirs, strict=False))
        return cls(
            Mean.of([one.rank - other.rank for one, other in pairs]),
            Mean.of([one.score - other.score for one, other in pairs]),
        )


NOTHING = Valued(Mean(0.0, 0.0), Mean(0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move of the seat and what it is worth."""

    move: str
    value: Valued
    rollouts: int
    behind: Valued
    """How much worse than the best move it is on the same deals: ranks more, points fewer. Nothing for the best."""
    cost: Mean
    """The ranks that it costs, more exactly: estimated from ranks and leads together. Alone at the table: points."""


@dataclass(frozen=True, slots=True)
class Position:
    """What one decision of the match was worth to the seat."""

    number: int
    value: Valued
    """If the yardstick goes on for everybody."""
    choices: tuple[Choice, ...]
    """The seat's legal moves that were tried, the best first; empty where it had no choice."""
    played: str
    """What it did; empty where it was not asked."""
    legal: int
    """How many legal moves it had."""
    yardstick: str
    """What the yardstick would have done."""
    own: Valued
    """What its move changed, against the yardstick's."""
    others: Valued
    """What the moves of others changed that it could see, against the yardstick's."""
    rollouts: int
    tried: Mapping[str, Sequence[RolloutResult]] = field(default_factory=dict)
    """The rollouts of every move in `choices`."""

    def priced(self, prices: Prices | None) -> Position:
        """The same rollouts with other prices for a point: they may put another move first."""
        return replace(self, choices=_choices(self.tried, self.played, prices)) if self.choices else self


def states_of(yardstick: Yardstick, record: Record) -> list[tuple[State[Any], Mapping[Seat, Any]]]:
    """The positions of a record, each with the moves that were made in it."""
    state = yardstick.game.start(record.players, record.options, bytes.fromhex(record.seed))
    found: list[tuple[State[Any], Mapping[Seat, Any]]] = []
    for text in record.moves:
        moves = read_moves(state, text)
        found.append((state.copy(), moves))
        state.play(moves)
    return found


def value_position(
    setting: Setting, state: State[Any], moves: Mapping[Seat, Any], number: int, *, every_move: bool = True
) -> Position:
    """The value of a position, and with `every_move` that of each legal move of the seat."""
    return _Valuing(setting, state, moves, number).position(every_move)


class _Valuing:
    """The rollouts of one position."""

    def __init__(self, setting: Setting, state: State[Any], moves: Mapping[Seat, Any], number: int) -> None:
        self.setting = setting
        self.yardstick = setting.yardstick
        self.state = state
        self.moves = moves
        self.number = number
        self.seat = setting.seat
        self.deals = Deals(self.yardstick.game, state, self.seat, f"{setting.seed} seat {self.seat} decision {number}")
        self.tried = 0

    def position(self, every_move: bool) -> Position:
        seat, state = self.seat, self.state
        legal = state.legal(seat)
        own = self.moves.get(seat)
        self.yardstick.start(state.players)
        its = self.yardstick.choose(state, seat) if seat in self.moves else None
        if seat not in self.moves or (len(legal.moves) < 2 and legal.complete):
            outcomes = [self._rollout(deal, its) for deal in range(self.setting.fewer)]
            played = state.format(own) if own is not None else ""
            return self._valued((), played, played, outcomes, outcomes)
        arms: dict[Any, list[RolloutResult]] = {move: [] for move in (own, its)}
        if every_move:
            liked = self._liked(legal.moves) if len(legal.moves) > 2 * FINALISTS else []
            spread = legal.moves[:: -(-len(legal.moves) // MOST_TRIED)]
            arms = {move: [] for move in dict.fromkeys((own, its, *liked, *spread))}
            self._halve(arms, [own, its], liked)
        else:
            for move in arms:
                self._try(arms, move, self.setting.fewer)
        played = state.format(own)
        tried = {state.format(move): outcomes for move, outcomes in arms.items()} if every_move else {}
        prices = prices_of([slopes_of(tried.values())]) if state.players > 1 else None
        choices = _choices(tried, played, prices) if tried else ()
        return replace(self._valued(choices, played, state.format(its), arms[its], arms[own]), tried=tried)

    def _valued(
        self, choices: tuple[Choice, ...], played: str, its: str, base: list[RolloutResult], own: list[RolloutResult]
    ) -> Position:
        others = self._effect_of_others(own)
        value = Valued.of(base)
        change = NOTHING if own is base else Valued.difference(own, base)
        legal = len(self.state.legal(self.seat).moves)
        return Position(self.number, value, choices, played, legal, its, change, others, self.tried)

    def _rollout(self, deal: int, move: Any, others: Mapping[Seat, Any] | None = None) -> RolloutResult:
        """One rollout in which the seat makes this move (if it is asked), and others those that are given."""
        state = self.deals.deal(deal)
        return self._played(state, move, others or {})

    def _played(self, state: State[Any], move: Any, others: Mapping[Seat, Any]) -> RolloutResult:
        self.tried += 1
        self.yardstick.start(state.players)
        moves = {
            one: move if one == self.seat else others[one] if one in others else self.yardstick.choose(state, one)
            for one in state.pending()
        }
        if not moves:  # the match is over for all that the seat can see
            result = state.result()
            assert result is not None
            return outcome_of(self.yardstick.game, result, self.seat)
        return play_out(self.yardstick, state, moves, self.seat)

    def _try(self, arms: dict[Any, list[RolloutResult]], move: Any, rollouts: int) -> None:
        arms[move] += [self._rollout(deal, move) for deal in range(len(arms[move]), rollouts)]

    def _halve(self, arms: dict[Any, list[RolloutResult]], always: list[Any], at_first: list[Any]) -> None:
        left = list(arms)
        rollouts = self.setting.rollouts
        kept = always + at_first
        while len(left) > FINALISTS:
            share = max(FIRST_STAGE, FINALISTS * rollouts // (2 * len(left)))
            for move in left:
                self._try(arms, move, min(share, rollouts))
            left.sort(key=_promise({move: arms[move] for move in left}), reverse=True)
            if len(left) <= 2 * FINALISTS:
                left = left[:FINALISTS]
            else:
                best = len(left) // (4 if len(left) > 4 * FINALISTS else 2)
                left = list(dict.fromkeys((*left[:best], *kept)))
            kept = always
        for move in dict.fromkeys((*left, *always)):
            self._try(arms, move, rollouts)

    def _liked(self, moves: Sequence[Any]) -> list[Any]:
        """The moves that the yardstick likes best: it is shown the list again and again without those it took."""
        left = dict(zip([self.state.format(move) for move in moves], moves, strict=True))
        found: list[Any] = []
        while len(found) < LIKELY and len(left) > 1:
            texts = list(left)
            move = self.yardstick.choose_among(self.state, self.seat, texts, list(left.values()))
            if left.pop(self.state.format(move), None) is None:
                break  # it does not choose from the list
            found.append(move)
        return found

    def _effect_of_others(self, own: list[RolloutResult]) -> Valued:
        """What the visible moves of others change: on the same deals, with their moves instead of the yardstick's."""
        visible = self._visible()
        if not visible:
            return NOTHING
        pairs = []
        move = self.moves.get(self.seat)
        for deal in range(min(len(own), self.setting.fewer)):
            state = self.deals.deal(deal)
            for again in range(REDEALS):
                if all(one in state.pending() and not state.check(one, made) for one, made in visible.items()):
                    break
                state = self.deals.deal(self.setting.rollouts * (again + 1) + deal)
            possible = {
                one: made for one, made in visible.items() if one in state.pending() and not state.check(one, made)
            }
            self.yardstick.start(state.players)
            if all(self.yardstick.choose(state, one) == made for one, made in possible.items()):
                pairs.append((own[deal], own[deal]))
            else:
                pairs.append((self._played(state, move, possible), own[deal]))
        return Valued.difference([ours for ours, _ in pairs], [theirs for _, theirs in pairs])

    def _visible(self) -> dict[Seat, Any]:
        """The moves of others that make a difference to what the seat sees next; it cannot count the rest."""
        found = {}
        shown = None
        for other, made in self.moves.items():
            if other == self.seat:
                continue
            instead = next((move for move in self.state.legal(other).moves if move != made), None)
            if instead is None:
                continue
            if shown is None:
                shown = self._after({})
            if self._after({other: instead}) != shown:
                found[other] = made
        return found

    def _after(self, instead: Mapping[Seat, Any]) -> bytes:
        state = self.state.copy()
        state.play({**self.moves, **instead})
        return state.view_bytes(self.seat)


def _promise(arms: Mapping[Any, list[RolloutResult]]) -> Any:
    """How good a move looks after few rollouts: rank and lead, each in units of its spread over all of them."""
    every = [one for outcomes in arms.values() for one in outcomes]
    rank, lead = _spread([one.rank for one in every]), _spread([one.lead for one in every])

    def promise(move: Any) -> float:
        outcomes = arms[move]
        return sum([one.lead / lead - one.rank / rank for one in outcomes]) / len(outcomes)

    return promise


def _spread(figures: Sequence[float]) -> float:
    mean = sum(figures) / len(figures)
    return (sum((figure - mean) ** 2 for figure in figures) / len(figures)) ** 0.5 or 1.0


def _choices(tried: Mapping[str, Sequence[RolloutResult]], own: str, prices: Prices | None) -> tuple[Choice, ...]:
    """All moves that were tried with their values, the best first; the best is among those that were tried most."""
    most = max(len(outcomes) for outcomes in tried.values())
    behind_own = {move: cost(tried[move], tried[own], prices).value for move in tried}
    best = min((move for move in tried if len(tried[move]) == most), key=lambda move: (behind_own[move], move != own))
    rest = sorted(
        (move for move in tried if move != best), key=lambda move: (len(tried[move]) < most, behind_own[move])
    )
    return tuple(
        Choice(
            move,
            Valued.of(tried[move]),
            len(tried[move]),
            NOTHING if move == best else Valued.difference(tried[move], tried[best]),
            Mean(0.0, 0.0) if move == best else cost(tried[move], tried[best], prices),
        )
        for move in (best, *rest)
    )


def priced_together(positions: Sequence[Position], players: int) -> list[Position]:
    """The positions of a match, each with what a point is worth around that moment of the match.

    A price from the rollouts of one position is as uncertain as what it is to make certain. Points are worth about the
    same in the positions before and after it, so these count too, less and less the further away they are.
    """
    if players == 1 or not positions:
        return list(positions)
    reach = max(2.0, (positions[-1].number - positions[0].number) / NEIGHBOURS)
    slopes = [slopes_of(position.tried.values()) for position in positions]
    numbers = [position.number for position in positions]
    return [
        one.priced(prices_of(slopes, [exp(-(((number - one.number) / reach) ** 2)) for number in numbers]))
        for one in positions
    ]
