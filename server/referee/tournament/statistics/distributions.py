"""Tails and quantiles of the distributions that tests and intervals need: chi-square, binomial, Student's t."""

from __future__ import annotations

from functools import cache
from math import erfc, exp, fsum, isinf, lgamma, log, pi, sqrt

STEPS = 200
"""Most steps of a continued fraction, and of a bisection."""
SMALL = 1e-15


def chi_square_tail(value: float, degrees: int) -> float:
    """How likely a chi-square variable with so many degrees of freedom is at least this large."""
    if value <= 0:
        return 1.0
    half = value / 2
    if degrees % 2:
        terms = [erfc(sqrt(half))]
        term = sqrt(half / pi) * 2 * exp(-half)
        for order in range(3, degrees + 1, 2):
            terms.append(term)
            term *= value / order
    else:
        term = exp(-half)
        terms = []
        for order in range(2, degrees + 1, 2):
            terms.append(term)
            term *= value / order
    return min(1.0, fsum(terms))


def coin_tail(heads: int, tails: int) -> float:
    """How likely a fair coin falls at least so unevenly to either side (the sign test)."""
    throws, least = heads + tails, min(heads, tails)
    if 2 * least + 1 >= throws:
        return 1.0
    whole = lgamma(throws + 1) - throws * log(2)
    some = fsum(exp(whole - lgamma(seen + 1) - lgamma(throws - seen + 1)) for seen in range(least + 1))
    return min(1.0, 2 * some)


def student_tail(value: float, degrees: float) -> float:
    """How likely Student's t with so many degrees of freedom is at least this large, for values from 0."""
    return 0.5 * _beta_share(degrees / (degrees + value * value), degrees / 2, 0.5)


@cache
def student_reach(degrees: float, confidence: float = 0.95) -> float:
    """How many standard errors an interval with this confidence reaches to either side."""
    tail = (1 - confidence) / 2
    low, high = 0.0, 2.0
    while student_tail(high, degrees) > tail:
        low, high = high, 2 * high
        if isinf(high):
            return high
    for _ in range(STEPS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if student_tail(middle, degrees) > tail:
            low = middle
        else:
            high = middle
    return high


def _beta_share(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b), by Lentz's continued fraction."""
    if x <= 0 or x >= 1:
        return min(1.0, max(0.0, x))
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_share(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / d
    found = d
    for m in range(1, STEPS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + factor * d)
            c = 1 + factor / c
            found *= c * d
        if abs(c * d - 1) < SMALL:
            break
    return front * found
