"""A scoreboard for a tournament: with the constants of its ratings and the deals that its matches share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from referee.rules import registry
from referee.tournament.plan import NONE_SHARED, Plan, deal
from referee.tournament.ratings import RatingSettings
from referee.tournament.standings.scoreboard import Memory, Scoreboard


def empty_board(
    plan: Plan,
    bots: Sequence[str],
    shared_deals: Mapping[int, int] = NONE_SHARED,
    memory: Memory | None = None,
    *,
    by_library: bool = False,
) -> Scoreboard:
    """A scoreboard for this tournament, before its first result; `shared_deals` as for `deal`.

    With `by_library` it rates as it was done before, see `RatingSettings`.
    """
    settings = replace(rating_settings(plan), by_library=by_library)
    return Scoreboard(settings, bots, plan.players, partial(deal, plan, shared=shared_deals), memory)


def rating_settings(plan: Plan) -> RatingSettings:
    """The constants with which the results of this tournament are rated."""
    return RatingSettings(draw_probability=draw_probability(plan), version_sigma=plan.version_sigma)


def draw_probability(plan: Plan) -> float:
    """How often equal bots end level, as ratings take it: noted in the plan, but for those of before."""
    noted = plan.draw_probability
    return registry.find(plan.game).draw_probability if noted is None else noted
