"""Messages along the chain of ranks are the package's own, to the last bit, if that multiplies its powers out."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import trueskill
import trueskill.factorgraph
import trueskill.mathematics
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.ratings.normal import below, density, quantile
from referee.tournament.ratings.trueskill_chain import pass_messages
from referee.tournament.ratings.trueskill_update import Belief, rate_by_graph

MEANS = st.floats(-100, 150) | st.sampled_from([25.0, 31.5])
DEVIATIONS = st.floats(0.001, 12) | st.sampled_from([25 / 3, 2.0])
PLAYERS = st.lists(st.tuples(st.builds(Belief, MEANS, DEVIATIONS), st.integers(1, 5)), min_size=2, max_size=8)
CONSTANTS = st.tuples(st.sampled_from([25 / 6, 1.0]), st.sampled_from([0.0, 0.08]), st.floats(0.001, 0.9))


class Multiplied(float):
    """A number whose powers are products. The C library's `pow`, which floats use, has other last digits elsewhere."""

    def __pow__(self, power: Any, _: Any = None) -> Any:
        product = Multiplied(float(self) * float(self))
        return product if power == 2 else Multiplied(1.0 / float(product)) if power == -2 else NotImplemented

    def _made(name: str) -> Any:  # type: ignore[misc] # noqa: N805 - makes the methods below
        return lambda *numbers: Multiplied(getattr(float, name)(*map(float, numbers)))

    __add__, __radd__, __sub__, __rsub__ = map(_made, ("__add__", "__radd__", "__sub__", "__rsub__"))
    __mul__, __rmul__, __truediv__, __rtruediv__ = map(_made, ("__mul__", "__rmul__", "__truediv__", "__rtruediv__"))
    __neg__, __abs__ = map(_made, ("__neg__", "__abs__"))


def by_the_package(beta: float, tau: float, draws: float, beliefs: Any, ranks: Any) -> list[tuple[float, float]]:
    """What the package makes of a match, with our normal distribution and powers that are products."""
    normal = tuple(lambda x, of=of: Multiplied(of(float(x))) for of in (below, density, quantile))
    multiplied = SimpleNamespace(**{**vars(math), "sqrt": lambda x: Multiplied(math.sqrt(x))})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trueskill.factorgraph, "math", multiplied)
        patch.setattr(trueskill.mathematics, "math", multiplied)
        constants = {"beta": Multiplied(beta), "tau": Multiplied(tau), "draw_probability": draws}
        environment = trueskill.TrueSkill(**constants, backend=normal)
        numbers = [(Multiplied(mu), Multiplied(sigma)) for mu, sigma in beliefs]
        return [(float(mu), float(sigma)) for mu, sigma in rate_by_graph(environment, numbers, ranks)]


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
    margin = quantile((draws + 1) / 2) * math.sqrt(2) * beta
    beliefs, ranks = zip(*sorted(players, key=lambda player: player[1]), strict=True)
    by_graph = outcome(lambda: by_the_package(beta, tau, draws, beliefs, ranks))
    assert outcome(lambda: pass_messages(beta, tau, margin, beliefs, ranks)) == by_graph


@pytest.mark.parametrize("gap", [300.0, 3000.0])
def test_where_the_graph_gives_out_so_does_the_chain(gap: float) -> None:
    players = [Belief(0.0, 1.0), Belief(gap, 1.0)]
    assert outcome(lambda: by_the_package(25 / 6, 25 / 300, 0.1, players, (1, 2))) == "gave out"
    assert outcome(lambda: pass_messages(25 / 6, 25 / 300, 0.74, players, (1, 2))) == "gave out"
