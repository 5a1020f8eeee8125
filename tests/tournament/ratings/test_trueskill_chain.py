"""Messages along the chain of ranks are the package's own, to the last bit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.ratings.trueskill_chain import pass_messages
from referee.tournament.ratings.trueskill_update import Belief, rate_by_graph

MEANS = st.floats(-100, 150) | st.sampled_from([25.0, 31.5])
DEVIATIONS = st.floats(0.001, 12) | st.sampled_from([25 / 3, 2.0])
PLAYERS = st.lists(st.tuples(st.builds(Belief, MEANS, DEVIATIONS), st.integers(1, 5)), min_size=2, max_size=8)
CONSTANTS = st.tuples(st.sampled_from([25 / 6, 1.0]), st.sampled_from([0.0, 0.08]), st.floats(0.001, 0.9))


def outcome(work: Callable[[], list[tuple[float, float]]]) -> str:
    """What comes of it, with every digit; "gave out" where double precision does."""
    try:
        return str(work())
    except (ArithmeticError, ValueError):
        return "gave out"


@given(PLAYERS, CONSTANTS)
@settings(max_examples=400, deadline=None)
def test_the_chain_and_the_graph_agree_to_the_last_bit(
    players: list[tuple[Belief, int]], constants: tuple[float, float, float]
) -> None:
    beta, tau, draws = constants
    skill = trueskill.TrueSkill(beta=beta, tau=tau, draw_probability=draws)
    margin = trueskill.calc_draw_margin(draws, 2, skill)
    beliefs, ranks = zip(*sorted(players, key=lambda player: player[1]), strict=True)
    by_graph = outcome(lambda: rate_by_graph(skill, beliefs, ranks))
    assert outcome(lambda: pass_messages(skill, margin, beliefs, ranks)) == by_graph


@pytest.mark.parametrize("gap", [300.0, 3000.0])
def test_where_the_graph_gives_out_so_does_the_chain(gap: float) -> None:
    skill = trueskill.TrueSkill()
    players = [Belief(0.0, 1.0), Belief(gap, 1.0)]
    assert outcome(lambda: rate_by_graph(skill, players, (1, 2))) == "gave out"
    assert outcome(lambda: pass_messages(skill, 0.74, players, (1, 2))) == "gave out"
