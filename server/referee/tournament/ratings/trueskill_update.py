"""One TrueSkill update, where a rating is computed: from beliefs about players and their ranks to new beliefs.

The mathematics is the package `trueskill` (`trueskill_chain.py` passes its messages faster, and with the same digits on
every machine); this file makes it safe to build a leaderboard on.

- The order of the players does not matter. They are sorted by rank and belief first, because the
  package stops passing messages after a few sweeps and what it has by then depends on the order.
- Players with equal beliefs and equal ranks come out equal to the last bit. The package links tied
  players in a chain, and those at its ends come out a little different from those inside. Nothing
  tells such players apart, so each gets the average of theirs: of μ, and of the variance σ².
- No upset is too big. Where double precision gives out, the update is repeated with fifty digits;
  should even that fail, the beliefs stay as they were, for nothing can be computed from that match.
- With τ = 0 no match makes a rating less certain: σ is kept from rising by a rounding error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from referee.tournament.ratings.normal import quantile
from referee.tournament.ratings.trueskill_chain import pass_messages

DIGITS = 50
"""Precision of the second try."""


class Belief(NamedTuple):
    """What is believed of a player's skill: a normal distribution."""

    mu: float
    sigma: float


class Skill:
    """TrueSkill for free-for-all matches, with one set of constants."""

    def __init__(self, beta: float, tau: float, draw_probability: float) -> None:
        self._beta, self._tau, self._draws = beta, tau, draw_probability
        self._margin = _quantile((draw_probability + 1) / 2) * math.sqrt(2) * beta

    @cached_property
    def _exact(self) -> tuple[Any, Any]:
        """The package with fifty digits, and its kind of number."""
        import mpmath  # hardly any tournament needs these two, and they take long to load
        import trueskill

        # A context of its own: the precision of the shared one belongs to all users of mpmath.
        context = mpmath.mp.clone()
        context.dps = DIGITS
        constants = {"beta": context.mpf(self._beta), "tau": context.mpf(self._tau), "draw_probability": self._draws}
        return trueskill.TrueSkill(**constants, backend=(context.ncdf, context.npdf, _quantile)), context.mpf

    def update(self, beliefs: Sequence[Belief], ranks: Sequence[int]) -> list[Belief]:
        """The beliefs after a match of two or more players; a lower rank is a better one."""
        order = sorted(range(len(ranks)), key=lambda seat: (ranks[seat], beliefs[seat]))
        before = [beliefs[seat] for seat in order]
        finish = [ranks[seat] for seat in order]
        after = self._rated(before, finish)
        result = list(beliefs)
        start = 0
        for end in range(1, len(order) + 1):
            if end < len(order) and before[end] == before[start] and finish[end] == finish[start]:
                continue
            shared = self._bounded(before[start], self._average(after[start:end]))
            for seat in order[start:end]:
                result[seat] = shared
            start = end
        return result

    def _rated(self, before: list[Belief], finish: list[int]) -> list[Belief]:
        try:
            return checked(pass_messages(self._beta, self._tau, self._margin, before, finish))
        except (ArithmeticError, ValueError):  # a variance below zero is a ValueError
            pass
        try:
            environment, number = self._exact
            digits = [(number(mu), number(sigma)) for mu, sigma in before]
            return checked([(float(mu), float(sigma)) for mu, sigma in rate_by_graph(environment, digits, finish)])
        except (ArithmeticError, ValueError):
            return before

    def _bounded(self, before: Belief, after: Belief) -> Belief:
        most = self._most(before.sigma)
        return after if after.sigma <= most else Belief(after.mu, most)

    def _most(self, sigma: float) -> float:
        return math.sqrt(sigma * sigma + self._tau * self._tau) if self._tau else sigma

    def _average(self, beliefs: Sequence[Belief]) -> Belief:
        """The average μ and variance; `fsum` rounds once, so the order does not matter."""
        if len(beliefs) == 1:
            return beliefs[0]
        mu = math.fsum(belief.mu for belief in beliefs) / len(beliefs)
        return Belief(mu, math.sqrt(math.fsum(belief.sigma * belief.sigma for belief in beliefs) / len(beliefs)))


def rate_by_graph(environment: Any, before: Sequence[tuple[Any, Any]], finish: Sequence[int]) -> list[tuple[Any, Any]]:
    """The package's own way, for any kind of number; `pass_messages` is the same for doubles, and faster.

    Players come best rank first. `TrueSkill.rate` would turn the outcome into floats, by way of the C library's `pow`.
    """
    groups = [(environment.create_rating(*belief),) for belief in before]
    graph = environment.factor_graph_builders(groups, finish, [(1,)] * len(groups))
    skills, *_ = environment.run_schedule(*graph)
    return [(factor.var.mu, factor.var.sigma) for factor in skills]


def checked(after: Sequence[tuple[float, float]]) -> list[Belief]:
    """The beliefs after a match; FloatingPointError if one of them is none."""
    beliefs = [Belief(mu, sigma) for mu, sigma in after]
    if not all(math.isfinite(belief.mu) and 0 < belief.sigma < math.inf for belief in beliefs):
        raise FloatingPointError("a belief is not finite")
    return beliefs


@lru_cache(maxsize=64)
def _quantile(probability: float) -> float:
    """Asked for the draw margin, with the same draw probability in every match."""
    return quantile(probability)
