"""What orders the table of a tournament: TrueSkill's ratings, order-free strengths, its format's places, or points.

TrueSkill follows the matches in their order, so it moves with every result and suits a table that is watched. Strengths
look at all results together and do not depend on the order of the schedule: once all is played they say more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from referee.tournament.formats import registry as formats
from referee.tournament.plan import Plan
from referee_leaderboard.standings import Order, Standing
from referee_leaderboard.strengths import Strengths

LADDER = "ladder"
"""Its bots may change and its seasons begin anew, so its own places count, unless another order was asked for."""


def order_of(plan: Plan, *, final: bool) -> Order:
    """What orders the table, once strengths are known."""
    if plan.players == 1:
        return Order.POINTS
    name = plan.format.get("name")
    if name in formats.ORDERS:
        return Order.PLACES
    if plan.order:
        return Order(plan.order)
    if name == LADDER:
        return Order.PLACES
    return Order.STRENGTH if final else Order.TRUESKILL


def with_strengths(rows: Sequence[Standing], found: Strengths) -> tuple[Standing, ...]:
    """The same rows with their strengths, as far as these are known."""
    known = {row.bot: row for row in found.rows}
    return tuple(
        replace(row, strength=known[row.bot].value, strength_error=known[row.bot].error) if row.bot in known else row
        for row in rows
    )


def by_strength(rows: Sequence[Standing]) -> tuple[Standing, ...]:
    """The rows in the order of their strengths; bots without a result come last, whatever is thought of them."""

    def key(row: Standing) -> tuple[bool, float]:
        known = row.matches > 0 and row.strength is not None
        return (not known, -(row.strength or 0.0) if known else 0.0)

    return _ranked(rows, [key(row) for row in rows])


def by_score(rows: Sequence[Standing]) -> tuple[Standing, ...]:
    """Final rows by TrueSkill's score; bots without a result come last, for where they began says nothing of them."""
    return _ranked(rows, [(not row.matches, row.rank if row.matches else 0) for row in rows])


def _ranked(rows: Sequence[Standing], keys: Sequence[tuple[bool, float]]) -> tuple[Standing, ...]:
    ranked = [
        replace(row, rank=1 + sum(other < own for other in keys), previous_rank=None)
        for row, own in zip(rows, keys, strict=True)
    ]
    return tuple(sorted(ranked, key=lambda row: (row.rank, row.bot)))
