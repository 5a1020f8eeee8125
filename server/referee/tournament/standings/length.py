"""How many matches a tournament will have, as far as anybody can know before its end."""

from __future__ import annotations

from referee.tournament.formats import registry as formats
from referee.tournament.plan import Plan
from referee_leaderboard.standings import State

UNTIL = "until"
OVER = (State.FINISHED, State.CANCELLED)


def expected(plan: Plan, state: State, total: int, entrants: int) -> int:
    """How many matches there will be at least: of a format that draws its rounds, more than are drawn so far."""
    if not plan.format or state in OVER:
        return total
    lasts = formats.from_settings(plan.format).forecast(entrants, plan.players)
    return total if lasts is None else max(total, lasts.matches[0])


def most(plan: Plan, state: State, entrants: int) -> int | None:
    """Of a format whose end nobody can know before it comes, the most matches there may be, 0 if there is no bound."""
    if not plan.format or state in OVER:
        return None
    lasts = formats.from_settings(plan.format).forecast(entrants, plan.players)
    if lasts is None:
        return 0
    return lasts.matches[1] if plan.format["name"] == UNTIL else None
