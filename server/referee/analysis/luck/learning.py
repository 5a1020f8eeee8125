"""Learning what positions are worth, from matches of a house bot against itself, in one of two ways.

`learn_ahead`: a logistic regression learns from positions and from who was ahead at the end what the numbers of
`State.appraisal` are worth, and how that changes as a match goes on.

`learn_leads`, for games in which points decide: what the numbers are worth in points of the final lead, by temporal
differences (LSTD with traces: what a position is worth, the next one must be worth on average), which are far less
noisy than how single matches end. A logistic regression then tells how likely such a lead is to last.

The matches that are rated afterwards play no part in it, so what is computed from it cannot favour any of their bots.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations

import numpy as np

from referee.analysis.luck.lessons import Lesson
from referee.analysis.luck.value import KNOTS, Array, LearntValue, knots

POSITIONS = 60
"""Positions of each match that are looked at, at most, to learn who is ahead."""
COMPARISONS = 100_000
"""Pairs of seats that are looked at in all these positions: about so many at most, so that memory has a bound."""
RIDGE = 3.0
"""Holds the worth of each number near zero where few positions tell of it."""
STEPS = 12
TRACE = 0.7
"""How much a position is judged by what comes after the next one: 1 would be the end alone, 0 the next one alone."""
HOLD = 100.0
"""Holds the worth of each number near zero, as so many positions would in which it made no difference."""
AT_ONCE = 2_000
"""Positions that are put into equations together."""


class NothingToLearn(ValueError):
    """No match had two seats in a position."""


def learn_ahead(lessons: Iterable[Lesson], players: int, matches: int, seed: int) -> LearntValue:
    """What numbers are worth, from who was ahead at the end; `NothingToLearn` if there is nothing."""
    dice = random.Random(f"luck {seed}")
    pairs = max(1, players * (players - 1) // 2)
    positions = max(1, min(POSITIONS, COMPARISONS // (matches * pairs)))
    rows: list[Array] = []
    ahead: list[float] = []
    for seen, ended in lessons:
        for found in dice.sample(seen, min(positions, len(seen))):
            near, seats = knots(found.progress), np.array(found.seats)
            for one, other in permutations(range(players), 2):
                if dice.random() < 0.5:  # the other order tells the same
                    rows.append(np.outer(near, seats[one] - seats[other]).ravel())
                    ahead.append(_ahead(ended.ranks, one, other))
    if not rows:
        raise NothingToLearn("there is nothing to learn from")
    found_rows = np.array(rows)
    numbers = found_rows.shape[1] // KNOTS
    usual = np.sqrt((found_rows.reshape(-1, KNOTS, numbers).sum(axis=1) ** 2).mean(axis=0))
    scale = np.tile(np.where(usual > 0, usual, 1.0), KNOTS)
    worth = (_fitted(found_rows / scale, np.array(ahead)) / scale).reshape(KNOTS, numbers)
    return LearntValue(worth, np.ones(KNOTS))


def learn_leads(
    lessons: Iterable[Lesson], players: int, matches: int, seed: int, lower_is_better: bool = False
) -> LearntValue:
    """What numbers are worth, from leads in points; `NothingToLearn` if there is nothing."""
    dice = random.Random(f"luck {seed}")
    pairs = list(combinations(range(players), 2))
    sign = -1.0 if lower_is_better else 1.0
    near: list[Array] = []  # by sequence of positions: how near each is to the knots, …
    apart: list[Array] = []  # … how one seat differs from another, …
    leads: list[float] = []  # … and what came of it
    ahead: list[float] = []
    for seen, ended in lessons:
        if not seen:
            continue
        most = max(1, COMPARISONS // (matches * len(seen)))
        by_knot = np.array([knots(found.progress) for found in seen])
        seats = np.array([found.seats for found in seen])
        for one, other in dice.sample(pairs, min(most, len(pairs))):
            near.append(by_knot)
            apart.append((seats[:, one] - seats[:, other]).astype(np.float32))
            leads.append(sign * (ended.scores[one] - ended.scores[other]))
            ahead.append(_ahead(ended.ranks, one, other))
    if not near:
        raise NothingToLearn("there is nothing to learn from")
    worth = _by_differences(near, apart, leads)
    numbers = apart[0].shape[1]
    lead = np.concatenate([((by_knot @ worth) * seats).sum(axis=1) for by_knot, seats in zip(near, apart, strict=True)])
    usual = float(np.sqrt((lead**2).mean())) or 1.0
    rows = np.concatenate(near) * (lead / usual)[:, None]
    steepness = _fitted(rows, np.repeat(ahead, [len(one) for one in near])) / usual
    assert worth.shape == (KNOTS, numbers)
    return LearntValue(worth, steepness)


def _by_differences(near: Sequence[Array], apart: Sequence[Array], leads: Sequence[float]) -> Array:
    """The worth of each number at each knot, in points."""
    size = KNOTS * apart[0].shape[1]
    pulls, ends, squares = np.zeros((size, size)), np.zeros(size), np.zeros(size)
    for some in _together([len(one) for one in near]):
        rows: list[Array] = []
        traces: list[Array] = []
        changes: list[Array] = []
        for number in some:
            row = (near[number][:, :, None] * apart[number][:, None, :]).reshape(len(near[number]), size)
            trace = row.copy()
            for place in range(1, len(trace)):
                trace[place] += TRACE * trace[place - 1]
            change = row.copy()
            change[:-1] -= row[1:]
            ends += leads[number] * trace[-1]
            rows.append(row)
            traces.append(trace)
            changes.append(change)
        pulls += np.concatenate(traces).T @ np.concatenate(changes)
        squares += (np.concatenate(rows) ** 2).sum(axis=0)
    hold = np.where(squares > 0, HOLD * squares / sum(map(len, near)), 1.0)
    worth: Array = np.linalg.solve(pulls + np.diag(hold), ends)
    return worth.reshape(KNOTS, -1)


def _together(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The numbers of the sequences, in groups of about `AT_ONCE` positions."""
    some: list[int] = []
    positions = 0
    for number, length in enumerate(lengths):
        some.append(number)
        positions += length
        if positions >= AT_ONCE:
            yield some
            some, positions = [], 0
    if some:
        yield some


def _ahead(ranks: Sequence[int], one: int, other: int) -> float:
    return 1.0 if ranks[one] < ranks[other] else 0.5 if ranks[one] == ranks[other] else 0.0


def _fitted(rows: Array, ahead: Array) -> Array:
    """Logistic regression by Newton's steps."""
    worth = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ worth, -30, 30)))
        slope = rows.T @ (ahead - chance) - RIDGE * worth
        bend = (rows * (chance * (1 - chance))[:, None]).T @ rows + RIDGE * np.eye(len(worth))
        step = np.linalg.solve(bend, slope)
        worth += step
        if float(np.max(np.abs(step))) < 1e-6:
            break
    return worth
