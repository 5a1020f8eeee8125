"""Expectation propagation: TrueSkill's model of a whole tournament at once, independent of the order of the matches.

The model is TrueSkill's. A bot has a skill; in a match it shows a performance, which is its skill and normal noise of
width β; the ranks say for each two neighbours which performance was larger, or that they differed by less than a
margin. TrueSkill passes its messages once, match after match, and forgets; here every match is looked at again until
nothing changes. The skills are one joint normal distribution, so that what is known of the *difference* between two
bots is known too.

All matches of one size are computed together, as arrays with one row per match:

    bots    (matches, k)      who played, best rank first
    ties    (matches, k − 1)  whether two neighbours in rank shared it
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

MOST_SWEEPS = 40
SMALL = 1e-5
"""The sweeps end once no mean has moved by more than this share of β."""
WIDTHS = 24
"""How many widths of the field are weighed against each other."""
USUAL = 1.0
"""How wide fields usually are, in units of β; before any result, one half is narrower and one half wider."""
NARROWEST, WIDEST = 0.02, 8.0
"""The least and the largest width of a field that is thought of, in units of β."""


@dataclass
class TableResults:
    """All matches with the same number of players, and what each of them says of its players."""

    bots: NDArray[np.intp]
    ties: NDArray[np.bool_]
    blocks: NDArray[np.intp]
    """Matches with the same block are not independent of each other: mirrored deals."""
    precision: Array = field(init=False)
    """What each match says of its players' skills: a normal distribution by its precision matrix …"""
    shift: Array = field(init=False)
    """… and its precision times its mean."""
    _site_pi: Array = field(init=False)
    _site_tau: Array = field(init=False)

    def __post_init__(self) -> None:
        matches, size = self.bots.shape
        self.precision = np.zeros((matches, size, size))
        self.shift = np.zeros((matches, size))
        self._site_pi = np.full((matches, size - 1), 1e-9)
        self._site_tau = np.zeros((matches, size - 1))

    def look_again(self, mean: Array, covariance: Array, beta: float, margin: float) -> None:
        """Take what all the other matches say of the players, and work out anew what these say."""
        size = self.bots.shape[1]
        known = np.linalg.inv(covariance[self.bots[:, :, None], self.bots[:, None, :]])
        others = np.linalg.inv(known - self.precision)
        their_mean = _times(others, _times(known, mean[self.bots]) - self.shift)
        steps = np.eye(size)[:-1] - np.eye(size)[1:]  # from performances to differences of neighbours
        spread = steps @ (others + beta**2 * np.eye(size)) @ steps.T
        centre = their_mean @ steps.T
        self._trim(centre, spread, margin)
        root = np.sqrt(self._site_pi)
        noise = np.eye(size - 1) + root[:, :, None] * (beta**2 * steps @ steps.T) * root[:, None, :]
        weight = root[:, :, None] * np.linalg.inv(noise) * root[:, None, :]
        self.precision = steps.T @ weight @ steps
        self.shift = _times(weight, self._site_tau / self._site_pi) @ steps

    def _trim(self, centre: Array, spread: Array, margin: float) -> None:
        """Cut the differences to what the ranks say, one pair of neighbours after the other."""
        pairs = spread.shape[1]
        before = np.linalg.inv(spread)
        towards = _times(before, centre)
        now = np.linalg.inv(before + self._site_pi[:, :, None] * np.eye(pairs))
        for pair in range(pairs):
            at = _times(now, towards + self._site_tau)[:, pair]
            variance = now[:, pair, pair]
            cavity = 1 / np.maximum(1 / variance - self._site_pi[:, pair], 1e-12)
            cavity_mean = cavity * (at / variance - self._site_tau[:, pair])
            width = np.sqrt(cavity)
            v, w = trimmed(cavity_mean / width, margin / width, self.ties[:, pair])
            left = cavity * (1 - w)
            pi = np.maximum(1 / left - 1 / cavity, 1e-9)
            tau = (cavity_mean + width * v) / left - cavity_mean / cavity
            change = pi - self._site_pi[:, pair]
            column = now[:, :, pair].copy()
            now -= (change / (1 + change * variance))[:, None, None] * column[:, :, None] * column[:, None, :]
            self._site_pi[:, pair] = pi
            self._site_tau[:, pair] = tau

    def told(self, bots: int, times: Array | None = None) -> tuple[Array, Array]:
        """What all these matches together say of all bots: precision and precision times mean.

        `times` tells how often each match counts; once, without it.
        """
        flat = (self.bots[:, :, None] * bots + self.bots[:, None, :]).ravel()
        precisions = self.precision if times is None else self.precision * times[:, None, None]
        shifts = self.shift if times is None else self.shift * times[:, None]
        precision: Array = np.bincount(flat, precisions.ravel(), bots * bots).reshape(bots, bots)
        shift: Array = np.bincount(self.bots.ravel(), shifts.ravel(), bots)
        return precision, shift

    def some(self, chosen: NDArray[np.bool_]) -> TableResults:
        """These matches alone, with what is known of them; to be looked at again without touching this table."""
        part = TableResults(self.bots[chosen], self.ties[chosen], self.blocks[chosen])
        part.precision, part.shift = self.precision[chosen], self.shift[chosen]
        part._site_pi, part._site_tau = self._site_pi[chosen], self._site_tau[chosen]
        return part

    def pulls(self, mean: Array) -> Array:
        """By match and seat: how much each match pulls at its players' skills; all together they balance the prior."""
        return self.shift - _times(self.precision, mean[self.bots])


