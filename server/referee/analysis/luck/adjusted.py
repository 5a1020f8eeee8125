"""Ratings on luck-adjusted results, beside the plain ones: least squares over the share of opponents left behind.

What a match says of a bot is the share of its opponents that it left behind. Its luck, at a price, is taken off. The
price is the one that explains most of the *other* matches' results (the matches are parted in groups, each adjusted
with the price of the others), so it knows nothing of the match whose luck it weighs: the adjusted results have the same
means as the plain ones, exactly, and less noise.

A rating is the share of the field that a bot leaves behind, less one half, with its standard error over deals.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from referee.analysis.luck.chance_events import Values

Array = NDArray[Any]

PARTS = 5
"""Groups of matches; each is adjusted by prices that follow from the others."""
LEAST_MATCHES = 20
"""With fewer, prices would be noise."""


@dataclass(frozen=True, slots=True)
class LuckyMatch:
    """One result, everything by seat: who played, the share of opponents left behind, and the luck."""

    bots: tuple[str, ...]
    shares: tuple[float, ...]
    luck: Values
    block: Hashable
    """Matches of one block were played on one deal and are not independent of each other."""


@dataclass(frozen=True, slots=True)
class AdjustedRating:
    """A bot by plain and by luck-adjusted results: the share of opponents that it leaves behind, above one half."""

    bot: str
    matches: int
    plain: float
    plain_error: float
    adjusted: float
    adjusted_error: float
    luck: float
    """How much luck it had, in the same unit: plain results are so much above the adjusted ones."""


@dataclass(frozen=True, slots=True)
class AdjustedRatings:
    """All bots, best by adjusted results first."""

    rows: tuple[AdjustedRating, ...]
    matches: int
    variance: float
    """The variance of a result without luck, as a share of that of the plain result: 0.5 is half."""
    prices: tuple[float, ...]
    """What a unit of each measure of luck is worth, over all matches."""


def check_enough(matches: int) -> None:
    """ValueError if so many matches are too few to price luck."""
    if matches < LEAST_MATCHES:
        raise ValueError(f"at least {LEAST_MATCHES} matches are needed to price luck; there are {matches}")


def adjust(matches: Sequence[LuckyMatch]) -> AdjustedRatings:
    """Ratings with and without luck; ValueError with fewer than `LEAST_MATCHES` matches or two bots."""
    check_enough(len(matches))
    names = sorted({bot for match in matches for bot in match.bots})
    if len(names) < 2:
        raise ValueError("at least two bots are needed")
    place = {name: at for at, name in enumerate(names)}
    rows = [(number, seat) for number, match in enumerate(matches) for seat in range(len(match.bots))]
    shares = np.array([matches[number].shares[seat] - 0.5 for number, seat in rows])
    luck = np.array([matches[number].luck[seat] for number, seat in rows])
    blocks = _numbered([matches[number].block for number, _ in rows])
    design = _design(matches, place)
    part = blocks % PARTS
    adjusted = shares.copy()
    for one in range(PARTS):
        inside = part == one
        if inside.any() and not inside.all():
            adjusted[inside] -= luck[inside] @ _prices(design[~inside], shares[~inside], luck[~inside])
    plain_fit, plain_error, plain_left = _fit(design, shares, blocks)
    fit, error, left = _fit(design, adjusted, blocks)
    played = design > 0.5  # a bot's own seat
    counts = played.sum(axis=0)
    found = [
        AdjustedRating(
            name,
            int(counts[at]),
            _told(plain_fit[at]),
            _told(plain_error[at]),
            _told(fit[at]),
            _told(error[at]),
            _told(plain_fit[at] - fit[at]),
        )
        for at, name in enumerate(names)
    ]
    found.sort(key=lambda row: (-row.adjusted, row.bot))
    ratio = float(left @ left) / float(plain_left @ plain_left) if float(plain_left @ plain_left) > 0 else 1.0
    prices = tuple(_told(price) for price in _prices(design, shares, luck))
    return AdjustedRatings(tuple(found), len(matches), _told(ratio), prices)


def _design(matches: Sequence[LuckyMatch], place: dict[str, int]) -> Array:
    """One row per seat: its bot against the mean of its opponents."""
    lines = []
    for match in matches:
        for seat, bot in enumerate(match.bots):
            line = np.zeros(len(place))
            line[place[bot]] += 1.0
            for other, opponent in enumerate(match.bots):
                if other != seat:
                    line[place[opponent]] -= 1.0 / (len(match.bots) - 1)
            lines.append(line)
    return np.array(lines)


def _prices(design: Array, shares: Array, luck: Array) -> Array:
    """What luck is worth: the slopes of results on luck, strengths of the bots taken into account."""
    if not len(shares):
        return np.zeros(luck.shape[1])
    both = np.hstack([luck, design])
    solved: Array = np.linalg.lstsq(both, shares, rcond=1e-9)[0]
    return solved[: luck.shape[1]]


def _fit(design: Array, shares: Array, blocks: Array) -> tuple[Array, Array, Array]:
    """Ratings around the mean of the field, their errors over blocks (a sandwich), and what is left over."""
    bots = design.shape[1]
    inverse = np.linalg.pinv(design.T @ design, rcond=1e-9)
    fit = inverse @ (design.T @ shares)
    left = shares - design @ fit
    pulls = np.zeros((int(blocks.max()) + 1, bots))
    np.add.at(pulls, blocks, design * left[:, None])
    several = len(pulls) / max(1, len(pulls) - bots + 1)
    centre = np.eye(bots) - 1 / bots
    spread = centre @ inverse @ (pulls.T @ pulls * several) @ inverse @ centre
    return centre @ fit, np.sqrt(np.maximum(np.diag(spread), 0.0)), left


def _numbered(blocks: Sequence[Hashable]) -> Array:
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(block, len(numbers)) for block in blocks], dtype=np.intp)


def _told(value: float) -> float:
    return round(float(value), 6) + 0.0 if math.isfinite(float(value)) else 0.0
