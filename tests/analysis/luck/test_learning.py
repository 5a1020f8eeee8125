"""Learning from leads: planted worths are found, with less noise than from how matches end; bounds; any processes."""

from __future__ import annotations

import hashlib
import random

import numpy as np
import pytest

from referee.analysis.luck import learning, measuring
from referee.analysis.luck.learning import NothingToLearn, learn_leads
from referee.analysis.luck.lessons import Course, Lesson, lessons
from referee.analysis.luck.measuring import EFFORTS, learn
from referee.analysis.luck.value import KNOTS, Array, LearntValue, knots
from referee.analysis.why.yardstick import Yardstick
from referee.rules import registry
from referee.rules.chance import Seeded
from referee.rules.game import Appraisal, Result, ranks

LENGTH = 20
PROMISE = 3.0
"""Points that a promise becomes."""


def planted(matches: int, seed: int, players: int = 2, sign: int = 1) -> list[Lesson]:
    """Seats gain points by chance, and promises, each of which is worth `PROMISE` points at the end on average."""
    dice = random.Random(seed)
    found = []
    for _ in range(matches):
        points, promises = [0.0] * players, [0.0] * players
        seen = []
        for step in range(LENGTH):
            for seat in range(players):
                points[seat] += dice.randint(-2, 2)
                promises[seat] += dice.random() < 0.3
            useless = [dice.gauss(0, 1) for _ in range(players)]
            seen.append(Appraisal(step / LENGTH, list(zip(points, promises, useless, strict=True))))
        for seat in range(players):
            kept = sum(dice.random() < 0.75 for _ in range(int(promises[seat])))
            points[seat] += 4 * kept
        scores = tuple(int(sign * own) for own in points)
        found.append(Lesson(seen, Result(ranks([sign * own for own in scores]), scores, "over")))
    return found


def blur(value: LearntValue) -> float:
    """How much of what it thinks of leads is wrong: 0 if they are in proportion to the true ones, at most 1."""
    thought, true = [], []
    for seen, _ in planted(100, 99):
        for progress, (one, other) in seen:
            apart = np.array(one) - np.array(other)
            thought.append(float(apart @ (knots(progress) @ value.worth)))
            true.append(float(apart[0] + PROMISE * apart[1]))
    return 1 - float(np.corrcoef(thought, true)[0, 1]) ** 2


def test_what_points_and_promises_are_worth_is_found() -> None:
    value = learn_leads(planted(2000, 1), 2, 2000, 0)
    assert blur(value) < 0.005
    for knot in range(1, KNOTS - 1):
        assert value.worth[knot] == pytest.approx([1.0, PROMISE, 0.0], abs=0.3)
    assert value.steepness[-2] > value.steepness[0] > 0  # a lead says more near the end


def test_it_takes_fewer_matches_than_to_learn_from_how_they_end(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [planted(100, seed) for seed in range(8)]
    usual = [blur(learn_leads(some, 2, 100, 0)) for some in matches]
    monkeypatch.setattr(learning, "TRACE", 1.0)
    assert sum(usual) < 0.8 * sum(blur(learn_leads(some, 2, 100, 0)) for some in matches)


def test_where_the_lowest_score_wins_a_lead_is_still_good() -> None:
    value = learn_leads(planted(300, 2, sign=-1), 2, 300, 0, lower_is_better=True)
    assert value.worth[2, 0] == pytest.approx(1.0, abs=0.3)
    assert value.steepness[2] > 0


def test_many_seats_do_not_make_learning_large(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    by_differences = learning._by_differences

    def noted(near: list[Array], apart: list[Array], leads: list[float]) -> Array:
        sizes.append(sum(map(len, near)))
        return by_differences(near, apart, leads)

    monkeypatch.setattr(learning, "_by_differences", noted)
    monkeypatch.setattr(learning, "COMPARISONS", 3 * 5 * LENGTH)
    learn_leads(planted(5, 3, players=6), 6, 5, 0)
    assert sizes == [3 * 5 * LENGTH]  # three of fifteen pairs of each match


def test_without_positions_there_is_nothing_to_learn() -> None:
    with pytest.raises(NothingToLearn):
        learn_leads([], 2, 1, 0)


def test_in_encore_each_roll_is_looked_at_once_when_everybody_has_used_the_one_before() -> None:
    game = registry.find("encore")
    course = Course(Yardstick.of(game), 2, game.resolve_options(), 0, after_draws=True)
    seen, ended = course.lesson(0)
    state = game.begin(2, course.options, Seeded(hashlib.sha256(b"luck 0 learning 0").digest()))
    rolls: list[tuple[int, Appraisal]] = []
    while state.pending():
        if not rolls or rolls[-1][0] != state.roll:  # type: ignore[attr-defined]
            rolls.append((state.roll, state.appraisal()))  # type: ignore[attr-defined]
        state.play(course.yardstick.moves(state))
    assert seen == [appraisal for _, appraisal in rolls]
    assert ended == state.result()


def test_the_same_is_learnt_on_any_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "LESSONS_OF_A_PROCESS", 10)
    game = registry.find("encore")
    stick, effort = Yardstick.of(game), EFFORTS["encore"]._replace(learning=20)
    one, two = (learn(stick, 2, game.resolve_options(), 0, effort, processes) for processes in (1, 2))
    assert np.array_equal(one.worth, two.worth)
    assert np.array_equal(one.steepness, two.steepness)


def test_lessons_come_in_the_order_of_their_numbers() -> None:
    game = registry.find("stop_me_go")
    course = Course(Yardstick.of(game), 3, game.resolve_options(), 7, after_draws=False)
    assert list(lessons(course, 3)) == [course.lesson(number) for number in range(3)]
