"""Order-free ratings: how strong each bot is by all results together, and how sure the order of the field is.

Beside the live TrueSkill ratings, which depend on the order of the matches and start from a prior far wider than real
fields. Strengths are relative to the field's mean, on TrueSkill's scale. Errors are robust: they follow how much the
matches (or, with mirrored deals, the blocks of matches) really differ, not only how much the model expects them to.

    found = strengths(results, bots, settings)
    found.rows[0].bot, found.rows[0].value, found.rows[0].first   # the strongest, and how sure that is
    found.ahead[a][b]                                             # how sure it is that a is stronger than b

Deterministic: the same results give the same numbers, to the six digits that `digest` looks at, on every machine, in
whatever order they are given.
"""

from __future__ import annotations

import json
import math
from collections.abc import Hashable, Sequence
from hashlib import sha256, shake_256
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from referee.tournament.ratings import DRAW_FLOOR, RatingSettings, Result
from referee.tournament.statistics import plackett_luce
from referee.tournament.statistics.bootstrap import bootstrap_covariance
from referee.tournament.statistics.expectation_propagation import (
    USUAL,
    Array,
    Fit,
    TableResults,
    fit,
    in_a_field_of,
)
from referee_leaderboard.strengths import SURE, Strength, Strengths

SAMPLES = 4000
"""Fields drawn from what is known, to count ranks in."""
TRUSTED = 30.0
"""After so many matches per bot the robust error counts half, the model's own error the other half."""
REACH = 1.96
"""Standard errors on either side of a 95 % interval."""
DISTINCT_VALUE, DISTINCT_SHARE = 6, 4
"""Digits after the point of values and of probabilities that are told and compared."""


LARGEST_MATRIX = 64
"""Bots up to which every pair and every rank is told; a larger square is unreadable and long to send."""


def digest(found: Strengths) -> str:
    """SHA-256 of all values and errors, rounded as they are told."""
    rows = sorted([row.bot, f"{row.value:.6f}", f"{row.error:.6f}", row.rank_low, row.rank_high] for row in found.rows)
    return sha256(json.dumps(rows).encode()).hexdigest()


def strengths(
    results: Sequence[Result],
    bots: Sequence[str],
    settings: RatingSettings,
    blocks: Sequence[Hashable] | None = None,
    *,
    bootstrap: int = 0,
) -> Strengths:
    """How strong the bots are; `blocks` names for each result the block of matches that were played on one deal.

    A bot without a result has no strength once others have one, and takes nothing from their chances to be first.
    Errors are a sandwich estimate, or with `bootstrap` those of so many samples of the matches.
    """
    chosen = [
        (tuple(who), tuple(ranks), blocks[number] if blocks is not None else number)
        for number, (who, ranks) in enumerate(results)
        if len(who) > 1
    ]
    seen = {bot for who, _, _ in chosen for bot in who}
    names = sorted(bot for bot in bots if bot in seen or not seen)
    place = {name: at for at, name in enumerate(names)}
    played = [0] * len(names)
    for who, _, _ in chosen:
        for bot in who:
            played[place[bot]] += 1
    tables = _tables(chosen, place)
    draws = max(settings.draw_probability, DRAW_FLOOR)
    margin = NormalDist().inv_cdf((draws + 1) / 2) * math.sqrt(2) * settings.beta
    found = fit(tables, len(names), settings.beta, margin)
    if bootstrap:
        mean, covariance = _centred(found, bootstrap_covariance(found, settings.beta, margin, bootstrap))
    else:
        mean, covariance = _centred(found, _robust(found, played))
    return _summary(names, mean, covariance, _intervals(found, played, settings.beta), found, played, chosen)


Chosen = tuple[tuple[str, ...], tuple[int, ...], Hashable]


def _tables(results: Sequence[Chosen], place: dict[str, int]) -> list[TableResults]:
    """The results as arrays, by size, in an order that does not depend on the order they came in."""
    by_size: dict[int, list[tuple[list[int], list[bool], str]]] = {}
    for who, ranks, block in results:
        order = sorted(range(len(who)), key=lambda seat: (ranks[seat], place[who[seat]]))
        ties = [ranks[seat] == ranks[after] for seat, after in pairwise(order)]
        by_size.setdefault(len(who), []).append(([place[who[seat]] for seat in order], ties, str(block)))
    tables = []
    numbers: dict[str, int] = {}
    for size in sorted(by_size):
        rows = sorted(by_size[size])
        tables.append(
            TableResults(
                np.array([row[0] for row in rows], dtype=np.intp),
                np.array([row[1] for row in rows], dtype=bool),
                np.array([numbers.setdefault(row[2], len(numbers)) for row in rows], dtype=np.intp),
            )
        )
    return tables


