"""A dry run: how many matches a plan has, how long they may take here, and how sure its ratings will be."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from referee.rules.game import WrongUse, seed_bytes
from referee.rules.playout import playout, random_chooser
from referee.tournament import schedule
from referee.tournament.plan import Plan, checked
from referee.tournament.ratings import RatingSettings
from referee.tournament.ratings.expected_sigma import expected_sigma
from referee.tournament.schedule.pairing import ScheduleError

CALIBRATION_SECONDS = 1.0
TRANSPORT_SECONDS = 60e-6
"""What a decision costs beyond the rules: a question over the wire and its answer, on one core."""


def forecast(plan: Plan, bots: Sequence[str]) -> dict[str, Any]:
    """The figures of a dry run; the time is that of quick bots, calibrated by playing at random for a second."""
    game, plan = checked(plan, len(bots))
    try:
        matches = schedule.count_allowed(plan.schedule, len(bots), plan.players, plan.rounds)
    except ScheduleError as error:
        raise WrongUse(str(error)) from None
    if plan.mirror and plan.schedule == "balanced":  # every table in every rotation of its seats
        matches *= plan.players
    began = time.perf_counter()
    played = decisions = 0
    while time.perf_counter() - began < CALIBRATION_SECONDS and played < 200:
        seed = seed_bytes(f"calibration {played}")
        choosers = [random_chooser(seed, seat) for seat in range(plan.players)]
        decisions += playout(game, plan.players, plan.options, seed, choosers).decisions
        played += 1
    rules = (time.perf_counter() - began) / played
    transport = decisions / played * TRANSPORT_SECONDS
    each = matches * plan.players / len(bots)
    settings = RatingSettings(draw_probability=game.draw_probability)
    return {
        "matches": matches,
        "matches_per_bot": each,
        "decisions_per_match": decisions / played,
        "seconds": matches * (rules + transport),
        "sigma": expected_sigma(round(each), plan.players, settings),
    }