@dataclass(frozen=True)
class Fit:
    """What all results say of the skills: one joint normal distribution, on TrueSkill's scale around 0."""

    mean: Array
    covariance: Array
    told: Array
    """The precision that the results alone give."""
    width: float
    """How different the bots of this field are: the standard deviation of their skills, as far as it is known."""
    tables: Sequence[TableResults]


def fit(tables: Sequence[TableResults], bots: int, beta: float, margin: float) -> Fit:
    """Look at all matches until nothing changes. The width of the field is learnt from the results too."""
    width = beta
    mean: Array = np.zeros(bots)
    covariance: Array = np.eye(bots) * width**2
    weights: Array = np.ones(WIDTHS) / WIDTHS
    spectrum, axes, pulls = mean, covariance, mean
    told = np.zeros((bots, bots))
    widths = beta * np.geomspace(NARROWEST, WIDEST, WIDTHS)
    for _ in range(MOST_SWEEPS):
        for table in tables:
            table.look_again(mean, covariance, beta, margin)
        told, towards = np.zeros((bots, bots)), np.zeros(bots)
        for table in tables:
            precision, shift = table.told(bots)
            told += precision
            towards += shift
        spectrum, axes = np.linalg.eigh(told)
        spectrum = np.maximum(spectrum, 0.0)
        pulls = axes.T @ towards
        weights = _weigh(widths, spectrum, pulls, USUAL * beta)
        width = float(math.exp(weights @ np.log(widths)))
        before = mean
        mean, covariance = _moments(axes, spectrum, pulls, width)
        if float(np.max(np.abs(mean - before), initial=0.0)) < SMALL * beta:
            break
    mean, covariance = _mixture(axes, spectrum, pulls, widths, weights)
    return Fit(mean, covariance, told, width, tables)


def in_a_field_of(found: Fit, width: float) -> Fit:
    """The same results in a field of this width: the wider, the less strengths are drawn towards each other."""
    bots = len(found.mean)
    towards: Array = np.zeros(bots)
    for table in found.tables:
        towards += table.told(bots)[1]
    spectrum, axes = np.linalg.eigh(found.told)
    mean, covariance = _moments(axes, np.maximum(spectrum, 0.0), axes.T @ towards, width)
    return Fit(mean, covariance, found.told, width, found.tables)


def resampled(found: Fit, times: Array, beta: float, margin: float) -> Array:
    """The skills if each block of matches had come so often: one more look at those that came, from where we are."""
    bots = len(found.mean)
    some = [(table, times[table.blocks]) for table in found.tables]
    parts = [(table.some(count > 0), count[count > 0]) for table, count in some if (count > 0).any()]
    mean, covariance, _ = _together(parts, bots, beta)
    for table, _ in parts:
        table.look_again(mean, covariance, beta, margin)
    axes, spectrum, pulls = _together(parts, bots, beta)[2]
    widths = beta * np.geomspace(NARROWEST, WIDEST, WIDTHS)
    return _mixture(axes, spectrum, pulls, widths, _weigh(widths, spectrum, pulls, USUAL * beta))[0]


