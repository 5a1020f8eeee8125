"""The laws of one TrueSkill update: order does not matter, equals stay equal, nothing breaks."""

import math
from itertools import pairwise

import pytest
import trueskill
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.tournament.ratings.trueskill_update import Belief, Skill

SKILL = Skill(beta=25 / 6, tau=0.0, draw_probability=0.05)

BELIEFS = st.builds(Belief, st.floats(-50, 100), st.floats(0.3, 9))
# Drawn from a few values as well, so that equal beliefs and ties are common.
FEW = st.sampled_from([Belief(25.0, 25 / 3), Belief(25.0, 2.0), Belief(31.5, 2.0)])
PLAYERS = st.lists(st.tuples(BELIEFS | FEW, st.integers(1, 4)), min_size=2, max_size=8)


@given(PLAYERS, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_seats_does_not_matter(players: list[tuple[Belief, int]], shuffler: object) -> None:
    order = list(range(len(players)))
    shuffler.shuffle(order)  # type: ignore[attr-defined]
    beliefs, ranks = zip(*players, strict=True)
    straight = SKILL.update(beliefs, ranks)
    shuffled = SKILL.update([beliefs[seat] for seat in order], [ranks[seat] for seat in order])
    assert shuffled == [straight[seat] for seat in order]


@given(st.lists(st.tuples(FEW, st.integers(1, 2)), min_size=2, max_size=8))
@settings(max_examples=60, deadline=None)
def test_equal_beliefs_and_equal_ranks_come_out_equal(players: list[tuple[Belief, int]]) -> None:
    beliefs, ranks = zip(*players, strict=True)
    seen: dict[tuple[Belief, int], Belief] = {}
    for player, after in zip(players, SKILL.update(beliefs, ranks), strict=True):
        assert seen.setdefault(player, after) == after


@given(PLAYERS, st.sampled_from([0.001, 0.05, 0.5, 0.99]))
@settings(max_examples=60, deadline=None)
def test_no_match_makes_anybody_less_certain(players: list[tuple[Belief, int]], draws: float) -> None:
    beliefs, ranks = zip(*players, strict=True)
    after = Skill(25 / 6, 0.0, draws).update(beliefs, ranks)
    assert all(0 < now.sigma <= before.sigma for before, now in zip(beliefs, after, strict=True))


@pytest.mark.parametrize("sigma", [0.91, 1.53, 1.75, 3.06, 3.64])
def test_a_result_that_teaches_nothing_does_not_raise_sigma_by_rounding(sigma: float) -> None:
    # Turning these σ into a precision and back gives the next larger double.
    after = SKILL.update([Belief(25.0, sigma), Belief(125.0, sigma)], [2, 1])
    assert all(now.sigma <= sigma for now in after)


@given(st.lists(st.tuples(BELIEFS, st.integers(1, 9)), min_size=2, max_size=6))
@example([(Belief(0.0, 0.5), 2), (Belief(73.0, 5.657061868459533), 1)])
@settings(max_examples=40, deadline=None)
def test_with_tau_uncertainty_grows_by_tau_at_most(players: list[tuple[Belief, int]]) -> None:
    beliefs, ranks = zip(*players, strict=True)
    after = Skill(25 / 6, 0.5, 0.05).update(beliefs, ranks)
    # The square root of the sum, as it rounds: `hypot` rounds otherwise in the last digit.
    most = [math.sqrt(before.sigma * before.sigma + 0.5 * 0.5) for before in beliefs]
    assert all(now.sigma <= bound for now, bound in zip(after, most, strict=True))


def test_the_update_is_that_of_the_package() -> None:
    beliefs = [Belief(25.0, 8.0), Belief(28.0, 5.0), Belief(22.0, 3.0), Belief(30.0, 6.0)]
    ranks = [2, 1, 4, 3]
    environment = trueskill.TrueSkill(beta=25 / 6, tau=0.0, draw_probability=0.05)
    expected = environment.rate([(trueskill.Rating(*belief),) for belief in beliefs], ranks=ranks)
    for ours, (theirs,) in zip(SKILL.update(beliefs, ranks), expected, strict=True):
        assert ours.mu == pytest.approx(theirs.mu, rel=1e-5)
        assert ours.sigma == pytest.approx(theirs.sigma, rel=1e-5)


@pytest.mark.parametrize("sigma", [0.01, 1.0, 25 / 3])
@pytest.mark.parametrize("gap", [100.0, 225.0, 300.0, 3000.0, 1e6])
@pytest.mark.parametrize("draws", [0.001, 0.3])
def test_the_largest_upset_is_rated(gap: float, sigma: float, draws: float) -> None:
    weak, strong = Belief(25.0, sigma), Belief(25.0 + gap, sigma)
    for ranks in ((1, 2), (1, 1)):
        up, down = Skill(25 / 6, 0.0, draws).update([weak, strong], ranks)
        assert up.mu > weak.mu
        assert down.mu < strong.mu
        assert up.mu - weak.mu == pytest.approx(strong.mu - down.mu, rel=1e-3)
        assert up.sigma <= sigma
        assert down.sigma <= sigma


@pytest.mark.parametrize("sigma", [0.01, 1.0])
@pytest.mark.parametrize("ranks", [[1] * 8, list(range(1, 9)), [1, 1, 1, 1, 5, 5, 5, 5], [8, 7, 6, 5, 4, 3, 2, 1]])
def test_eight_players_far_apart_are_rated_whatever_happens(sigma: float, ranks: list[int]) -> None:
    beliefs = [Belief(25.0 + 300.0 * step, sigma) for step in range(8)]
    after = SKILL.update(beliefs, ranks)
    assert all(math.isfinite(now.mu) and 0 < now.sigma <= sigma for now in after)


def test_the_gap_where_double_precision_gives_out_leaves_no_step() -> None:
    # On both sides of the change to more digits the update must agree, or standings would jump.
    def pull(gap: float) -> float:
        return SKILL.update([Belief(0.0, 1.0), Belief(gap, 1.0)], [1, 2])[0].mu

    # The pull of an upset grows by a little more with every step of the gap.
    pulls = [pull(float(gap)) for gap in range(190, 250)]
    steps = [later - earlier for earlier, later in pairwise(pulls)]
    assert all(0 < later - earlier < 1e-6 for earlier, later in pairwise(steps))


def test_a_match_nobody_can_compute_leaves_beliefs_alone() -> None:
    beliefs = [Belief(1e300, 1e-200), Belief(-1e300, 1e-200)]
    assert SKILL.update(beliefs, [2, 1]) == beliefs


def test_eight_equal_players_who_all_tie_keep_their_mean_and_gain_certainty() -> None:
    after = SKILL.update([Belief(25.0, 8.0)] * 8, [1] * 8)
    assert len(set(after)) == 1
    assert after[0].mu == pytest.approx(25.0, abs=1e-9)
    assert after[0].sigma < 8.0
