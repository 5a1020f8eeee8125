"""One TrueSkill update, where a rating is computed: from beliefs about players and their ranks to new beliefs.

The mathematics is the package `trueskill` (`trueskill_chain.py` passes its messages faster); this file makes it safe to
build a leaderboard on.

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
from statistics import NormalDist
from typing import Any, NamedTuple

import trueskill

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
        self._constants = {"beta": beta, "tau": tau, "draw_probability": draw_probability}
        self._tau = tau
        self._double = trueskill.TrueSkill(**self._constants, backend=(_cdf, _pdf, _ppf))
        self._margin = trueskill.calc_draw_margin(draw_probability, 2, self._double)

    @cached_property
    def _exact(self) -> Any:
        import mpmath  # hardly any tournament needs it, and it takes long to load

        # A context of its own: the precision of the shared one belongs to all users of mpmath.
        context = mpmath.mp.clone()
        context.dps = DIGITS
        return trueskill.TrueSkill(**self._constants, backend=(context.ncdf, context.npdf, _ppf))

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
            shared = self._bounded(before[start], _average(after[start:end]))
            for seat in order[start:end]:
                result[seat] = shared
            start = end
        return result

    def _rated(self, before: list[Belief], finish: list[int]) -> list[Belief]:
        try:
            return _checked(pass_messages(self._double, self._margin, before, finish))
        except (ArithmeticError, ValueError):
            # The package's own check raises FloatingPointError; a variance below zero, ValueError.
            pass
        try:
            return _checked(rate_by_graph(self._exact, before, finish))
        except (ArithmeticError, ValueError):
            return before

    def _bounded(self, before: Belief, after: Belief) -> Belief:
        most = math.hypot(before.sigma, self._tau) if self._tau else before.sigma
        return after if after.sigma <= most else Belief(after.mu, most)


def rate_by_graph(environment: Any, before: Sequence[Belief], finish: Sequence[int]) -> list[tuple[float, float]]:
    """The package's own way, for any precision; `pass_messages` is the same for doubles, and faster."""
    groups = environment.rate([(trueskill.Rating(*belief),) for belief in before], ranks=finish)
    return [(rating.mu, rating.sigma) for (rating,) in groups]


def _checked(after: Sequence[tuple[float, float]]) -> list[Belief]:
    beliefs = [Belief(mu, sigma) for mu, sigma in after]
    if not all(math.isfinite(belief.mu) and 0 < belief.sigma < math.inf for belief in beliefs):
        raise FloatingPointError("a belief is not finite")
    return beliefs


def _average(beliefs: Sequence[Belief]) -> Belief:
    """The average μ and variance; `fsum` rounds once, so the order does not matter."""
    if len(beliefs) == 1:
        return beliefs[0]
    mu = math.fsum(belief.mu for belief in beliefs) / len(beliefs)
    return Belief(mu, math.sqrt(math.fsum(belief.sigma**2 for belief in beliefs) / len(beliefs)))


# The package's own normal distribution is good to seven digits and slow; the standard library's
# error function is good to sixteen and fast.
_SQRT_HALF = math.sqrt(0.5)
_DENSITY = 1 / math.sqrt(2 * math.pi)
_TAIL = -37.0
"""Further out the distribution leaves the range of normal doubles and its ratios lose their digits."""


def _cdf(x: float) -> float:
    if x < _TAIL:
        raise FloatingPointError("too far out for double precision")
    return 0.5 * math.erfc(-x * _SQRT_HALF)


def _pdf(x: float) -> float:
    return _DENSITY * math.exp(-0.5 * x * x)


@lru_cache(maxsize=64)
def _ppf(probability: float) -> float:
    """Asked for the draw margin, with the same draw probability in every match."""
    return NormalDist().inv_cdf(probability)
