"""Power of a comparison: after how many meetings one bot that is a little better is told from an equal one.

Two bots meet; one of them finishes ahead in a certain share of the meetings that are no draws. The sign test at 5 %
(both sides) tells whether that share is other than one half. Its power is the chance that it does so.
"""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

SHARE, POWER, LEVEL = 0.55, 0.9, 0.05
_NORMAL = NormalDist()


def meetings_needed(share: float = SHARE, draws: float = 0.0, power: float = POWER) -> int:
    """Meetings after which a bot that is ahead in this share of them is told from an equal one."""
    error, missed = _NORMAL.inv_cdf(1 - LEVEL / 2), _NORMAL.inv_cdf(power)
    decided = ((error * 0.5 + missed * sqrt(share * (1 - share))) / (share - 0.5)) ** 2
    return ceil(decided / (1 - draws))


def share_told(meetings: float, draws: float = 0.0, power: float = POWER) -> float | None:
    """The smallest share above one half that so many meetings tell from it; None if they tell none."""
    low, high = 0.5, 1.0
    if meetings < 1 or meetings_needed(high, draws, power) > meetings:
        return None
    for _ in range(40):
        middle = (low + high) / 2
        if meetings_needed(middle, draws, power) <= meetings:
            high = middle
        else:
            low = middle
    return high