def _together(
    parts: Sequence[tuple[TableResults, Array]], bots: int, beta: float
) -> tuple[Array, Array, tuple[Array, Array, Array]]:
    """What tables say whose matches count so often: mean and covariance, and the axes that they come from."""
    told, towards = np.zeros((bots, bots)), np.zeros(bots)
    for table, count in parts:
        precision, shift = table.told(bots, count)
        told += precision
        towards += shift
    spectrum, axes = np.linalg.eigh(told)
    spectrum = np.maximum(spectrum, 0.0)
    pulls = axes.T @ towards
    widths = beta * np.geomspace(NARROWEST, WIDEST, WIDTHS)
    weights = _weigh(widths, spectrum, pulls, USUAL * beta)
    mean, covariance = _moments(axes, spectrum, pulls, float(math.exp(weights @ np.log(widths))))
    return mean, covariance, (axes, spectrum, pulls)


def _moments(axes: Array, spectrum: Array, pulls: Array, width: float) -> tuple[Array, Array]:
    """Mean and covariance of the skills in a field of this width."""
    variance = 1 / (spectrum + 1 / width**2)
    return axes @ (variance * pulls), (axes * variance) @ axes.T


def _weigh(widths: Array, spectrum: Array, pulls: Array, usual: float) -> Array:
    """How likely each width of the field is: the evidence of the results, and a half-Cauchy distribution before."""
    gain = 1 + np.outer(widths**2, spectrum)
    evidence = -0.5 * np.sum(np.log(gain), axis=1) + 0.5 * np.sum(widths[:, None] ** 2 * pulls**2 / gain, axis=1)
    evidence += np.log(widths / (1 + (widths / usual) ** 2))  # the widths are spaced by their logarithm
    weights = np.exp(evidence - np.max(evidence))
    return np.asarray(weights / weights.sum())


def _mixture(axes: Array, spectrum: Array, pulls: Array, widths: Array, weights: Array) -> tuple[Array, Array]:
    """Mean and covariance over all widths of the field, each as likely as it is."""
    found = [_moments(axes, spectrum, pulls, float(width)) for width in widths]
    mean = sum((weight * one for weight, (one, _) in zip(weights, found, strict=True)), np.zeros_like(pulls))
    covariance = np.zeros((len(pulls), len(pulls)))
    for weight, (one, spread) in zip(weights, found, strict=True):
        covariance += weight * (spread + np.outer(one - mean, one - mean))
    return mean, covariance


def trimmed(t: Array, margin: Array, ties: NDArray[np.bool_]) -> tuple[Array, Array]:
    """By how much a standard normal difference with mean `t` moves (v) and narrows (w) once the outcome is known."""
    v, w = np.empty_like(t), np.empty_like(t)
    won = ~ties
    if won.any():
        x = t[won] - margin[won]
        v[won] = _mills(x)
        w[won] = v[won] * (v[won] + x)
    if ties.any():
        v[ties], w[ties] = _tie(t[ties], margin[ties])
    return v, np.clip(w, 1e-9, 1 - 1e-7)


def _tie(t: Array, margin: Array) -> tuple[Array, Array]:
    size = np.abs(t)
    low, high = -margin - size, margin - size
    share = _cdf(high) - _cdf(low)
    far = share < 1e-200
    share = np.where(far, 1.0, share)
    v = (_pdf(low) - _pdf(high)) / share
    w = v**2 + (high * _pdf(high) - low * _pdf(low)) / share
    v = np.where(far, high, v)  # all that is left lies at the nearer edge
    w = np.where(far, 1.0, w)
    return np.where(t < 0, -v, v), w


def _mills(x: Array) -> Array:
    """φ(x) / Φ(x), also far out, where both vanish."""
    far = x < -8
    near = np.where(far, 0.0, x)
    square = np.where(far, x, -8.0) ** -2.0
    tail = -np.where(far, x, -8.0) / (1 - square * (1 - square * (3 - square * 15)))
    return np.where(far, tail, _pdf(near) / _cdf(near))


def _pdf(x: Array) -> Array:
    return np.asarray(np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi))


def _cdf(x: Array) -> Array:
    halved = (x * -math.sqrt(0.5)).tolist()
    return 0.5 * np.fromiter(map(math.erfc, halved), float, len(halved))


def _times(matrices: Array, vectors: Array) -> Array:
    product: Array = np.einsum("mij,mj->mi", matrices, vectors)
    return product