def _intervals(found: Fit, played: Sequence[int], beta: float) -> list[tuple[float, float]]:
    """A 95 % interval for each strength that holds the truth in 95 % of cases whatever the width of the field.

    Strengths are drawn towards each other, which makes them better on average and the more so the narrower the field.
    How narrow it is cannot be told from luck where bots hardly differ: an interval around such a strength holds the
    truth in up to 100 % of cases there, and in too few a little above. So intervals come from strengths that are hardly
    drawn together: those in a field that is never thought narrower than fields usually are.
    """
    wide = in_a_field_of(found, max(found.width, USUAL * beta))
    mean, covariance = _centred(wide, _robust(wide, played, spent=len(found.mean)))
    reach = REACH * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return [(float(value - by), float(value + by)) for value, by in zip(mean, reach, strict=True)]


def _robust(found: Fit, played: Sequence[int], spent: int = 1) -> Array:
    """The covariance of the skills as the differences between matches show it (a sandwich estimate).

    Each block of matches pulls at the skills. Where the model is right, the pulls are as large as it expects. Where
    they are larger, as for bots that win high and lose low, the errors are larger too. Few matches tell little about
    that: then the model's own expectation is believed. `spent`: numbers that were fitted to the same matches, and make
    their differences look smaller than they are.
    """
    bots = len(found.mean)
    if not found.tables or not bots:
        return found.covariance
    blocks = 1 + max(int(table.blocks.max()) for table in found.tables)
    pulls = np.zeros((blocks, bots))
    for table in found.tables:
        np.add.at(pulls, (table.blocks[:, None], table.bots), table.pulls(found.mean))
    pulls -= pulls.mean(axis=0)
    seen = pulls.T @ pulls * (blocks / max(1, blocks - spent))
    per_bot = sum(played) / bots
    share = per_bot / (per_bot + TRUSTED) if blocks > 2 * bots else 0.0
    robust = found.covariance + share * (found.covariance @ (seen - found.told) @ found.covariance)
    values, axes = np.linalg.eigh((robust + robust.T) / 2)
    least = 0.1 * np.linalg.eigvalsh(found.covariance)[0]
    return np.asarray((axes * np.maximum(values, least)) @ axes.T)


def _centred(found: Fit, covariance: Array) -> tuple[Array, Array]:
    """Relative to the mean of the field."""
    bots = len(found.mean)
    centre = np.eye(bots) - 1 / max(1, bots)
    return centre @ found.mean, centre @ covariance @ centre


def _summary(
    names: Sequence[str],
    mean: Array,
    covariance: Array,
    intervals: Sequence[tuple[float, float]],
    found: Fit,
    played: Sequence[int],
    results: Sequence[Chosen],
) -> Strengths:
    bots = len(names)
    values = [round(float(value), DISTINCT_VALUE) + 0.0 for value in mean]
    order = sorted(range(bots), key=lambda bot: (-values[bot], names[bot]))
    chances = _rank_chances(mean, covariance)
    ahead = _ahead(mean, covariance)
    told = bots <= LARGEST_MATRIX
    rows = []
    for bot in order:
        rank = 1 + sum(value > values[bot] for value in values)
        reached = np.cumsum(chances[bot])
        low = int(np.searchsorted(reached, 1 - SURE)) + 1
        high = min(bots, int(np.searchsorted(reached, SURE)) + 1)
        rows.append(
            Strength(
                names[bot],
                values[bot],
                round(math.sqrt(max(0.0, float(covariance[bot, bot]))), DISTINCT_VALUE),
                rank,
                min(low, rank),
                max(high, rank),
                round(float(chances[bot][0]), DISTINCT_SHARE),
                played[bot],
                tuple(round(float(chance), DISTINCT_SHARE) for chance in chances[bot]) if told else (),
                round(min(intervals[bot][0], values[bot]), DISTINCT_VALUE) + 0.0,
                round(max(intervals[bot][1], values[bot]), DISTINCT_VALUE) + 0.0,
            )
        )
    matrix = tuple(tuple(round(float(ahead[a, b]), DISTINCT_SHARE) for b in order) for a in order)
    return Strengths(
        tuple(rows),
        matrix if told else (),
        _groups(matrix),
        round(found.width, DISTINCT_VALUE),
        len(results),
        tuple(_notes(names, order, ahead, results)),
    )


