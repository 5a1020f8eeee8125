"""The normal distribution in basic arithmetic alone: the same to the last bit on every machine.

A rating is a long chain of numbers, each computed from the one before, and a published table is checked by its digest.
The functions `exp`, `erfc`, `log` and `pow` of C libraries are not the same everywhere: two versions of glibc differ in
the last digits of `erfc`, and so do processors with and without fused multiply-add. IEEE 754 prescribes addition,
multiplication, division and the square root to the last bit. Nothing else is used here, nor in `trueskill_chain.py`
and `trueskill_update.py`; a test reads them for that.

The error function is W. J. Cody's rational approximation (Mathematics of Computation 23, 1969), which is good to
sixteen digits.
"""

from __future__ import annotations

import math

_SQRT_HALF = math.sqrt(0.5)
_DENSITY = 0.3989422804014327
"""1/√(2π)"""
_INVERSE_SQRT_PI = 0.5641895835477563

_STEPS = 64
"""Powers of two are tabulated in so many steps."""
_BITS = 80


def _root(step: int) -> float:
    """2 to the power of −step / 64, from whole numbers: six square roots are a 64th root."""
    power = 1 << (_STEPS * _BITS - step)
    for _ in range(6):
        power = math.isqrt(power)
    return power / (1 << _BITS)


_ROOTS = [_root(step) for step in range(_STEPS)]
_HALVED = [math.ldexp(1.0, -times) for times in range(1076)]
_STEPS_PER_UNIT = _STEPS / 0.6931471805599453
# ln 2 / 64 in two parts: the first has so few bits that its multiples are exact.
_STEP_HIGH, _STEP_LOW = 0.693147180369123816490 / _STEPS, 1.90821492927058770002e-10 / _STEPS
_NOTHING = 745.0
"""e to the power of minus this is the smallest number above 0."""
_TAIL = -37.0
"""Further out the distribution leaves the range of normal doubles and its ratios lose their digits."""


def _exp(y: float) -> float:
    """e to the power of −y, for y of 0 or more."""
    if y > _NOTHING:
        return 0.0
    steps = int(y * _STEPS_PER_UNIT + 0.5)
    r = (steps * _STEP_HIGH - y) + steps * _STEP_LOW
    series = 1.0 + r * (1.0 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120)))))
    return _ROOTS[steps % _STEPS] * series * _HALVED[steps // _STEPS]


def density(x: float) -> float:
    """How dense the standard normal distribution is at x."""
    return _DENSITY * _exp(0.5 * x * x)


def below(x: float) -> float:
    """How likely a number drawn from the standard normal distribution is below x; FloatingPointError far out."""
    if x < _TAIL:
        raise FloatingPointError("too far out for double precision")
    t = abs(x) * _SQRT_HALF
    if t < 0.46875:
        return 0.5 + 0.5 * _erf(x * _SQRT_HALF)
    tail = 0.5 * _exp(0.5 * x * x) * (_scaled_tail(t) if t <= 4.0 else _far_tail(t))
    return tail if x < 0 else 1.0 - tail


def quantile(probability: float) -> float:
    """The number below which a draw is with this probability, strictly between 0 and 1."""
    if not 0 < probability < 1:
        raise ValueError(f"a probability between 0 and 1 is needed, not {probability}")
    low, high = _TAIL, -_TAIL
    for _ in range(60):  # each halves the space in which it lies
        middle = 0.5 * (low + high)
        if below(middle) < probability:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def _erf(x: float) -> float:
    """The error function, for |x| below 0.46875."""
    y = x * x
    above = ((1.85777706184603153e-1 * y + 3.16112374387056560) * y + 1.13864154151050156e2) * y
    above = (above + 3.77485237685302021e2) * y + 3.20937758913846947e3
    under = ((y + 2.36012909523441209e1) * y + 2.44024637934444173e2) * y
    under = (under + 1.28261652607737228e3) * y + 2.84423683343917062e3
    return x * above / under


def _scaled_tail(t: float) -> float:
    """erfc(t) times e to the power of t², for t between 0.46875 and 4."""
    above = ((2.15311535474403846e-8 * t + 5.64188496988670089e-1) * t + 8.88314979438837594) * t
    above = ((above + 6.61191906371416295e1) * t + 2.98635138197400131e2) * t
    above = ((above + 8.81952221241769090e2) * t + 1.71204761263407058e3) * t
    above = (above + 2.05107837782607147e3) * t + 1.23033935479799725e3
    under = ((t + 1.57449261107098347e1) * t + 1.17693950891312499e2) * t
    under = ((under + 5.37181101862009858e2) * t + 1.62138957456669019e3) * t
    under = ((under + 3.29079923573345963e3) * t + 4.36261909014324716e3) * t
    under = (under + 3.43936767414372164e3) * t + 1.23033935480374942e3
    return above / under


def _far_tail(t: float) -> float:
    """The same for t above 4."""
    y = 1.0 / (t * t)
    above = ((1.63153871373020978e-2 * y + 3.05326634961232344e-1) * y + 3.60344899949804439e-1) * y
    above = ((above + 1.25781726111229246e-1) * y + 1.60837851487422766e-2) * y + 6.58749161529837803e-4
    under = ((y + 2.56852019228982242) * y + 1.87295284992346725) * y
    under = ((under + 5.27905102951428412e-1) * y + 6.05183413124413191e-2) * y + 2.33520497626869185e-3
    return (_INVERSE_SQRT_PI - y * above / under) / t
