"""Bootstrap of order-free ratings: how much strengths would differ if other matches had been drawn from the same bots.

Matches (or blocks of mirrored matches) are drawn with replacement, as many as there were, and the skills are worked out
anew, beginning where the fit of all matches ended: one more look at every drawn match suffices. Seeded: the
same results give the same errors everywhere. It checks the sandwich estimate of `strengths.py`, which is what is shown.
"""

from __future__ import annotations

from hashlib import shake_256

import numpy as np

from referee.tournament.statistics.expectation_propagation import Array, Fit, resampled

SAMPLES = 200


def bootstrap_covariance(found: Fit, beta: float, margin: float, samples: int = SAMPLES) -> Array:
    """The covariance of the skills: what differs from sample to sample, and what the prior leaves open."""
    bots = len(found.mean)
    if not found.tables or not bots:
        return found.covariance
    blocks = 1 + max(int(table.blocks.max()) for table in found.tables)
    means = np.empty((samples, bots))
    for sample in range(samples):
        words = np.frombuffer(shake_256(f"bootstrap {sample} {blocks}".encode()).digest(4 * blocks), dtype="<u4")
        drawn = (words.astype(np.uint64) * np.uint64(blocks)) >> np.uint64(32)
        means[sample] = resampled(found, np.bincount(drawn.astype(np.intp), minlength=blocks), beta, margin)
    means -= means.mean(axis=0)
    # The mean of the field is anybody's guess: only differences count, in both parts alike.
    spread = means.T @ means / (samples - 1)
    prior = found.covariance - found.covariance @ found.told @ found.covariance
    return np.asarray(spread + (prior + prior.T) / 2)
