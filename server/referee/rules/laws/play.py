"""The laws about a match as a whole: it repeats, it counts right and loses nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, permutations
from math import sqrt
from typing import Any

from referee.rules.game import Result, ranks
from referee.rules.laws.cases import Case, Trial, sight
from referee.rules.laws.watched_chance import Watched
from referee.rules.playout import playout
from referee.rules.record import Record, replayed

RESULTS = 120
DECISIONS = 12_000
"""Whole matches are played for their results until there were so many of them, or so many decisions in them."""
SEEDS = 5000
"""The first seed of these matches."""


def the_same_seed_and_moves_give_the_same_record(trial: Trial) -> None:
    """A match played again with the same seed and answers, or replayed from its record, has the same bytes."""
    for case in trial.cases:
        trial.at(case)
        first, again = (_record(case) for _ in range(2))
        if first.to_bytes() != again.to_bytes():
            number = next((i for i, (a, b) in enumerate(zip(first.moves, again.moves, strict=False)) if a != b), 0)
            trial.at(case, number)
            raise trial.broken("the same seed and answers gave another match")
        if replayed(case.game, Record.from_bytes(first.to_bytes())).to_bytes() != first.to_bytes():
            raise trial.broken("replaying the record gave another result")


def results_are_well_formed(trial: Trial) -> None:
    """A rank is 1 + the number of seats strictly better; scores are one whole number per seat, at any moment."""
    for case in trial.cases:
        for state in trial.moments(case):
            scores = state.scores()
            if len(scores) != case.players or not all(type(score) is int for score in scores):
                raise trial.broken(f"scores() is {scores!r} for {case.players} seats")
            result = state.result()
            if result is None:
                continue
            if not isinstance(result, Result) or state.result() != result:
                raise trial.broken(f"result() is {result!r} and then {state.result()!r}")
            if len(result.ranks) != case.players or result.ranks != ranks(-rank for rank in result.ranks):
                raise trial.broken(f"ranks {result.ranks} are not 1 + the number of seats strictly better")
            if result.scores != tuple(scores):
                raise trial.broken(f"the result's scores {result.scores} are not the final scores {scores}")
            if not re.fullmatch(r"[a-z][a-z0-9_]*", result.reason):
                raise trial.broken(f"the reason {result.reason!r} is not a lower_snake_case word")


def ranks_follow_scores(trial: Trial) -> None:
    """A better score never ranks below a worse one, unless `ranks_beside_scores` says why it may."""
    if trial.game.ranks_beside_scores:
        return
    sign, better = (-1, "lower") if trial.game.lower_is_better else (1, "higher")
    for result in _results(trial, trial.settings):
        worth = [sign * score for score in result.scores]
        for one, two in permutations(range(len(worth)), 2):
            if worth[one] > worth[two] and result.ranks[one] > result.ranks[two]:
                raise trial.broken(
                    f"scores {result.scores} gave ranks {result.ranks}: seat {one} has the {better} score and ranks "
                    f"below seat {two} (lower_is_better and ranks_beside_scores can say that this is meant)"
                )


def ties_are_as_frequent_as_declared(trial: Trial) -> None:
    """With random players about as many pairs of seats share a rank as `draws` says."""
    usual = trial.settings[0].options
    matches = pairs = level = 0
    expected = 0.0
    for result in _results(trial, [case for case in trial.settings if case.options == usual and case.players > 1]):
        couples = list(combinations(result.ranks, 2))
        matches += 1
        pairs += len(couples)
        level += sum(one == two for one, two in couples)
        expected += len(couples) * trial.game.draws(len(result.ranks))
    if not pairs:
        return
    declared, seen = expected / pairs, level / pairs
    # Pairs of one match are not independent, so the error is that of as many draws as there were matches.
    error = 3 * sqrt(max(declared * (1 - declared), seen * (1 - seen), 0.01) / matches)
    if not declared / 2 - 0.03 - error <= seen <= declared * 2 + 0.03 + error:
        trial.at(None)
        raise trial.broken(
            f"draw_probability is {declared:g}, but in {matches} matches of random players {level} of {pairs} pairs of "
            f"seats shared a rank: say draw_probability = {seen:.2g}, or look for a mistake in the ranks"
        )


def copies_are_independent(trial: Trial) -> None:
    """A copy has the same future; what happens to one does not touch the other."""
    for case in trial.cases:
        for state in islice(trial.moments(case, dense=2), 5):
            before = sight(state)
            one, two = state.copy(), state.copy()
            for this, that in zip(_future(case, one), _future(case, two), strict=True):
                if this != that:
                    raise trial.broken("two copies with the same answers went different ways")
            if sight(state) != before:
                raise trial.broken("playing on a copy changed the match it was copied from")


def pieces_are_conserved(trial: Trial) -> None:
    """No card, die or token is lost or doubled at any moment."""
    for case in trial.cases:
        pieces: Mapping[str, int] | None = None
        for state in trial.moments(case, dense=64):
            now = dict(state.pieces())
            if pieces is None:
                pieces = now
            if now != pieces or any(count < 0 for count in now.values()):
                changed = {name: (pieces.get(name), now.get(name)) for name in {*pieces, *now}}
                raise trial.broken(f"pieces (at first, now): { {k: v for k, v in changed.items() if v[0] != v[1]} }")


def chance_is_drawn_under_declared_labels(trial: Trial) -> None:
    """Every draw uses a label of `labels`, in the way its kind says."""
    for case in trial.cases:
        watched = Watched(case.game.labels, case.seed_bytes)
        for _ in trial.walk(case, chance=watched):
            if watched.strange:
                raise trial.broken(watched.strange[0])


def _results(trial: Trial, cases: Sequence[Case]) -> Iterator[Result]:
    """How matches of random players end, in turn over the cases, each time with another seed."""
    matches = decisions = 0
    while cases and matches < RESULTS and decisions < DECISIONS:
        case = replace(cases[matches % len(cases)], seed=SEEDS + matches)
        trial.at(case)
        played = playout(case.game, case.players, case.options, case.seed_bytes, case.randoms())
        matches += 1
        decisions += played.decisions
        assert played.record.result is not None
        trial.at(case, len(played.record.moves))
        yield played.record.result


def _record(case: Case) -> Record:
    return playout(case.game, case.players, case.options, case.seed_bytes, case.randoms()).record


def _future(case: Case, state: Any, most: int = 24) -> Iterator[Any]:
    """How a match goes on, seen by all seats, with random answers; plays on the state it is given."""
    choosers = case.randoms(b"future")
    for _ in range(most):
        asked = state.pending()
        if not asked:
            return
        state.play({seat: choosers[seat](state, seat) for seat in asked})
        yield sight(state)
