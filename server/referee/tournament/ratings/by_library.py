"""TrueSkill as it was computed before, for tournaments that were exported then.

Their digests rest on `exp`, `erfc` and `pow` of the C library, so that they are found again on the same kind of machine
only. Nothing else uses this: what is rated now has the same digest everywhere (`normal.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from statistics import NormalDist
from typing import Any

import trueskill

from referee.tournament.ratings.trueskill_update import DIGITS, Belief, Skill, checked

_SQRT_HALF = math.sqrt(0.5)
_DENSITY = 1 / math.sqrt(2 * math.pi)
_TAIL = -37.0


class LibrarySkill(Skill):
    """The package's own way, with the C library's functions."""

    def __init__(self, beta: float, tau: float, draw_probability: float) -> None:
        super().__init__(beta, tau, draw_probability)
        self._constants = {"beta": beta, "tau": tau, "draw_probability": draw_probability}
        self._in_doubles = trueskill.TrueSkill(**self._constants, backend=(_cdf, _pdf, NormalDist().inv_cdf))

    @cached_property
    def _in_digits(self) -> Any:
        import mpmath

        context = mpmath.mp.clone()
        context.dps = DIGITS
        return trueskill.TrueSkill(**self._constants, backend=(context.ncdf, context.npdf, NormalDist().inv_cdf))

    def _rated(self, before: list[Belief], finish: list[int]) -> list[Belief]:
        with suppress(ArithmeticError, ValueError):
            return checked(_rate(self._in_doubles, before, finish))
        with suppress(ArithmeticError, ValueError):
            return checked(_rate(self._in_digits, before, finish))
        return before

    def _average(self, beliefs: Sequence[Belief]) -> Belief:
        if len(beliefs) == 1:
            return beliefs[0]
        mu = math.fsum(belief.mu for belief in beliefs) / len(beliefs)
        return Belief(mu, math.sqrt(math.fsum(belief.sigma**2 for belief in beliefs) / len(beliefs)))

    def _most(self, sigma: float) -> float:
        return math.hypot(sigma, self._constants["tau"]) if self._constants["tau"] else sigma


def _rate(environment: Any, before: Sequence[Belief], finish: Sequence[int]) -> list[tuple[float, float]]:
    groups = environment.rate([(trueskill.Rating(*belief),) for belief in before], ranks=finish)
    return [(rating.mu, rating.sigma) for (rating,) in groups]


def _cdf(x: float) -> float:
    if x < _TAIL:
        raise FloatingPointError("too far out for double precision")
    return 0.5 * math.erfc(-x * _SQRT_HALF)


def _pdf(x: float) -> float:
    return _DENSITY * math.exp(-0.5 * x * x)
