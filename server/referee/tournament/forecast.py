"""The forecast of a dry run: how many matches, how long they may take here, and what differences they will tell."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import ceil, comb
from typing import Any

from referee.rules.game import WrongUse, seed_bytes
from referee.rules.playout import playout, random_chooser
from referee.tournament import schedule
from referee.tournament.formats import registry as formats
from referee.tournament.plan import Plan, checked
from referee.tournament.ratings import RatingSettings
from referee.tournament.ratings.expected_sigma import expected_sigma
from referee.tournament.schedule.pairing import ScheduleError
from referee.tournament.statistics.power import POWER, SHARE, meetings_needed, share_told

CALIBRATION_SECONDS = 1.0
TRANSPORT_SECONDS = 60e-6
"""What a decision costs beyond the rules: a question over the wire and its answer, on one core."""


def forecast(plan: Plan, bots: Sequence[str]) -> dict[str, Any]:
    """The figures of a dry run; the time is that of quick bots, calibrated by playing at random for a second."""
    game, plan = checked(plan, len(bots))
    least, matches, rounds = _lasts(plan, len(bots))
    began = time.perf_counter()
    played = decisions = 0
    while time.perf_counter() - began < CALIBRATION_SECONDS and played < 200:
        seed = seed_bytes(f"calibration {played}")
        choosers = [random_chooser(seed, seat) for seat in range(plan.players)]
        decisions += playout(game, plan.players, plan.options, seed, choosers).decisions
        played += 1
    rules = (time.perf_counter() - began) / played
    transport = decisions / played * TRANSPORT_SECONDS
    draws = game.draws(plan.players)
    settings = RatingSettings(draw_probability=draws)
    known: dict[str, Any] = {"decisions_per_match": decisions / played}
    if plan.format:
        known |= {"format": plan.format["name"], "rounds": rounds, "matches_least": least}
        known["seconds_per_match"] = rules + transport
    if matches is None:  # it ends when the host ends it
        return known | {"matches": None, "matches_per_bot": None, "seconds": None, "sigma": None, "power": None}
    each = matches * plan.players / len(bots)
    return known | {
        "matches": matches,
        "matches_per_bot": each,
        "seconds": matches * (rules + transport),
        "sigma": expected_sigma(round(each), plan.players, settings),
        "power": power(matches, len(bots), plan.players, draws) if plan.players > 1 and not plan.format else None,
    }


def power(matches: int, bots: int, players: int, draws: float) -> dict[str, Any]:
    """After how many matches of this kind 55 % is told from 50 %, and what so many matches tell."""
    matches_per_meeting = comb(bots, 2) / comb(players, 2)
    needed = meetings_needed(SHARE, draws, POWER)
    return {
        "share": SHARE,
        "power": POWER,
        "meetings": needed,
        "matches": ceil(needed * matches_per_meeting),
        "meetings_per_pair": matches / matches_per_meeting,
        "tells": share_told(matches / matches_per_meeting, draws, POWER),
    }


def _lasts(plan: Plan, bots: int) -> tuple[int | None, int | None, list[int] | None]:
    """The least and the most matches, and likewise the rounds of a drawn format; None where it is open-ended."""
    try:
        if plan.format:
            lasts = formats.from_settings(plan.format).forecast(bots, plan.players)
            return (None, None, None) if lasts is None else (*lasts.matches, list(lasts.rounds))
        matches = schedule.count_allowed(plan.schedule, bots, plan.players, plan.rounds)
    except ScheduleError as error:
        raise WrongUse(str(error)) from None
    if plan.rotates and plan.schedule == "balanced":  # every table in every rotation of its seats
        matches *= plan.players
    return matches, matches, None
