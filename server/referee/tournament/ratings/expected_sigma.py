"""The expected σ of ratings: how sure a tournament of this length will be of its bots, before it is played.

Used by a dry run. The answer is a forecast for the average bot, not part of any standing.
"""

from __future__ import annotations

import math
from hashlib import shake_256
from statistics import NormalDist

from referee.tournament.ratings import DRAW_FLOOR, RatingError, RatingSettings
from referee.tournament.ratings.trueskill_update import Belief, Skill

_LINE_UPS = 6
"""Matches looked at for one step of the forecast."""


def expected_sigma(matches_per_bot: int, players: int, settings: RatingSettings | None = None) -> float:
    """The σ an average bot ends with after so many matches of so many players.

    Bots are taken to be as different as the prior says. Match by match, a few line-ups are drawn from
    it, played with performance noise β and rated; the average gain in precision (1/σ²) is what the
    match teaches about a bot. The gain changes slowly, so after the first eight matches one look
    serves for a growing number of them. The draws come from a SHAKE-256 stream: equal arguments, equal answer.
    Ties are not played, so where they are common the true σ is a little larger.
    """
    if matches_per_bot < 0:
        raise RatingError(f"matches_per_bot must be at least 0, not {matches_per_bot}")
    if players < 1:
        raise RatingError(f"players must be at least 1, not {players}")
    settings = settings or RatingSettings()
    sigma = settings.sigma
    if players == 1:
        return sigma
    skill = Skill(settings.beta, settings.tau, max(settings.draw_probability, DRAW_FLOOR))
    done = 0
    while done < matches_per_bot:
        step = min(max(1, done // 8), matches_per_bot - done)
        precision = sigma**-2 + step * _gain(skill, settings, sigma, players, done)
        sigma = 1 / math.sqrt(precision)
        done += step
    return sigma


def _gain(skill: Skill, settings: RatingSettings, sigma: float, players: int, done: int) -> float:
    """The average gain in precision of a player whose skill is known to within sigma."""
    gains: list[float] = []
    for line_up in range(_LINE_UPS):
        noise = _normals(f"line-up {players} {done} {line_up}", 3 * players)
        # What is left unknown is part of the prior's spread, so beliefs are less spread out than skills.
        known = math.sqrt(max(settings.sigma**2 - sigma**2, 0.0))
        beliefs = [Belief(settings.mu + known * z, sigma) for z in noise[:players]]
        shown = [
            belief.mu + sigma * hidden + settings.beta * luck
            for belief, hidden, luck in zip(beliefs, noise[players : 2 * players], noise[2 * players :], strict=True)
        ]
        ranks = [sum(other > own for other in shown) for own in shown]
        gains.extend(belief.sigma**-2 - sigma**-2 for belief in skill.update(beliefs, ranks))
    return math.fsum(gains) / len(gains)


def _normals(label: str, number: int) -> list[float]:
    stream = shake_256(label.encode()).digest(4 * number)
    words = [int.from_bytes(stream[at : at + 4]) for at in range(0, len(stream), 4)]
    return [NormalDist().inv_cdf((word + 0.5) / 2**32) for word in words]
