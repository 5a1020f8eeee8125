"""Plackett–Luce fit: a second opinion on who is strongest, by another model than TrueSkill's.

In this model a match is a series of choices: the first place is drawn in proportion to the bots' worths, then the
second among the rest, and so on. Bots that share a rank are taken in every order alike, to first approximation: each
stands for its share. The worths are found by the usual iteration that raises the likelihood in every step
(minorisation–maximisation), with one imagined win and loss per bot against an average opponent, so that a bot that
always wins has a finite worth.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from referee.tournament.ratings import Result

ROUNDS = 100
SMALL = 1e-6


def worths(results: Sequence[Result], names: Sequence[str]) -> list[float]:
    """The worth of each bot, in the order of the names; their geometric mean is 1."""
    place = {name: at for at, name in enumerate(names)}
    bots = len(names)
    wins = np.ones(bots)
    stages: dict[int, list[list[int]]] = {}
    for who, ranks in results:
        order = sorted(range(len(who)), key=lambda seat: ranks[seat])
        for at in range(len(order) - 1):
            rank = ranks[order[at]]
            level = [seat for seat in order if ranks[seat] == rank]
            if ranks[order[-1]] == rank:
                break  # the last ones share their rank: nothing more is chosen
            rest = [place[who[seat]] for seat in order if ranks[seat] >= rank]
            for seat in level:
                wins[place[who[seat]]] += 1 / len(level)
            stages.setdefault(len(rest), []).append(rest)
    tables = [np.array(rows, dtype=np.intp) for _, rows in sorted(stages.items())]
    worth = np.ones(bots)
    for _ in range(ROUNDS):
        chances = 2 / (worth + 1)
        for rows in tables:
            share = 1 / worth[rows].sum(axis=1)
            chances += np.bincount(rows.ravel(), np.repeat(share, rows.shape[1]), bots)
        new = wins / chances
        new /= np.exp(np.mean(np.log(new)))
        change = float(np.max(np.abs(np.log(new / worth)), initial=0.0))
        worth = new
        if change < SMALL:
            break
    return [float(value) for value in worth]


def leader(results: Sequence[Result], names: Sequence[str]) -> str | None:
    """Who is first by this model, if one bot alone is."""
    ranked = sorted(
        ((round(worth, 6), name) for worth, name in zip(worths(results, names), names, strict=True)), reverse=True
    )
    if not ranked or (len(ranked) > 1 and ranked[0][0] == ranked[1][0]):
        return None
    return ranked[0][1]