def _ahead(mean: Array, covariance: Array) -> Array:
    variance = np.diag(covariance)
    spread = np.sqrt(np.maximum(variance[:, None] + variance[None, :] - 2 * covariance, 1e-18))
    t = (mean[:, None] - mean[None, :]) / spread
    flat = [0.5 * math.erfc(-value * math.sqrt(0.5)) for value in t.ravel().tolist()]
    return np.array(flat).reshape(t.shape)


def _rank_chances(mean: Array, covariance: Array) -> Array:
    """How likely each rank is for each bot, counted in fields drawn from what is known."""
    bots = len(mean)
    if not bots:
        return np.zeros((0, 0))
    values, axes = np.linalg.eigh(covariance)
    root = (axes * np.sqrt(np.maximum(values, 0.0))) @ axes.T
    drawn = mean + _normals(SAMPLES, bots) @ root
    places = np.argsort(np.argsort(-drawn, axis=1), axis=1)
    counts = np.zeros((bots, bots))
    for bot in range(bots):
        counts[bot] = np.bincount(places[:, bot], minlength=bots)
    return counts / SAMPLES


def _normals(rows: int, columns: int) -> Array:
    """Standard normal numbers that are the same everywhere: from a SHAKE-256 stream, each with its opposite."""
    half = rows // 2
    words = np.frombuffer(shake_256(f"ranks {columns}".encode()).digest(8 * half * columns), dtype="<u4")
    uniform = (words.astype(float) + 0.5) / 2**32
    radius = np.sqrt(-2 * np.log(uniform[0::2]))
    drawn = (radius * np.cos(2 * np.pi * uniform[1::2])).reshape(half, columns)
    return np.concatenate([drawn, -drawn])


def _groups(ahead: Sequence[Sequence[float]]) -> tuple[tuple[int, int], ...]:
    """The longest runs of neighbours in which the first is not surely ahead of the last, nor of any between."""
    found: list[tuple[int, int]] = []
    for first in range(len(ahead)):
        last = first
        while last + 1 < len(ahead) and all(ahead[row][last + 1] < SURE for row in range(first, last + 1)):
            last += 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return tuple(found)


def _notes(names: Sequence[str], order: Sequence[int], ahead: Array, results: Sequence[Chosen]) -> list[str]:
    notes = []
    parts = _parts(names, results)
    if len(parts) > 1 and results:
        shown = "; ".join(
            ", ".join(part[:4]) + (f" and {len(part) - 4} more" if len(part) > 4 else "") for part in parts[:4]
        )
        more = f"; and {len(parts) - 4} more" if len(parts) > 4 else ""
        notes.append(
            f"no results link these groups of bots, so nothing tells them apart from each other: {shown}{more}"
        )
    if len(order) > 1 and len(parts) == 1:
        leader = names[order[0]]
        others = {
            "a Plackett–Luce fit": plackett_luce.leader([(who, ranks) for who, ranks, _ in results], names),
            "the mean rank": _best_mean_rank(results, names),
        }
        for model, other in others.items():
            if other is not None and other != leader:
                sure = 100 * float(ahead[order[0], names.index(other)])
                notes.append(f"{model} puts {other} first, not {leader}: the lead of {leader} is {sure:.0f} % sure")
    return notes


def _parts(names: Sequence[str], results: Sequence[Chosen]) -> list[list[str]]:
    """Bots that are linked by results, directly or through others; the largest part first."""
    parent = {name: name for name in names}

    def root(name: str) -> str:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for who, _, _ in results:
        for bot in who[1:]:
            parent[root(bot)] = root(who[0])
    parts: dict[str, list[str]] = {}
    for name in names:
        parts.setdefault(root(name), []).append(name)
    return sorted(parts.values(), key=lambda part: (-len(part), part))


def _best_mean_rank(results: Sequence[Chosen], names: Sequence[str]) -> str | None:
    """Who has the best mean rank (as a share of the table, for tables of different sizes), if one bot alone has it."""
    sums: dict[str, list[float]] = {}
    for who, ranks, _ in results:
        for bot, rank in zip(who, ranks, strict=True):
            level = sum(other == rank for other in ranks)
            sums.setdefault(bot, []).append((rank - 1 + (level - 1) / 2) / (len(who) - 1))
    if len(sums) < len(names):
        return None
    means = sorted((math.fsum(shares) / len(shares), bot) for bot, shares in sums.items())
    return means[0][1] if len(means) == 1 or means[0][0] < means[1][0] else None
