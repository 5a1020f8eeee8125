"""The learnt value of positions: a chance for every seat, better for who is better off, the same every time."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from referee.analysis.luck import learning
from referee.analysis.luck.measuring import Effort, learn
from referee.analysis.luck.value import KNOTS, LearntValue, place_share
from referee.analysis.why.yardstick import Yardstick
from referee.rules import registry
from referee.rules.playout import random_chooser

GAMES = ("encore", "flip7", "stop", "stop_me_go")


@pytest.mark.parametrize("game", GAMES)
def test_every_position_has_numbers_for_every_seat_and_a_progress_from_0_to_1(game: str) -> None:
    state = registry.find(game).start(3, seed=b"appraised")
    chooser = random_chooser(b"appraised", 0)
    seen = []
    while state.pending():
        found = state.appraisal()
        assert 0 <= found.progress <= 1
        assert len(found.seats) == 3
        assert len({len(seat) for seat in found.seats}) == 1
        assert all(math.isfinite(number) for seat in found.seats for number in seat)
        seen.append(found.progress)
        state.play({seat: chooser(state, seat) for seat in state.pending()})
    assert seen[-1] > seen[0]  # a match goes on


@pytest.mark.parametrize("game", GAMES)
def test_what_no_seat_knows_is_not_in_an_appraisal(game: str) -> None:
    from referee.rules.chance import Seeded

    state = registry.find(game).start(3, seed=b"appraised")
    chooser = random_chooser(b"appraised", 0)
    for number in range(30):
        if not state.pending():
            break
        assert state.redrawn(Seeded(b"%d" % number)).appraisal() == state.appraisal()
        state.play({seat: chooser(state, seat) for seat in state.pending()})


def test_values_are_chances_that_add_up_and_a_lead_is_worth_something() -> None:
    game = registry.find("flip7")
    learnt = learn(Yardstick.of(game), 3, game.resolve_options(), 0, Effort(1, 0, learning=12))
    state = game.start(3, seed=b"valued")
    shares = learnt.shares(state)
    assert sum(shares) == pytest.approx(1.5)
    state.totals[1] = 150  # type: ignore[attr-defined]
    assert learnt.shares(state)[1] > shares[1] + 0.1


def test_learning_can_be_repeated_and_another_seed_learns_from_other_matches() -> None:
    game = registry.find("stop_me_go")
    effort = Effort(1, 0, learning=6)
    first, again, other = (learn(Yardstick.of(game), 3, game.resolve_options(), seed, effort) for seed in (0, 0, 1))
    assert np.array_equal(first.worth, again.worth)
    assert not np.array_equal(first.worth, other.worth)


def test_many_seats_or_matches_do_not_make_learning_large(monkeypatch: pytest.MonkeyPatch) -> None:
    game = registry.find("stop_me_go")
    sizes = []

    def fitted(rows: Any, ahead: Any) -> Any:
        sizes.append(len(rows))
        return np.zeros(rows.shape[1])

    monkeypatch.setattr(learning, "_fitted", fitted)
    monkeypatch.setattr(learning, "COMPARISONS", 300)
    for players, matches in ((2, 4), (6, 4), (2, 60)):
        learn(Yardstick.of(game), players, game.resolve_options(), 0, Effort(1, 0, learning=matches))
    assert sizes[0] > 50  # as many positions as there are
    assert all(size <= 360 for size in sizes)  # about so many: of each pair one order or both are taken, by lot


def test_without_anything_learnt_all_seats_are_alike_and_a_finished_match_counts_by_its_ranks() -> None:
    game = registry.find("stop_me_go")
    state = game.start(2, seed=b"nothing learnt")
    nothing = LearntValue(np.zeros((KNOTS, len(state.appraisal().seats[0]))), np.ones(KNOTS))
    assert nothing.shares(state) == [0.5, 0.5]
    chooser = random_chooser(b"nothing learnt", 0)
    while state.pending():
        state.play({seat: chooser(state, seat) for seat in state.pending()})
    ended = state.result()
    assert ended is not None
    assert nothing.shares(state) == [place_share(ended.ranks, seat) for seat in range(2)]
